package exercise

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/internal/words"
)

// Columns of the text: what was done on the left, what lagwatch saw on the right.
const (
	leftWidth  = 60
	rightWidth = 44
	between    = "  │ "
	// Width is how wide the text is at most, in columns.
	Width = leftWidth + rightWidth + 4
)

// Heading is the step's number and title.
func (s *Step) Heading() string { return fmt.Sprintf("%d  %s", s.Number, s.Title) }

// Text is a step for a terminal of so many columns, without its heading: what lagwatch
// saw stands beside what was done, or below it where that is wider than the terminal.
// It is at most [Width] columns wide, and never less than 60.
func (s *Step) Text(columns int) string {
	if columns >= Width {
		return beside(s.left(), s.right())
	}
	return strings.Join(append(append(s.left(), ""), s.right()...), "\n") + "\n"
}

func (s *Step) left() []string {
	var out []string
	for _, p := range s.Says {
		out = append(append(out, words.Wrap(p, "", leftWidth)...), "")
	}
	var rows [][]string
	byPartition := slices.Clone(s.Deliveries)
	slices.SortStableFunc(byPartition, func(a, b Delivery) int { return cmp.Compare(a.Partition, b.Partition) })
	for _, d := range byPartition {
		if isFollowed(d.Key) || d.Again {
			rows = append(rows, []string{fmt.Sprintf("%d/%d", d.Partition, d.Offset), d.Key, d.Stage, d.Operation, d.Member, d.outcome()})
		}
	}
	if len(rows) > 0 {
		out = append(out, table([]string{"PLACE", "KEY", "EVENT", "OPERATION", "BY", "EFFECT"}, rows)...)
	}
	return out
}

// outcome is what became of a delivery, in a few words.
func (d *Delivery) outcome() string {
	switch {
	case d.Effect == EffectNone && d.Held:
		return "slow"
	case d.Effect == EffectNone:
		return "waits"
	case d.Late:
		return string(d.Effect) + ", late"
	}
	return string(d.Effect)
}

func (s *Step) right() []string {
	out := append([]string{"lagwatch: " + s.Saw.headline()}, words.Wrap(s.Saw.counts(), "", rightWidth)...)
	var rows [][]string
	for _, p := range s.Saw.Partitions {
		rows = append(rows, []string{fmt.Sprint(p.Partition), s.Saw.owner(p), value(p.Committed), value(p.End), value(p.Lag)})
	}
	out = append(append(out, ""), table([]string{"PARTITION", "OWNER", "COMMITTED", "END", "LAG"}, rows)...)
	if len(s.Saw.Handovers) > 0 {
		out = append(out, "")
	}
	for _, h := range s.Saw.Handovers {
		text := fmt.Sprintf("partition %d: %s → %s", h.Partition, h.From, h.To)
		if h.Committed != nil {
			text += fmt.Sprintf(", from %d on", *h.Committed)
		}
		out = append(out, words.Wrap(text, "", rightWidth)...)
	}
	for _, d := range s.Differs {
		out = append(out, words.Wrap("! "+d, "", rightWidth)...)
	}
	return out
}

// owner is who owns a partition in a word.
func (s *Sight) owner(p PartitionSight) string {
	switch {
	case p.Owner != "":
		return p.Owner
	case s.Members == nil:
		return words.Unknown
	}
	return "nobody"
}

func (s *Sight) headline() string {
	return fmt.Sprintf("%s, %s members, generation %s", s.State, value(s.Members), value(s.Generation))
}

// counts are what lagwatch counted till now.
func (s *Sight) counts() string {
	if s.Members == nil {
		return ""
	}
	text := fmt.Sprintf("rebalances %d, moved %d, lag %s", s.Rebalances, s.Moved, value(s.Lag))
	if s.LastKnown {
		text += "; the owners are the last known ones"
	}
	return text
}

// Text is the result for a terminal of so many columns, wrapped as a step's is.
func (r *Report) Text(columns int) string {
	var b strings.Builder
	width := min(max(columns, leftWidth), Width)
	if len(r.Duplicates) > 0 {
		var of []string
		for _, d := range r.Duplicates {
			of = append(of, d.Operation)
		}
		b.WriteString("Absorbed duplicates:\n" + indented(words.Wrap(strings.Join(of, ", "), "", width-2), "  ", "  ") + "\n")
	}
	for _, c := range r.Checks {
		mark := "held  "
		if !c.Held {
			mark = "FAILED"
		}
		head := fmt.Sprintf("%s  %-24s", mark, c.Name)
		b.WriteString(indented(words.Wrap(c.Detail, "", width-len(head)), head, strings.Repeat(" ", len(head))))
	}
	return b.String()
}

// indented joins lines, the first behind one text and the others behind another.
func indented(lines []string, first, others string) string {
	if len(lines) == 0 {
		return first + "\n"
	}
	return first + strings.Join(lines, "\n"+others) + "\n"
}

// beside puts two columns next to each other.
func beside(left, right []string) string {
	var b strings.Builder
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		line := l + strings.Repeat(" ", max(0, leftWidth-words.Width(l))) + between + r
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// table lays out rows under their heads.
func table(heads []string, rows [][]string) []string {
	var b bytes.Buffer
	w := words.NewTable(&b)
	fmt.Fprintln(w, strings.Join(heads, "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	w.Flush()
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}
