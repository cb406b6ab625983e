// Package screen shows a view as text: groups first, then each group's
// partitions with their owners.
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
)

// unknown stands for a value that is not known. It is never a number.
const unknown = "?"

// barWidth is the width of the bar of a group's largest lag, in characters.
const barWidth = 16

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
	fmt.Fprintln(w, "GROUP\tTYPE\tSTATE\tMEMBERS\tLAG\t")
	for i := range groups {
		g := &groups[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(g.ID), g.Type, state(g), members(g), number(g.Lag), remark(g))
	}
	w.Flush()
	ends := endOffsets(v)
	s := Screen{Groups: b.String()}
	for i := range groups {
		s.Details = append(s.Details, detail(&groups[i], ends))
	}
	return s
}

type place struct {
	topic     string
	partition int32
}

func endOffsets(v *collector.View) map[place]int64 {
	ends := map[place]int64{}
	for _, t := range v.Topics {
		for _, p := range t.Partitions {
			if end, ok := p.End.Get(); ok {
				ends[place{t.Name, p.ID}] = end.Offset
			}
		}
	}
	return ends
}

func detail(g *collector.Group, ends map[place]int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", printable(g.ID))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  TOPIC\tPARTITION\tCOMMITTED\tEND\tLAG\t\tOWNER")
	largest := largestLag(g)
	for _, t := range g.Topics {
		for _, p := range t.Pairs {
			end := unknown
			if e, ok := ends[place{t.Topic, p.Partition}]; ok {
				end = strconv.FormatInt(e, 10)
			}
			fmt.Fprintf(w, "  %s\t%d\t%s\t%s\t%s\t%s\t%s\n",
				printable(t.Topic), p.Partition, committed(&p), end, number(p.Lag), bar(p.Lag, largest), owner(g.Owners(&p)))
		}
	}
	w.Flush()
	return b.String()
}

func state(g *collector.Group) string {
	if g.State == snapshot.StateUnknown {
		return unknown
	}
	return g.State.String()
}

func members(g *collector.Group) string {
	m, ok := g.Members.Get()
	if !ok {
		return unknown
	}
	return strconv.Itoa(len(m.List))
}

// remark says what a reader of the numbers beside it has to know.
func remark(g *collector.Group) string {
	var parts []string
	if !g.Complete {
		parts = append(parts, "incomplete: the last poll could not read all of it")
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

func committed(p *collector.Pair) string {
	if p.State == collector.PairUncommitted {
		return "none"
	}
	if p.ShareStart.Known() {
		return number(p.ShareStart)
	}
	return number(p.Committed)
}

// maybe is a number that may be unknown.
type maybe interface{ Get() (int64, bool) }

func number(m maybe) string {
	n, ok := m.Get()
	if !ok {
		return unknown
	}
	return strconv.FormatInt(n, 10)
}

func largestLag(g *collector.Group) int64 {
	var largest int64
	for _, t := range g.Topics {
		for _, p := range t.Pairs {
			largest = max(largest, p.Lag.Or(0))
		}
	}
	return largest
}

// bar draws a lag beside the largest of its group: no lag draws nothing, any
// lag at least one mark.
func bar(lag maybe, largest int64) string {
	n, _ := lag.Get()
	if n <= 0 || largest <= 0 {
		return ""
	}
	return strings.Repeat("█", max(1, int(float64(n)/float64(largest)*barWidth)))
}

func owner(list []*collector.Owner) string {
	if len(list) == 0 {
		return "-"
	}
	first := printable(list[0].ClientID) + " @ " + printable(list[0].Host)
	if more := len(list) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", first, more)
	}
	return first
}

// printable keeps a name that Kafka allows from moving the cursor or the
// columns.
func printable(s string) string {
	q := strconv.QuoteToGraphic(s)
	if q == `"`+s+`"` {
		return s
	}
	return q
}
