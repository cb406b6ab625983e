package diagnosis

import (
	"math"
	"slices"
)

// Why the group falls behind on partitions of which it does commit. At most one of
// these holds, and none where all that is behind catches up. Partitions that have
// stopped play no part: they have a reason of their own.

func (l *look) hotPartition() proof  { return l.falling().of(HotPartition) }
func (l *look) slowMember() proof    { return l.falling().of(SlowMember) }
func (l *look) underCapacity() proof { return l.falling().of(UnderCapacity) }

// slowDependency cannot be told where nothing is known of what was before.
func (l *look) slowDependency() proof {
	r := l.falling()
	if r.condition == UnderCapacity && r.proof.verdict == Holds && !l.paces().all.remembered() {
		return unknown
	}
	return r.of(SlowDependency)
}

func (l *look) falling() *reason {
	if l.slack == nil {
		l.slack = l.whyFalling()
	}
	return l.slack
}

func (l *look) whyFalling() *reason {
	switch {
	case !l.readable():
		return untold
	case l.standings == nil:
		return nothing
	}
	all := l.paces().all
	switch {
	case all.standings[falling] == 0 && all.standings[undecided] > 0:
		return untold
	case all.standings[falling] == 0 && all.standings[shrinking] > 0 && all.standings[soon] == 0:
		return &reason{CatchingUp, holds(l.tellCatchingUp)}
	case all.standings[falling] == 0:
		return nothing
	case !l.known || len(l.members) == 0 && !l.alone() || len(l.members) > 0 && (!l.g.Assigned || l.unstable()) || all.standings[undecided] > all.standings[falling]:
		return untold
	}
	return l.whySlow()
}

// whySlow asks for the reasons one after the other: uneven keys show in arrivals, a slow
// member beside others, a slow dependency against what was before.
func (l *look) whySlow() *reason {
	if hot := l.hot(); len(hot) > 0 {
		return &reason{HotPartition, holds(func(w *telling) { l.tellHot(w, hot) })}
	}
	if !l.paces().all.remembered() && l.watched() < l.t.Settle {
		return untold // others may yet be seen to fall behind
	}
	// A group that just came back may begin with some partitions and let the others
	// wait; after a burst it takes a moment until rates tell that it is over.
	if all := l.paces().all; all.out > (1+l.t.Grown)*all.in || l.dealt() {
		return untold
	}
	if slow := l.slowMembers(); len(slow) > 0 {
		return &reason{SlowMember, holds(func(w *telling) { l.tellSlowMember(w, slow) })}
	}
	if l.slowerThanBefore() {
		return &reason{SlowDependency, holds(l.tellSlowDependency)}
	}
	return &reason{UnderCapacity, holds(l.tellUnderCapacity)}
}

// dealt tells whether owners changed so short a time ago that rates are of the time before,
// and of that in which nobody committed: what falls behind has hardly committed twice since.
func (l *look) dealt() bool {
	if l.m.past.settled == 0 || len(l.members) == 0 {
		return false
	}
	usual := 0.0
	for i := range l.g.Partitions {
		if l.standings[i] == falling {
			usual = max(usual, l.habit(&l.g.Partitions[i]))
		}
	}
	return l.ago(l.m.past.settled) <= l.patience(2*usual)
}

func (l *look) isFalling(i int, _ *Partition) bool { return l.standings[i] == falling }

// hot are the partitions that fall behind and take far more than the others of their
// topic: by index. None where the group falls behind elsewhere too, other than on
// partitions of the same owners, or where the same was as uneven and was no trouble.
func (l *look) hot() (list []int) {
	if !slices.Contains(l.standings, falling) {
		return nil
	}
	medians := l.medians()
	owners := make([]bool, len(l.members))
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		in := orZero(p.Arrival.Get())
		if l.standings[i] != falling || in == 0 || in < l.t.Hot*medians[l.topicIndex(p)] || l.fell(p) {
			continue
		}
		list = append(list, i)
		if l.member(p) != nil {
			owners[p.Owner] = true
		}
	}
	if len(list) == 0 || l.elsewhere(list, owners) {
		return nil
	}
	return list
}

