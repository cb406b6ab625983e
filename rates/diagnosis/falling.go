package diagnosis

import "math"

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
	case all.standings[falling] == 0 && all.standings[shrinking] > 0 && all.standings[soon]+all.standings[stopped] == 0:
		return &reason{CatchingUp, holds(l.tellCatchingUp)}
	case all.standings[falling] == 0:
		return nothing
	case !l.known || len(l.members) > 0 && (!l.g.Assigned || l.unstable()) || all.standings[undecided] > all.standings[falling]:
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
	if slow := l.slow(); len(slow) > 0 {
		return &reason{SlowMember, holds(func(w *telling) { l.tellSlowMember(w, slow) })}
	}
	if l.slowerThanBefore() {
		return &reason{SlowDependency, holds(l.tellSlowDependency)}
	}
	return &reason{UnderCapacity, holds(l.tellUnderCapacity)}
}

func (l *look) isFalling(i int, _ *Partition) bool { return l.standings[i] == falling }

// hot are the partitions that fall behind and take far more than the others of their
// topic: by index. None where the group falls behind elsewhere too, other than on
// partitions of the same owners, or where the same was as uneven and was no trouble.
func (l *look) hot() (list []int) {
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
// where nobody owns them.
func (l *look) elsewhere(list []int, owners []bool) bool {
	others, slow := 0, 0
	for m, p := range l.paces().members {
		if p.partitions > 0 && !owners[m] {
			others++
			if p.slow() {
				slow++
			}
		}
	}
	if len(l.members) == 0 {
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

// slow are the members that fall behind, by index, if they are few, the others keep up,
// and they do less than those or than they did.
func (l *look) slow() (list []int) {
	working, others := 0, []float64(nil)
	for m, p := range l.paces().members {
		switch {
		case p.partitions == 0:
			continue
		case p.slow():
			list = append(list, m)
		default:
			others = append(others, p.out)
		}
		working++
	}
	few := len(list) == 1 || 3*len(list) < working
	if len(others) == 0 || !few && 2*len(list) > working {
		return nil
	}
	usual, slower := median(others), 0
	for _, m := range list {
		p := l.paces().members[m]
		fell := l.slowed(&p) && p.partitions*working < l.paces().all.partitions+working
		if fell || few && p.out < usual {
			slower++
		}
	}
	if 2*slower <= len(list) {
		return nil
	}
	return list
}

// slowed tells whether a member drains less of its partitions than was drained of them
// before, though not more arrives.
func (l *look) slowed(p *pace) bool {
	return p.remembered() && l.same(p.was) && l.less(p.was, 1)
}

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

// slowedMembers is how many members drain less than before, of those that work.
func (l *look) slowedMembers() (slowed, working int) {
	for i := range l.paces().members {
		if p := &l.paces().members[i]; p.partitions > 0 {
			working++
			if p.was.known && l.less(p.was, 1) {
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
