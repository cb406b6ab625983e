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

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// Screen is a view as text. Every line ends in a newline.
type Screen struct {
	Head   string  // of the table of groups, one line
	Groups []Group // those with the gravest reasons first
}

// Group is what is shown of a group, or of one that is expected and missing.
type Group struct {
	ID  string
	Row string // in the table, one line
	// Title, Reasons and Partitions are its details: one line, and any number of lines;
	// those of the partitions are a table with a head.
	Title, Reasons, Partitions string
}

// Details are all details of a group.
func (g *Group) Details() string { return g.Title + g.Reasons + g.Partitions }

// String is all of it, with empty lines before the details of each group.
func (s Screen) String() string {
	var rows, details strings.Builder
	for i := range s.Groups {
		rows.WriteString(s.Groups[i].Row)
		details.WriteString("\n" + s.Groups[i].Details())
	}
	return s.Head + rows.String() + details.String()
}

// Render draws the groups of a view in lines of width columns at most: those with the
// gravest reasons first, of the same reason those with the most lag, those without a known
// lag last; where nothing holds by name, so that rows keep their places from poll to poll.
// What is not known shows as "?". Where there is not room for all columns some are left
// out; names of conditions are never cut.
func Render(v *collector.View, width int) Screen {
	list := entries(v, width)
	lines := layOut(list, width)
	s := Screen{Head: lines[0]}
	for i, e := range list {
		e.shown.Row = lines[i+1]
		s.Groups = append(s.Groups, e.shown)
	}
	return s
}

// entry is one group, or one that is expected and missing.
type entry struct {
	headline diagnosis.Condition // diagnosis.Conditions where none holds
	lag      int64               // -1 where it is not known
	cells    []string            // but for the reason
	finding  *diagnosis.Finding  // the reason, nil where none holds
	remark   string              // what is to be known then
	shown    Group
}

func entries(v *collector.View, width int) []entry {
	ends, now := logEnds(v), snapshot.InstantOf(v.Built)
	var list []entry
	for i := range v.Missing {
		m := &v.Missing[i]
		list = append(list, entry{
			headline: headline(&m.Diagnosis), lag: -1, finding: first(&m.Diagnosis),
			cells: []string{words.Printable(m.ID), "missing", "-", "-", "-", "-"},
			shown: Group{ID: m.ID, Title: words.Cut(words.Printable(m.ID)+": missing", width) + "\n", Reasons: reasons(&m.Diagnosis, now, width)},
		})
	}
	for i := range v.Groups {
		g := &v.Groups[i]
		list = append(list, entry{
			headline: headline(&g.Diagnosis), lag: g.Lag.Or(-1), finding: first(&g.Diagnosis), remark: remark(g),
			cells: []string{words.Printable(g.ID), state(g), members(g), words.Number(g.Lag), groupAge(g), catchesUp(&g.Estimates)},
			shown: Group{ID: g.ID, Title: words.Cut(title(g), width) + "\n", Reasons: reasons(&g.Diagnosis, now, width), Partitions: partitions(g, ends, width)},
		})
	}
	slices.SortStableFunc(list, func(x, y entry) int {
		if x.finding == nil && y.finding == nil {
			return cmp.Compare(x.shown.ID, y.shown.ID)
		}
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
