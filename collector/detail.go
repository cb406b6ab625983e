package collector

import (
	"math/bits"
	"strings"
)

// Detail is how far down the series of a group go.
type Detail uint8

// The details of a group. Each has all of the one before.
const (
	DetailGroup     Detail = iota + 1 // the group as a whole
	DetailTopic                       // and each topic that it reads
	DetailPartition                   // and each partition
)

var details = [...]string{"unknown", "group", "topic", "partition"}

func (d Detail) String() string { return details[d] }

// ParseDetail reads what String writes; false if it is none of these.
func ParseDetail(s string) (Detail, bool) {
	for d := DetailGroup; d <= DetailPartition; d++ {
		if d.String() == s {
			return d, true
		}
	}
	return 0, false
}

// families is a set of metrics, by their number in the table.
type families [2]uint64

func (f families) has(m *Metric) bool { return f[m.number/64]>>(m.number%64)&1 == 1 }

func (f *families) add(m *Metric) { f[m.number/64] |= 1 << (m.number % 64) }

// number is how many rows of some kind are in the set.
func (f families) number(of families) (n int) {
	for i := range f {
		n += bits.OnesCount64(f[i] & of[i])
	}
	return n
}

// shown is what the config wants to see of a group.
type shown struct {
	detail   Detail
	families families
	most     most
}

func shownOf(detail Detail, f families) shown {
	return shown{detail, f, mostOf(f)}
}

// publish tells whether a family is published, by its name without the prefix;
// group is "" for what is not of a group.
type publish func(group, family string, byDefault bool) bool

// familiesOf are those of a group, or those that are of none. What is always
// there is not asked for.
func (p publish) familiesOf(group string, ofGroups bool) (f families) {
	for _, m := range rows {
		if (m.Detail > 0) == ofGroups && (m.Always || p(group, strings.TrimPrefix(m.Name, Prefix), !m.Optional)) {
			f.add(m)
		}
	}
	return f
}

// shows tells whether a metric of groups is published of this one.
func (g *Group) shows(m *Metric) bool { return m.Detail <= g.Detail && g.shown.families.has(m) }
