package diagnosis

import "slices"

// pace is what some partitions, the group's or a member's, take and drain.
type pace struct {
	partitions int
	// How many of them stand so.
	standings [stopped + 1]int
	in, out   float64 // offsets per second, of those of which it is known
	lag       int64   // offsets
	// busiest and largest are the most that arrives and that is unread on one.
	busiest float64
	largest int64
	// overdue is the most of those that do not catch up; see [look.overdue].
	overdue float64
	was     comparison
}

// comparison is what arrives and is drained beside what did while nothing was behind, in
// offsets per second, of the partitions of which all of it is known.
type comparison struct {
	in, wasIn, out, wasOut float64
	known                  bool
}

func (c *comparison) add(p *Partition) {
	in, ok1 := p.Arrival.Get()
	out, ok2 := p.Estimate.Drain.Get()
	wasIn, ok3 := p.Before.Arrival.Get()
	wasOut, ok4 := p.Before.Drain.Get()
	if ok1 && ok2 && ok3 && ok4 {
		*c = comparison{c.in + in, c.wasIn + wasIn, c.out + out, c.wasOut + wasOut, true}
	}
}

// add takes in a partition on which the group has a position, by its index.
func (a *pace) add(l *look, i int) {
	p, is := &l.g.Partitions[i], l.standings[i]
	a.partitions++
	a.standings[is]++
	if is == stopped {
		return
	}
	in, out := orZero(p.Arrival.Get()), orZero(p.Estimate.Drain.Get())
	lag := p.Lag.Or(0)
	a.in, a.out, a.lag = a.in+in, a.out+out, a.lag+lag
	a.busiest, a.largest = max(a.busiest, in), max(a.largest, lag)
	a.was.add(p)
	if is == falling || is == soon {
		a.overdue = max(a.overdue, l.overdue(p))
	}
}

// slow tells whether some partitions, a member's, fall behind somewhere, or are about
// to: with noise, everybody does for a moment now and then, so that those that are not
// far behind yet count only where nobody is much farther.
func (l *look) slow(a *pace) bool {
	const near = 4
	return a.standings[falling] > 0 || a.standings[soon] > 0 && near*a.overdue > l.paces().all.overdue
}

// remembered tells whether what was before is known of half of what arrives at least.
func (a *pace) remembered() bool { return a.was.known && 2*a.was.in >= a.in }

// paces are those of the group and of each member.
type paces struct {
	all     pace
	members []pace
}

func (l *look) paces() *paces {
	if l.pacing != nil {
		return l.pacing
	}
	l.pacing = &l.room.pacing
	*l.pacing = paces{members: zeros(&l.pacing.members, len(l.members))}
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		if p.Position != Committed || l.nobodys(p) {
			continue
		}
		l.pacing.all.add(l, i)
		if l.member(p) != nil {
			l.pacing.members[p.Owner].add(l, i)
		}
	}
	return l.pacing
}

// medians are the median arrivals of each topic's partitions, the lower one of two: of
// two partitions the busier may be hot.
func (l *look) medians() []float64 {
	if l.middles != nil {
		return l.middles
	}
	l.middles = zeros(&l.room.middles, len(l.g.Topics)+1)
	of := zeros(&l.room.counts, len(l.middles))
	for i := range l.g.Partitions {
		of[l.topicIndex(&l.g.Partitions[i])]++
	}
	// Those of a topic have their place behind those of the topics before.
	all := zeros(&l.room.numbers, len(l.g.Partitions))
	list := zeros(&l.room.lists, len(of))
	for t, n := range of {
		list[t], all = all[:0:n], all[n:]
	}
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		if in, ok := p.Arrival.Get(); ok {
			list[l.topicIndex(p)] = append(list[l.topicIndex(p)], in)
		}
	}
	for i := range list {
		l.middles[i] = median(list[i])
	}
	return l.middles
}

// topicIndex is a partition's index into the topics, or one beyond.
func (l *look) topicIndex(p *Partition) int {
	if i := int(p.Topic); i >= 0 && i < len(l.g.Topics) {
		return i
	}
	return len(l.g.Topics)
}

// median is the middle one, the lower of two; 0 of none. It sorts the list.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
