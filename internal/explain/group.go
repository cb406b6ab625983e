package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/words"
)

// Holds tells whether a condition holds.
func Holds(d *document.Group) bool { return len(d.Conditions) > 0 }

// Group says all that matters of a group: the headline, what proves it, what else holds,
// the partitions that matter, recent rounds, and what to do next. What is not known is
// "?".
func Group(d *document.GroupPartitions) string {
	parts := []string{headline(&d.Group), facts(&d.Group)}
	if len(d.Conditions) > 0 {
		parts = append(parts, evidence(&d.Conditions[0]), others(d.Conditions[1:]))
	}
	parts = append(parts, table(d), rounds(&d.Group), shifts(&d.Group), next(d.Conditions), notes(&d.Group))
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n")
}

func headline(d *document.Group) string {
	title := fmt.Sprintf("%s in %s: ", words.Printable(d.Group), words.Printable(d.Cluster))
	if len(d.Conditions) == 0 {
		if !slices.Contains(verdictsOf(d), "clear") {
			return title + "nothing can be said of it yet\n"
		}
		return title + "no condition holds\n"
	}
	c := &d.Conditions[0]
	return fmt.Sprintf("%s%s for %s\n%s\n", title, clean(c.Condition), lasted(c.Seconds), wrap(c.Sentence, ""))
}

func verdictsOf(d *document.Group) (out []string) {
	for _, verdict := range d.Verdicts {
		out = append(out, verdict)
	}
	return out
}

// facts are two lines of what the group is and how far behind.
func facts(d *document.Group) string {
	if d.Missing {
		return ""
	}
	members := words.Unknown + " members"
	if d.Members != nil {
		members = plural(len(d.Members), "member", "members")
	}
	what := fmt.Sprintf("%s, %s, %s%s%s", or(d.Type), or(d.State), members, generation(d), coordinator(d))
	e := &d.Estimates
	age := words.Age(value(e.LagAgeSeconds))
	if e.LagAgeAtLeast && e.LagAgeSeconds != nil {
		age = "≥" + age
	}
	lag := fmt.Sprintf("lag %s, age %s, in %s/s, out %s/s, catches up: %s", number(d.Lag), age,
		words.Rate(value(e.Arrival)), words.Rate(value(e.DrainRate)), catchesUp(&e.Drain))
	if e.Headroom != nil {
		lag += ", unread records are kept for " + words.Age(value(e.Headroom))
	}
	return "  " + wrap(what, "  ") + "\n  " + wrap(lag, "  ") + "\n"
}

func generation(d *document.Group) string {
	if d.Generation == nil {
		return ""
	}
	if d.Type == "classic" {
		return fmt.Sprintf(", generation %d", *d.Generation)
	}
	return fmt.Sprintf(", epoch %d", *d.Generation)
}

func coordinator(d *document.Group) string {
	if d.Coordinator == nil {
		return ""
	}
	return fmt.Sprintf(", coordinator is broker %d", *d.Coordinator)
}

func catchesUp(d *document.Drain) string {
	return words.CatchesUp(d.Seconds.Value, d.LowSeconds.Value, d.HighSeconds.Value)
}

// evidence are the numbers that prove the headline.
func evidence(c *document.Condition) string {
	if len(c.Evidence) == 0 {
		return ""
	}
	var b strings.Builder
	w := words.NewTable(&b)
	for _, e := range c.Evidence {
		fmt.Fprintf(w, "  %s\t%s\n", words.Cut(clean(strings.ReplaceAll(e.Name, "_", " ")), 40), amount(&e))
	}
	w.Flush()
	return "EVIDENCE\n" + b.String()
}

// amount is a number with its unit; times are in the unit that people use.
func amount(e *document.Evidence) string {
	if e.Value == nil {
		return "without end"
	}
	n := *e.Value
	switch e.Unit {
	case "seconds":
		if n >= 0 {
			return lasted(n)
		}
	case "":
		return fmt.Sprintf("%.0f %%", n*100)
	}
	digits := 1
	if n == math.Trunc(n) || math.Abs(n) >= 100 {
		digits = 0
	}
	unit := words.Cut(clean(e.Unit), 30)
	if n == 1 && !strings.Contains(unit, "/") {
		unit = strings.TrimSuffix(unit, "s")
	}
	return strconv.FormatFloat(n, 'f', digits, 64) + " " + unit
}

// others are the conditions that hold beside the headline.
func others(list []document.Condition) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("ALSO\n")
	for i := range list {
		c := &list[i]
		b.WriteString("  " + wrap(fmt.Sprintf("%s for %s: %s", c.Condition, lasted(c.Seconds), c.Sentence), "    ") + "\n")
	}
	return b.String()
}

// next are the steps of all conditions, each once, with the lines to paste; but for that
// of asking what is being answered.
func next(list []document.Condition) string {
	var b strings.Builder
	seen := map[document.Step]bool{}
	for i := range list {
		for _, s := range list[i].Next {
			if seen[s] || strings.HasPrefix(s.Command, "lagwatch explain ") {
				continue // that is what the reader sees
			}
			seen[s] = true
			b.WriteString("  - " + wrap(s.Text, "    ") + "\n")
			if s.Command != "" {
				b.WriteString("      " + clean(s.Command) + "\n")
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "NEXT\n" + b.String()
}

// notes are what a reader of all this has to know.
func notes(d *document.Group) string {
	var out []string
	add := func(text string) { out = append(out, wrap("note: "+text, "      ")+"\n") }
	switch {
	case d.At == nil:
		add("the cluster has not been read yet")
	case !d.Up && d.AgeSeconds != nil:
		add(fmt.Sprintf("the last poll, %s ago, could not read the cluster: %s", lasted(*d.AgeSeconds), d.PollError))
	case !d.Complete && !d.Missing:
		add("the last poll could not read all of the group, so its sums are a part of the truth")
	case d.AgeSeconds != nil && *d.AgeSeconds > 3*d.IntervalSeconds:
		add(fmt.Sprintf("this is of a poll %s ago", lasted(*d.AgeSeconds)))
	}
	if names := unknown(d); len(names) > 0 && len(names) < len(d.Verdicts) && !d.Missing {
		add("cannot be evaluated (yet): " + strings.Join(names, ", "))
	}
	return strings.Join(out, "")
}

// unknown are the conditions of which it is not known whether they hold.
func unknown(d *document.Group) (names []string) {
	for name, verdict := range d.Verdicts {
		if verdict == "unknown" {
			names = append(names, clean(name))
		}
	}
	slices.Sort(names)
	return names
}