// elsewhere tells whether the group falls behind not only on some partitions and on
// those of some members: on a third of the other members, or of the other partitions
// where nobody is known to own them.
func (l *look) elsewhere(list []int, owners []bool) bool {
	others, slow := 0, 0
	for m, p := range l.paces().members {
		if p.partitions > 0 && !owners[m] {
			others++
			if l.slow(&p) {
				slow++
			}
		}
	}
	if len(l.members) == 0 || l.shared() {
		all := l.paces().all
		others, slow = all.partitions-len(list), all.standings[falling]+all.standings[soon]-len(list)
	}
	return 3*slow > others
}

// fell tells whether less is drained of a partition than before, though not more
// arrives: its owner could, and cannot any more.
func (l *look) fell(p *Partition) bool {
	var c comparison
	c.add(p)
	return c.known && l.same(c) && l.less(c, 1)
}

// same tells whether arrivals have not grown.
func (l *look) same(c comparison) bool { return c.in <= (1+l.t.Grown)*c.wasIn }

// less tells whether less is drained than a part of what was.
func (l *look) less(c comparison, part float64) bool { return c.out < (1-l.t.Slower)*part*c.wasOut }

// slowMembers are those that fall behind because they do less, by index: if they are few,
// and the others keep up or have hardly begun to fall behind.
func (l *look) slowMembers() (list []int) {
	paces := l.paces().members
	working, most, others := 0, 0.0, 0.0 // how overdue these are and others
	usual := l.usualDrain()
	for m := range paces {
		p := &paces[m]
		if p.partitions > 0 {
			working++
		}
		switch {
		case !l.slow(p):
		case l.doesLess(p, usual):
			list, most = append(list, m), max(most, p.overdue)
		default:
			others = max(others, p.overdue)
		}
	}
	few := len(list) == 1 || 3*len(list) < working
	if working < 2 || !few || most < 2*others {
		return nil
	}
	return list
}

// usualDrain is what a member drains that does not fall behind, the median; 0 if there is
// none.
func (l *look) usualDrain() float64 {
	var list []float64
	for i := range l.paces().members {
		if p := &l.paces().members[i]; p.partitions > 0 && !l.slow(p) {
			list = append(list, p.out)
		}
	}
	return median(list)
}

// doesLess tells whether a member that falls behind does less than it did; or where that
// is not known, than others do. One that does what it did is no slow one, however little
// that is: it has more to do. So has one with more partitions than its share, and so have
// all once many have left.
func (l *look) doesLess(p *pace, usual float64) bool {
	if !p.remembered() {
		return p.out < usual
	}
	all, working := l.paces().all.partitions, l.working()
	return l.slowed(p) && p.partitions*working < all+working && l.remaining() >= 1-l.t.Grown
}

// slowed tells whether a member drains less of its partitions than was drained of them
// before, though not more arrives. Where members have left, each of the others cannot do
// more than its part of that.
func (l *look) slowed(p *pace) bool { return l.same(p.was) && l.less(p.was, l.remaining()) }

// slowerThanBefore tells whether that is so of the whole group, and of most of its
// members, and is more of the trouble than what arrivals have grown by. Members that
// have left are no slowness: of what was drained, those that are left did a part.
func (l *look) slowerThanBefore() bool {
	all, part := l.paces().all, l.remaining()
	if !all.remembered() || !l.same(all.was) || !l.less(all.was, part) {
		return false
	}
	if fallen, grown := part*all.was.wasOut-all.was.out, all.was.in-all.was.wasIn; fallen <= grown {
		return false
	}
	slowed, working := l.slowedMembers()
	return 2*slowed > working || working == 0
}

// slowedMembers is how many members drain less than before, of those that work. It
// takes half of what it takes for the whole group: who is slowed least is slowed too.
func (l *look) slowedMembers() (slowed, working int) {
	for i := range l.paces().members {
		if p := &l.paces().members[i]; p.partitions > 0 {
			working++
			if p.was.known && l.less(p.was, l.remaining()) {
				slowed++
			}
		}
	}
	return slowed, working
}

// remaining is which part of the members is left that kept up.
func (l *look) remaining() float64 {
	if before := float64(l.m.past.members); before > 0 && len(l.members) > 0 {
		return math.Min(1, float64(l.working())/before)
	}
	return 1
}
