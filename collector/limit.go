package collector

import (
	"cmp"
	"slices"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// counter is a sink that counts samples.
type counter int

func (c *counter) Sample(*page.Labels, int32, *page.Labels, float64) { *c++ }

// seriesByDetail are how many series a group has down to each detail, itself
// included.
type seriesByDetail [DetailPartition + 1]int

func (g *Group) series() (n seriesByDetail) {
	for _, m := range rows {
		if m.Detail > 0 && m.Detail <= g.shown.detail && g.shown.families.has(m) {
			var c counter
			m.emitGroup(g, &series{to: &c})
			for d := m.Detail; d <= DetailPartition; d++ {
				n[d] += int(c)
			}
		}
	}
	return n
}

// limit decides in how much detail each group is shown: so that the view has at
// most most series, 0 for no limit, as far as less detail of groups can bring
// that about. before is the view before.
func (v *View) limit(before *View, most int) {
	v.series, v.lowered = 0, 0
	for i := range v.Groups {
		v.Groups[i].Detail = v.Groups[i].shown.detail
	}
	if most == 0 || v.mostSeries() <= most && before.lowered == 0 {
		return
	}
	var others counter
	for _, m := range rows {
		if m.Detail == 0 {
			m.emitView(v, &others)
		}
		m.emitMissing(v, &series{to: &others})
	}
	list := make([]candidate, len(v.Groups))
	for i := range v.Groups {
		g := &v.Groups[i]
		list[i] = candidate{series: g.series(), rank: g.rank, known: g.Lag.Known(), want: g.shown.detail, detail: g.shown.detail}
		if p := previous(before.Groups, g.ID, groupID); p != nil {
			list[i].before = p.Detail
		}
	}
	v.series = int(others) + lower(list, most-int(others))
	for i := range list {
		v.Groups[i].Detail = list[i].detail
		if list[i].detail < list[i].want {
			v.lowered++
		}
	}
}

// mostSeries is a number that the series of a view are not above. It costs next
// to nothing, where counting takes a good part of what the view does.
func (v *View) mostSeries() int {
	most := 0
	for _, m := range rows {
		if m.view != nil {
			most += m.upTo + len(v.Brokers) + len(v.Counters.Problems) + len(v.Counters.Requests)
		}
	}
	perTopic := v.families.number(topicRows)
	perPartition := v.families.number(partitionRows)
	for i := range v.Topics {
		most += perTopic + perPartition*len(v.Topics[i].Partitions)
	}
	for i := range v.Groups {
		most += v.Groups[i].mostSeries()
	}
	most += len(v.Missing) * int(diagnosis.Conditions)
	return most
}

func (g *Group) mostSeries() int {
	most := g.shown.most.group
	for i := range g.Topics {
		t := &g.Topics[i]
		most += g.shown.most.joined + g.shown.most.pair*len(t.Pairs)
		for j := range t.Pairs {
			most += max(0, len(g.Owners(&t.Pairs[j]))-1) // several in share groups
		}
	}
	return most
}

// most is how many series a group has at most of what it is published of it: as a
// whole, on a topic, on a partition.
type most struct{ group, joined, pair int }

func mostOf(f families) (n most) {
	for _, m := range rows {
		switch {
		case !f.has(m):
		case m.group != nil:
			n.group += m.upTo
		case m.joined != nil:
			n.joined += m.upTo
		case m.Detail == DetailPartition:
			n.pair += m.upTo
		}
	}
	return n
}

// The rows of things that have one sample each at most.
var (
	topicRows     = rowsThat(func(m *Metric) bool { return m.topic != nil })
	partitionRows = rowsThat(func(m *Metric) bool { return m.partition != nil || m.arrival != nil })
)

func rowsThat(is func(*Metric) bool) (f families) {
	for _, m := range rows {
		if is(m) {
			f.add(m)
		}
	}
	return f
}

// candidate is a group that may be shown in less detail.
type candidate struct {
	series seriesByDetail
	rank   int64  // as in Group
	known  bool   // whether its lag is
	before Detail // in the view before, 0 if it was not there
	want   Detail
	need   Detail // at most so much fits
	detail Detail // what is decided
}

// lowered tells whether it was, in the view before.
func (c *candidate) lowered() bool { return 0 < c.before && c.before < c.want }

// size is how many series it has, with the one that says that it was lowered.
func (c *candidate) size() int {
	if c.detail < c.want {
		return c.series[c.detail] + 1
	}
	return c.series[c.detail]
}

// spare lowers the detail if that spares series, and returns how many.
func (c *candidate) spare(detail Detail) int {
	less := *c
	less.detail = min(detail, c.detail)
	spared := c.size() - less.size()
	if spared <= 0 {
		return 0
	}
	*c = less
	return spared
}

// weight orders the groups: the first are lowered first. One that is shown in
// full must have less than half the rank of one that is not to change places
// with it, so that nothing flaps. An unknown lag may be any.
func (c *candidate) weight() float64 {
	switch {
	case !c.known:
		return float64(1 << 62)
	case c.lowered():
		return float64(c.rank)
	}
	return 2*float64(c.rank) + 0.5
}

// keep leaves a group as it was, if that fits, rather than take more from it to
// have room to spare. It returns how many series more that is.
func (c *candidate) keep() int {
	as, full := *c, *c
	as.detail, full.detail = max(c.detail, min(c.before, c.need)), c.need
	more := as.size() - c.size()
	if as.size() > full.size() {
		return 0
	}
	*c = as
	return more
}

// lower takes detail from the groups with the least rank until all have at most
// room series: first the partitions of as many as it takes, then their topics.
// It returns how many series there are then. A twentieth of the room is left
// free when it begins, and before a group is raised again; in between groups
// stay as they are, since a few series come and go in every poll.
func lower(list []candidate, room int) (total int) {
	held := false
	for i := range list {
		total += list[i].size()
		held = held || list[i].lowered()
	}
	if total <= room && !held {
		return total
	}
	order := make([]*candidate, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	slices.SortStableFunc(order, func(a, b *candidate) int { return cmp.Compare(a.weight(), b.weight()) })
	total = take(order, total, room)
	for _, c := range order {
		c.need = c.detail
	}
	total = take(order, total, room-room/20)
	if held {
		for _, c := range order {
			total += c.keep()
		}
	}
	return total
}

// take lowers groups, in order, until all together have at most room series, or
// as few as can be. It returns how many there are then.
func take(order []*candidate, total, room int) int {
	for _, detail := range []Detail{DetailTopic, DetailGroup} {
		for _, c := range order {
			if total <= room {
				return total
			}
			total -= c.spare(detail)
		}
	}
	return total
}
