package screen

import (
	"fmt"
	"strings"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates"
)

// barWidth is the width of the bar of a group's largest lag, in characters.
const barWidth = 8

type place struct {
	topic     string
	partition int32
}

// logEnd is where a log ends, and which one it is.
type logEnd struct {
	offset snapshot.Maybe[int64]
	topic  *collector.Topic
	index  int // among its partitions
}

// arrival is how fast it grows up to where a group reads; unknown where it is not known.
func (e *logEnd) arrival(g *collector.Group) rates.Value {
	if e.topic == nil {
		return rates.Value{}
	}
	return e.topic.ArrivalOf(g, e.index)
}

func logEnds(v *collector.View) map[place]logEnd {
	ends := map[place]logEnd{}
	for j := range v.Topics {
		t := &v.Topics[j]
		for i, p := range t.Partitions {
			e := logEnd{topic: t, index: i}
			if end, ok := p.End.Get(); ok {
				e.offset = snapshot.Known(end.Offset)
			}
			ends[place{t.Name, p.ID}] = e
		}
	}
	return ends
}

// title names a group, its type, and what is to be known of it.
func title(g *collector.Group) string {
	text := words.Printable(g.ID) + ": " + g.Type.String()
	if s := state(g); s != words.Unknown {
		text += ", " + s
	}
	if m, ok := g.Members.Get(); ok && len(m.List) > 0 {
		text += fmt.Sprintf(", %d members", len(m.List))
		if len(m.List) == 1 {
			text = strings.TrimSuffix(text, "s")
		}
	}
	if g.ReadCommitted {
		text += ", reads committed records"
	}
	if r := remark(g); r != "" {
		text += ", " + r
	}
	return text
}

// partitions is a table, nothing where there are none.
func partitions(g *collector.Group, ends map[place]logEnd, width int) string {
	var rows [][]string
	largest := largestLag(g)
	for _, t := range g.Topics {
		for i, p := range t.Pairs {
			end := ends[place{t.Topic, p.Partition}]
			rows = append(rows, []string{fmt.Sprintf("  %s/%d", words.Printable(t.Topic), p.Partition),
				committed(&p), words.Number(end.offset), words.Number(p.Lag), bar(p.Lag, largest),
				words.Rate(end.arrival(g)), words.Rate(drain(&t, i)), owner(g.Owners(&p))})
		}
	}
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	for _, line := range table([]string{"  PARTITION", "COMMITTED", "END", "LAG", "", "IN/s", "OUT/s", "OWNER"}, rows, []string{"", "END", "COMMITTED"}, width) {
		b.WriteString(words.Cut(strings.TrimRight(line, " "), width) + "\n")
	}
	return b.String()
}

// drain is unknown where nothing was estimated.
func drain(t *collector.GroupTopic, pair int) rates.Value {
	if t.PairEstimates == nil {
		return rates.Value{}
	}
	return t.PairEstimates[pair].Drain
}

func committed(p *collector.Pair) string {
	if p.State == collector.PairUncommitted {
		return "none"
	}
	if p.ShareStart.Known() {
		return words.Number(p.ShareStart)
	}
	return words.Number(p.Committed)
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
func bar(lag words.Maybe, largest int64) string {
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
	first := words.Printable(list[0].ClientID) + " @ " + words.Printable(words.Host(list[0].Host))
	if more := len(list) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", first, more)
	}
	return first
}
