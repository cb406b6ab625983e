package diagnosis

import "math"

// Why nothing is committed on some partitions: everywhere a dependency is down, on all
// partitions of some member that process hangs, on one whose owner advances others a
// record cannot be processed. At most one of the three holds.

func (l *look) stalledGroup() proof     { return l.stalled().of(StalledGroup) }
func (l *look) stalledMember() proof    { return l.stalled().of(StalledMember) }
func (l *look) stalledPartition() proof { return l.stalled().of(StalledPartition) }

// stalled is which of the three holds. While owners change, nobody can commit.
func (l *look) stalled() *reason {
	if l.stall == nil {
		l.stall = l.whyStalled()
	}
	return l.stall
}

func (l *look) whyStalled() *reason {
	switch {
	case !l.readable() || !l.known:
		return untold
	case l.standings == nil:
		return nothing
	case len(l.members) == 0:
		return l.stalledAlone()
	case l.unstable():
		return untold
	}
	all := l.stops(func(p *Partition) bool { return p.Owner >= 0 || !l.g.Assigned })
	switch {
	case all.stopped == 0 && all.undecided > 0:
		return untold
	case all.stopped == 0:
		return nothing
	case all.advanced == 0 && all.open():
		return untold
	case all.advanced == 0 && (all.stopped > 1 || len(l.g.Partitions) == 1):
		return &reason{StalledGroup, holds(func(w *telling) { l.tellStalledGroup(w, all) })}
	case !l.g.Assigned:
		return untold
	}
	return l.stalledSome(all)
}

// stalledSome is which of the two holds, where somebody commits.
func (l *look) stalledSome(all stops) *reason {
	var hanging []int
	undecided := false
	for m, s := range l.stopsOfMembers() {
		switch {
		case s.stopped == 0 || s.advanced > 0:
		case s.open():
			undecided = true
		case (s.stopped > 1 || l.members[m].Partitions == 1) && all.advanced > 0:
			hanging = append(hanging, m)
		}
	}
	switch {
	case len(hanging) > 0:
		return &reason{StalledMember, holds(func(w *telling) { l.tellStalledMember(w, hanging) })}
	case undecided:
		return untold
	}
	return &reason{StalledPartition, holds(func(w *telling) { l.tellStalledPartition(w, all) })}
}

// stops is what was committed on some partitions since others stopped.
type stops struct {
	stopped   int // partitions
	advanced  int // on which something was committed since the last of these stopped
	undecided int // with something to commit, on which neither is so
	// shortest and longest are for how many seconds the last that stopped has been silent,
	// and the first; latest is how long ago anything was committed on any of them.
	shortest, longest, latest float64
}

// silent is for how many seconds nothing was committed, though there was something to
// commit.
func (s *stops) silent() float64 { return min(s.longest, s.latest) }

// open tells whether more must be seen: one that stopped is a record that cannot be
// processed if anything else is committed, and something is there to be. Where several
// have stopped, what has become unread since tells nothing new: on sparse topics there is
// always something.
func (s *stops) open() bool { return s.stopped == 1 && s.undecided > 0 }

// stops counts those partitions for which of returns true.
func (l *look) stops(of func(p *Partition) bool) stops {
	s := noStops()
	l.each(of, func(i int, p *Partition) { s.stop(l.standings[i], p) })
	l.each(of, func(i int, p *Partition) { s.count(l.standings[i], p, l.waits(p), 1.5*l.g.Interval.Seconds()) })
	return s
}

func noStops() stops { return stops{shortest: math.Inf(1), latest: math.Inf(1)} }

// stopsOfMembers counts those of each member.
func (l *look) stopsOfMembers() []stops {
	list := zeros(&l.room.stops, len(l.members))
	for m := range list {
		list[m] = noStops()
	}
	owned := func(p *Partition) bool { return l.member(p) != nil }
	l.each(owned, func(i int, p *Partition) { list[p.Owner].stop(l.standings[i], p) })
	l.each(owned, func(i int, p *Partition) {
		list[p.Owner].count(l.standings[i], p, l.waits(p), 1.5*l.g.Interval.Seconds())
	})
	return list
}

// waits tells whether there is something to commit.
func (l *look) waits(p *Partition) bool { return p.unread() && !l.tail(p) }

func (l *look) each(of func(p *Partition) bool, do func(i int, p *Partition)) {
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; of(p) {
			do(i, p)
		}
	}
}

// stop takes in a partition, which may have stopped.
func (s *stops) stop(is standing, p *Partition) {
	if ago, ok := p.Estimate.CommitAge.Get(); ok {
		s.latest = min(s.latest, ago)
	}
	if is == stopped {
		s.stopped++
		waiting := orZero(p.Estimate.Waiting.Get())
		s.shortest, s.longest = min(s.shortest, waiting), max(s.longest, waiting)
	}
}

// count takes in one that has not: what was committed after the others stopped, by more
// than polls can tell, is an advance. waits says that something is there to be committed.
func (s *stops) count(is standing, p *Partition, waits bool, margin float64) {
	switch ago, ok := p.Estimate.CommitAge.Get(); {
	case is == stopped:
	case ok && ago+margin < s.shortest:
		s.advanced++
	case waits:
		s.undecided++
	}
}
