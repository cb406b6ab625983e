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
func (p Page) Group(d *document.GroupPartitions) string {
	parts := []string{p.headline(&d.Group), p.facts(&d.Group)}
	if len(d.Conditions) > 0 {
		parts = append(parts, evidence(&d.Conditions[0]), p.others(d.Conditions[1:]))
	}
	parts = append(parts, p.table(d), rounds(&d.Group), p.shifts(&d.Group), p.next(d.Conditions), p.silence(d)+p.notes(&d.Group))
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n")
}

func (p Page) headline(d *document.Group) string {
	title := fmt.Sprintf("%s in %s: ", words.Printable(d.Group), words.Printable(d.Cluster))
	if len(d.Conditions) == 0 {
		return p.wrap("", title+calm(d), "  ")
	}
	c := &d.Conditions[0]
	return p.wrap("", fmt.Sprintf("%s%s for %s", title, clean(c.Condition), lasted(c.Seconds)), "  ") + p.wrap("", c.Sentence, "")
}

// calm is what is said of a group of which no condition holds, and never more than is
// known.
func calm(d *document.Group) string {
	undecided := doubts(d)
	switch {
	case d.At == nil || !evaluated(d):
		return "nothing can be said of it yet"
	case !d.Up || late(d):
		return "no condition held when the cluster was last read"
	case len(undecided) > 0:
		return "no condition holds so far; not known yet: " + strings.Join(undecided, ", ")
	case len(unknown(d)) > 0:
		return "no condition holds of those that can be evaluated"
	}
	return "no condition holds"
}

// facts are two lines of what the group is and how far behind.
func (p Page) facts(d *document.Group) string {
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
	return p.wrap("  ", what, "  ") + p.wrap("  ", lag, "  ") + p.objective(d)
}

// objective is what the group owes and to whom, beside what its age is held against: that
// leaves out what may be markers of transactions. A lagwatch that does not tell has no line.
func (p Page) objective(d *document.Group) string {
	if d.Objective == nil {
		return ""
	}
	text := "objective " + lasted(*d.Objective)
	if d.Target != nil {
		text += " (" + strconv.FormatFloat(*d.Target*100, 'g', 6, 64) + " % of the time)"
	}
	if d.Mode == "batch" {
		text += ", batch"
	}
	if d.Team != "" {
		text += ", team " + words.Printable(d.Team)
	}
	if markers(&d.Estimates) {
		text += "; all that is unread may be markers of transactions, which do not count"
	}
	return p.wrap("  ", text, "  ")
}

// markers tells whether all that is unread may be markers of transactions.
func markers(e *document.Estimates) bool {
	return e.UnreadAgeSeconds != nil && *e.UnreadAgeSeconds == 0 && e.LagAgeSeconds != nil && *e.LagAgeSeconds > 0
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
	case "boolean":
		if n == 0 {
			return "no"
		}
		return "yes"
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
func (p Page) others(list []document.Condition) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("ALSO\n")
	for i := range list {
		c := &list[i]
		b.WriteString(p.wrap("  ", fmt.Sprintf("%s for %s: %s", c.Condition, lasted(c.Seconds), c.Sentence), "    "))
	}
	return b.String()
}

// readsKafka tells whether a line asks for what another look at Kafka tells, and not for
// what is being answered.
func readsKafka(line string) bool {
	return strings.HasPrefix(line, "lagwatch explain --brokers ") || strings.HasPrefix(line, "lagwatch explain --config ")
}

// next are the steps of all conditions, each once, with the lines to paste; but for that
// of asking what is being answered. To read Kafka instead is another one.
func (p Page) next(list []document.Condition) string {
	var b strings.Builder
	seen := map[document.Step]bool{}
	for i := range list {
		for _, s := range list[i].Next {
			if seen[s] || strings.HasPrefix(s.Command, "lagwatch explain ") && (p.ReadKafka || !readsKafka(s.Command)) {
				continue // that is what the reader sees
			}
			seen[s] = true
			b.WriteString(p.wrap("  - ", s.Text, "    "))
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

// silence is what is to be known of a group of which nothing holds because nothing is seen.
func (p Page) silence(d *document.GroupPartitions) string {
	if Holds(&d.Group) || len(doubts(&d.Group)) == 0 || !Silent(d) {
		return ""
	}
	return p.wrap("note: ", "nothing was committed while it was watched; some commit every ten minutes, so whether it has stopped is known after twelve", "      ")
}

// notes are what a reader of all this has to know.
func (p Page) notes(d *document.Group) string {
	var out []string
	add := func(text string) { out = append(out, p.wrap("note: ", text, "      ")) }
	switch {
	case d.At == nil:
		add("the cluster has not been read yet")
	case !d.Up && d.AgeSeconds != nil:
		problem := why(d.PollError)
		if slices.ContainsFunc(d.Conditions, func(c document.Condition) bool { return strings.Contains(c.Sentence, d.PollError) }) {
			problem = "" // it is told
		}
		add(fmt.Sprintf("the last poll, %s ago, could not read the cluster%s", lasted(*d.AgeSeconds), problem))
	case d.Complete != nil && !*d.Complete:
		add("the last poll could not read all of the group, so its sums are a part of the truth")
	case late(d):
		add(fmt.Sprintf("this is of a poll %s ago", lasted(*d.AgeSeconds)))
	}
	names := unknown(d)
	some := len(names) < len(d.Verdicts) && evaluated(d)
	if !Holds(d) { // the headline has these
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(doubts(d), name) })
	}
	if len(names) > 0 && some && !d.Missing {
		add("cannot be evaluated (yet): " + strings.Join(names, ", "))
	}
	return strings.Join(out, "")
}

// unknown are the conditions of which it is not known whether they hold. Whether a
// transaction is open is asked only of groups for which that matters.
func unknown(d *document.Group) (names []string) {
	for name, verdict := range d.Verdicts {
		if verdict == "unknown" && (name != "open_transaction" || d.ReadCommitted != nil && *d.ReadCommitted) {
			names = append(names, clean(name))
		}
	}
	slices.Sort(names)
	return names
}
