package diagnosis

import "math"

// turn is what a member does on all of its partitions, for those that wait for their
// turn.
type turn struct {
	in, out float64 // offsets per second
	// latest is for how many seconds nothing was committed on that of its partitions on
	// which it is behind and commits, whether it catches up there or that is not known yet;
	// +Inf if there is none.
	latest float64
	// resumed says that on one of these a commit has only just ended a silence.
	resumed bool
}

// turns finds the partitions that only wait for their turn. A consumer that is behind
// works on one partition at a time: Kafka's client hands out all that it fetched of one,
// up to a mebibyte of it, before any of the next. Nothing is committed on the others for
// as long as that takes, and they have not stopped for that: they stand as their owner
// does in all. An owner that only cannot process a record keeps up on the others.
func (l *look) turns() {
	if l.sum.restless < 2 {
		return
	}
	var members []turn
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		if l.standings[i] != stopped || l.member(p) == nil {
			continue
		}
		if members == nil {
			members = l.turnsOfMembers()
		}
		waiting, ok := p.Estimate.Waiting.Get()
		if t := &members[p.Owner]; ok && t.latest+1.5*l.g.Interval.Seconds() < waiting {
			l.standings[i] = t.standing(l.old(p))
		}
	}
}

func (l *look) turnsOfMembers() []turn {
	list := zeros(&l.room.turns, len(l.members))
	for m := range list {
		list[m].latest = math.Inf(1)
	}
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		if l.member(p) == nil {
			continue
		}
		t := &list[p.Owner]
		t.in, t.out = t.in+orZero(p.Arrival.Get()), t.out+orZero(p.Estimate.Drain.Get())
		// With noise anybody is a bit behind now and then, who cannot process a record too.
		resumed := l.standings[i] == undecided && p.Estimate.Resumed
		old, _ := l.old(p)
		behind := resumed || l.standings[i] == falling || l.standings[i] == shrinking || l.standings[i] == undecided && old
		t.resumed = t.resumed || resumed
		if age, ok := p.Estimate.CommitAge.Get(); ok && behind {
			t.latest = min(t.latest, age)
		}
	}
	return list
}

// standing is that of a partition that waits for its turn.
func (t *turn) standing(old, aging bool) standing {
	switch more := t.in > t.out; {
	case more && old && t.resumed:
		return undecided
	case more && old:
		return falling
	case old:
		return shrinking
	case more && aging:
		return soon
	}
	return calm
}
