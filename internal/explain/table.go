package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/words"
)

// mostRows is how many partitions are shown.
const mostRows = 10

// table shows the partitions that matter: those that conditions name, and then those with
// the most lag; and how many others there are.
func table(d *document.GroupPartitions) string {
	list := matter(d)
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	w := words.NewTable(&b)
	fmt.Fprintln(w, "  PARTITION\tLAG\tIN/s\tOUT/s\tAGE\tCATCHES UP IN\tOWNER")
	shown := list[:min(mostRows, len(list))]
	lastKnown := false
	for _, p := range shown {
		lastKnown = lastKnown || p.OwnersLastKnown
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", partition(p), lag(p), words.Rate(value(p.Arrival)), words.Rate(value(p.DrainRate)),
			words.Age(value(p.LagAge)), catchesUp(&p.Drain), owner(p))
	}
	w.Flush()
	if more := len(d.Partitions) - len(shown); more > 0 {
		fmt.Fprintf(&b, "  and %s with less or no lag\n", plural(more, "partition", "partitions"))
	}
	if lastKnown {
		b.WriteString("  * the last known owner: the group is between two assignments\n")
	}
	return b.String()
}

// matter are the partitions in the order in which they matter, without those that have no
// lag and that no condition names.
func matter(d *document.GroupPartitions) []*document.Partition {
	named := map[document.TopicPartition]int{}
	for i := range d.Conditions {
		for _, p := range d.Conditions[i].Partitions {
			if _, ok := named[p]; !ok {
				named[p] = len(named) + 1
			}
		}
	}
	var list []*document.Partition
	for i := range d.Partitions {
		p := &d.Partitions[i]
		if behind, known := (whole{p.Lag}).Get(); named[p.TopicPartition] > 0 || behind > 0 || !known {
			list = append(list, p)
		}
	}
	rank := func(p *document.Partition) int {
		if n := named[p.TopicPartition]; n > 0 {
			return n
		}
		return len(named) + 1
	}
	slices.SortStableFunc(list, func(a, b *document.Partition) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(amountOf(b), amountOf(a)))
	})
	return list
}

// amountOf is a lag to sort by: none where it is not known.
func amountOf(p *document.Partition) int64 {
	n, _ := whole{p.Lag}.Get()
	return n
}

func partition(p *document.Partition) string {
	return fmt.Sprintf("%s/%d", words.Cut(words.Printable(p.Topic), 28), p.Partition)
}

// lag is a number, or the state of a partition that has none.
func lag(p *document.Partition) string {
	if p.Lag == nil && p.State == "uncommitted" {
		return "uncommitted"
	}
	return number(p.Lag)
}

func owner(p *document.Partition) string {
	if len(p.Owners) == 0 {
		return "-"
	}
	text := words.Cut(words.Printable(p.Owners[0].ClientID)+" @ "+words.Printable(words.Host(p.Owners[0].Host)), 32)
	if more := len(p.Owners) - 1; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	if p.OwnersLastKnown {
		text += " *"
	}
	return text
}
