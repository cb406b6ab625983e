// Package screen shows a view as text: groups first, how far behind each is and
// when it has caught up, then each group's partitions with their rates and owners.
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

// Render draws the groups of a view, the most lag first, those without a known
// lag last. What is not known shows as "?".
func Render(v *collector.View) Screen {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	groups := slices.Clone(v.Groups)
	slices.SortStableFunc(groups, func(x, y collector.Group) int { return cmp.Compare(y.Lag.Or(-1), x.Lag.Or(-1)) })
	fmt.Fprintln(w, "GROUP\tTYPE\tSTATE\tMEMBERS\tLAG\tAGE\tCATCHES UP IN\t")
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", words.Printable(g.ID), g.Type, state(g), members(g),
			words.Number(g.Lag), groupAge(g), catchesUp(&g.Estimates), remark(g))
	}
	w.Flush()
	ends := logEnds(v)
	s := Screen{Groups: b.String()}
	for i := range groups {
		s.Details = append(s.Details, detail(&groups[i], ends))
	}
	return s
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
	if m, ok := g.Members.Get(); ok {
		if idle, ok := m.Idle(); ok && idle > 0 {
			parts = append(parts, fmt.Sprintf("%d idle", idle))
		}
	}
	uncommitted, unowned := 0, 0
	for _, t := range g.Topics {
		for _, p := range t.Pairs {
			if p.State == collector.PairUncommitted {
				uncommitted++
			}
			if len(g.Owners(&p)) == 0 {
				unowned++
			}
		}
	}
	if uncommitted > 0 {
		parts = append(parts, fmt.Sprintf("%d uncommitted", uncommitted))
	}
	if unowned > 0 {
		parts = append(parts, fmt.Sprintf("%d without owner", unowned))
	}
	return strings.Join(parts, ", ")
}
