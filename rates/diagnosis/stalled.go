package diagnosis

import (
	"math"
	"slices"
)

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
	case len(l.members) == 0 || l.standings == nil:
		return nothing
	case l.unstable():
		return untold
	}
	all := l.stops(func(p *Partition) bool { return p.Owner >= 0 || !l.g.Assigned })
	switch {
	case all.stopped == 0 && all.undecided > 0:
		return untold
	case all.stopped == 0:
		return nothing
	case all.advanced == 0 && all.undecided > 0:
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
		case s.undecided > 0:
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
	return &reason{StalledPartition, holds(func(w *telling) { l.tellStalledPartition(w) })}
}

// stops is what was committed on some partitions since others stopped.
type stops struct {
	stopped   int // partitions
	advanced  int // on which something was committed since the last of these stopped
	undecided int // with something to commit, of which neither is known
	// shortest is for how many seconds the last that stopped has been silent.
	shortest float64
}

// stops counts those partitions for which of returns true.
func (l *look) stops(of func(p *Partition) bool) stops {
	s := stops{shortest: math.Inf(1)}
	l.each(of, func(i int, p *Partition) { s.stop(l.standings[i], p) })
	l.each(of, func(i int, p *Partition) { s.count(l.standings[i], p, 1.5*l.g.Interval.Seconds()) })
	return s
}

// stopsOfMembers counts those of each member.
func (l *look) stopsOfMembers() []stops {
	list := make([]stops, len(l.members))
	for m := range list {
		list[m].shortest = math.Inf(1)
	}
	owned := func(p *Partition) bool { return l.member(p) != nil }
	l.each(owned, func(i int, p *Partition) { list[p.Owner].stop(l.standings[i], p) })
	l.each(owned, func(i int, p *Partition) { list[p.Owner].count(l.standings[i], p, 1.5*l.g.Interval.Seconds()) })
	return list
}

func (l *look) each(of func(p *Partition) bool, do func(i int, p *Partition)) {
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; of(p) {
			do(i, p)
		}
	}
}

// stop takes in a partition that stopped.
func (s *stops) stop(is standing, p *Partition) {
	if is == stopped {
		s.stopped++
		s.shortest = min(s.shortest, orZero(p.Estimate.Waiting.Get()))
	}
}

// count takes in one that has not: what was committed after the others stopped, by more
// than polls can tell, is an advance.
func (s *stops) count(is standing, p *Partition, margin float64) {
	switch ago, ok := p.Estimate.CommitAge.Get(); {
	case is == stopped:
	case ok && ago+margin < s.shortest:
		s.advanced++
	case p.unread():
		s.undecided++
	}
}

func (l *look) isStopped(i int, p *Partition) bool {
	return l.standings != nil && l.standings[i] == stopped && (p.Owner >= 0 || !l.g.Assigned)
}

func (l *look) tellStalledGroup(w *telling, s stops) {
	lag, waited, n := l.backlog(l.isStopped)
	w.partitions(l.isStopped, age)
	where := w.first().String()
	if n > 1 {
		where = "any of the " + countPartitions(n) + " with unread records"
	}
	w.say("nothing has been committed on %s for %s, though %s: what all of them need is down, or all hang",
		where, span(s.shortest), are(len(l.members)))
	l.proveStall(w, lag, waited, n, s.shortest)
	w.evidence("members", float64(len(l.members)), inMembers)
	w.do("look at what all members write to or call, and in one member's log", w.describeMembers())
	w.explain()
}

func are(members int) string {
	if members == 1 {
		return "1 member is there"
	}
	return countMembers(members) + " are there"
}

func (l *look) tellStalledMember(w *telling, hanging []int) {
	of := func(i int, p *Partition) bool { return l.isStopped(i, p) && slices.Contains(hanging, int(p.Owner)) }
	lag, waited, n := l.backlog(of)
	silent := l.stops(func(p *Partition) bool { return slices.Contains(hanging, int(p.Owner)) }).shortest
	w.partitions(of, age)
	w.concerns(func(m int) bool { return slices.Contains(hanging, m) })
	who := l.calledFirst(w)
	if len(hanging) > 1 {
		who += " and " + whole(int64(len(hanging)-1)) + " more"
	}
	w.say("%s has committed nothing on its %s with unread records for %s, while other members commit: it hangs",
		who, countPartitions(n), span(silent))
	l.proveStall(w, lag, waited, n, silent)
	w.evidence("members_stalled", float64(len(hanging)), inMembers)
	w.evidence("members", float64(len(l.members)), inMembers)
	w.do("take a stack dump of that member and restart it; its host is shown by", w.describeMembers())
	w.explain()
}

func (l *look) tellStalledPartition(w *telling) {
	lag, waited, n := l.backlog(l.isStopped)
	silent := l.stops(func(p *Partition) bool { return p.Owner >= 0 }).shortest
	w.partitions(l.isStopped, age)
	at := w.first()
	owners := l.owners(l.isStopped)
	w.concerns(func(m int) bool { return slices.Contains(owners, m) })
	more := ""
	if n > 1 {
		more = " and on " + countPartitions(n-1) + " more"
	}
	if l.advances(owners) {
		w.say("nothing has been committed on %s%s for %s, while the owner goes on with other partitions: a record that cannot be processed", at, more, span(silent))
	} else {
		w.say("nothing has been committed on %s%s for %s; its owner has nothing to read elsewhere that would show whether it works", at, more, span(silent))
	}
	l.proveStall(w, lag, waited, n, silent)
	w.do("look for "+at.String()+" in the owner's log; the position at which it stands is shown by", w.describe())
	if !l.share() {
		w.do("to skip one record, stop the group; this shows what would be set, and does it with --execute in place of --dry-run",
			w.reset(option("--topic", at.Topic+":"+whole(int64(at.Partition))), "--shift-by 1"))
	}
	w.explain()
}

// owners are those of the partitions for which matters returns true.
func (l *look) owners(matters func(i int, p *Partition) bool) (list []int) {
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; matters(i, p) && l.member(p) != nil && !slices.Contains(list, int(p.Owner)) {
			list = append(list, int(p.Owner))
		}
	}
	return list
}

// advances tells whether these members commit on other partitions.
func (l *look) advances(owners []int) bool {
	return l.stops(func(p *Partition) bool { return slices.Contains(owners, int(p.Owner)) }).advanced > 0
}

func (l *look) proveStall(w *telling, lag int64, waited float64, n int, silent float64) {
	w.evidence("silent", silent, inSeconds)
	w.evidence("lag", float64(lag), inOffsets)
	w.evidence("lag_age", waited, inSeconds)
	w.evidence("partitions_stalled", float64(n), inPartitions)
	w.evidence("partitions", float64(len(l.g.Partitions)), inPartitions)
}

// member is the owner of a partition, nil if there is none.
func (l *look) member(p *Partition) *Member {
	if p.Owner >= 0 && int(p.Owner) < len(l.members) {
		return &l.members[p.Owner]
	}
	return nil
}

// calledFirst is how the first member is called that a finding concerns.
func (l *look) calledFirst(w *telling) string {
	for i := range l.members {
		if len(w.Members) > 0 && l.members[i].ID == w.Members[0] {
			return l.members[i].called()
		}
	}
	return "a member"
}
