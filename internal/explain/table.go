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
func (p Page) table(d *document.GroupPartitions) string {
	list := matter(d)
	if len(list) == 0 {
		return ""
	}
	shown := list[:min(mostRows, len(list))]
	rows := [][]string{{"LAG", "IN/s", "OUT/s", "AGE", "CATCHES UP IN"}}
	lastKnown := false
	for _, at := range shown {
		lastKnown = lastKnown || at.OwnersLastKnown
		rows = append(rows, []string{lag(at), words.Rate(value(at.Arrival)), words.Rate(value(at.DrainRate)), words.Age(value(at.LagAge)), catchesUp(&at.Drain)})
	}
	name, whose := p.room(rows, shown)
	var b strings.Builder
	w := words.NewTable(&b)
	fmt.Fprintf(w, "  PARTITION\t%s\tOWNER\n", strings.Join(rows[0], "\t"))
	for i, at := range shown {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", partition(at, name), strings.Join(rows[i+1], "\t"), owner(at, whose))
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

// room is how wide a partition's name and an owner may be beside the columns of numbers:
// the owner is cut first.
func (p Page) room(rows [][]string, shown []*document.Partition) (name, whose int) {
	left := p.width() - 4
	for column := range rows[0] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, words.Width(row[column]))
		}
		left -= widest + 2
	}
	const most, least = 39, 12
	for _, at := range shown {
		name = max(name, words.Width(partition(at, most)))
	}
	whose = min(most, max(least, left-name))
	return max(least, min(name, left-whose)), whose
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

func partition(p *document.Partition, most int) string {
	id := fmt.Sprintf("/%d", p.Partition)
	return words.Cut(words.Printable(p.Topic), max(4, most-len(id))) + id
}

// lag is a number, or the state of a partition that has none.
func lag(p *document.Partition) string {
	if p.Lag == nil && p.State == "uncommitted" {
		return "uncommitted"
	}
	return number(p.Lag)
}

func owner(p *document.Partition, most int) string {
	if p.Owners == nil {
		return words.Unknown
	}
	if len(p.Owners) == 0 {
		return "-"
	}
	end := ""
	if more := len(p.Owners) - 1; more > 0 {
		end = fmt.Sprintf(" +%d", more)
	}
	if p.OwnersLastKnown {
		end += " *"
	}
	return words.Cut(words.Printable(p.Owners[0].ClientID)+" @ "+words.Printable(words.Host(p.Owners[0].Host)), max(4, most-len(end))) + end
}
