// Package screen shows a view as text: groups first, how far behind each is, when it has
// caught up, and why it lags, then what proves that of each group, and its partitions with
// their rates and owners.
package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// Screen is a view as text. Every line ends in a newline.
type Screen struct {
	Groups  string   // a table of all groups
	Details []string // a table of each group's partitions, in the same order
}

// String is all of it, with empty lines between the tables.
func (s Screen) String() string {
	return strings.Join(append([]string{s.Groups}, s.Details...), "\n")
}

// Render draws the groups of a view in lines of width characters at most: those with the
// gravest reasons first, then those with the most lag, those without a known lag last.
// What is not known shows as "?".
func Render(v *collector.View, width int) Screen {
	list := entries(v, width)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GROUP\tSTATE\tMEMBERS\tLAG\tAGE\tCATCHES UP IN\tWHY")
	for _, e := range list {
		fmt.Fprintln(w, e.row)
	}
	w.Flush()
	var s Screen
	for line := range strings.Lines(b.String()) {
		s.Groups += words.Cut(strings.TrimRight(line, " \n"), width) + "\n"
	}
	for _, e := range list {
		s.Details = append(s.Details, e.detail)
	}
	return s
}

// entry is one group, or one that is expected and missing.
type entry struct {
	headline diagnosis.Condition // diagnosis.Conditions where none holds
	lag      int64               // -1 where it is not known
	row      string              // cells with tabs between them
	detail   string
}

func entries(v *collector.View, width int) []entry {
	ends, now := logEnds(v), snapshot.InstantOf(v.Built)
	var list []entry
	for i := range v.Missing {
		m := &v.Missing[i]
		row := strings.Join([]string{words.Printable(m.ID), "missing", "-", "-", "-", "-", why(&m.Diagnosis, "")}, "\t")
		list = append(list, entry{headline(&m.Diagnosis), -1, row, words.Printable(m.ID) + ": missing\n" + reasons(&m.Diagnosis, now, width)})
	}
	for i := range v.Groups {
		g := &v.Groups[i]
		row := strings.Join([]string{words.Printable(g.ID), state(g), members(g), words.Number(g.Lag), groupAge(g),
			catchesUp(&g.Estimates), why(&g.Diagnosis, remark(g))}, "\t")
		text := title(g) + "\n" + reasons(&g.Diagnosis, now, width) + partitions(g, ends)
		list = append(list, entry{headline(&g.Diagnosis), g.Lag.Or(-1), row, text})
	}
	slices.SortStableFunc(list, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.headline, y.headline), cmp.Compare(y.lag, x.lag))
	})
	return list
}

// state is one word; the two phases of a classic group's rebalance, whose names are
// long, are one.
func state(g *collector.Group) string {
	switch g.State {
	case snapshot.StateUnknown:
		return words.Unknown
	case snapshot.StatePreparingRebalance, snapshot.StateCompletingRebalance:
		return "rebalancing"
	default:
		return g.State.String()
	}
}

func members(g *collector.Group) string {
	m, ok := g.Members.Get()
	if !ok {
		return words.Unknown
	}
	return strconv.Itoa(len(m.List))
}

// remark says what a reader of the numbers beside it has to know.
func remark(g *collector.Group) string {
	var parts []string
	if !g.Complete {
		parts = append(parts, "incomplete")
	}
	if m, known := g.Members.Get(); known {
		if idle, ok := m.Idle(); ok && idle > 0 {
			parts = append(parts, fmt.Sprintf("%d idle", idle))
		}
	}
	uncommitted := 0
	for i := range g.Topics {
		uncommitted += g.Topics[i].States[collector.PairUncommitted]
	}
	if uncommitted > 0 {
		parts = append(parts, fmt.Sprintf("%d uncommitted", uncommitted))
	}
	if unowned, _ := g.Unowned(); unowned > 0 {
		parts = append(parts, fmt.Sprintf("%d without owner", unowned))
	}
	return strings.Join(parts, ", ")
}
