package diagnosis

import "time"

// noConsumers: nobody is a member, and commits have stopped though there is something
// to read; or a group whose absence is a fault has lost its members.
func (l *look) noConsumers() proof {
	switch {
	case !l.known || !l.readable():
		return unknown
	case len(l.members) > 0 || l.unstable():
		return clear
	case l.g.Expected && l.hadMembers() && l.sum.waiting == 0 && l.emptyFor() >= l.gone() && l.silentFor(l.gone().Seconds()):
		return holds(l.tellNoConsumers)
	}
	verdict := clear
	for i := range l.g.Partitions {
		switch l.deserted(&l.g.Partitions[i]) {
		case Holds:
			return holds(l.tellNoConsumers)
		case Unknown:
			verdict = unknown
		}
	}
	return verdict
}

// deserted tells whether nothing was committed on a partition of a group without
// members for longer than it, or such a group, usually leaves between commits.
func (l *look) deserted(p *Partition) Verdict {
	if !p.unread() {
		return Clear
	}
	waiting, ok := p.Estimate.Waiting.Get()
	usual, known := p.Estimate.Usual.Get()
	if !known {
		usual, known = l.sum.usual, l.sum.usual > 0
	}
	limit := l.patience(usual)
	switch {
	case !known && l.hadMembers():
		limit = l.gone().Seconds()
	case !known:
		limit = max(l.t.Silence, 12*l.g.Interval).Seconds()
	}
	switch {
	case !ok || !known && !l.hadMembers() && waiting <= limit:
		return Unknown
	case waiting > limit && l.silentFor(limit):
		return Holds
	}
	return Clear
}

// gone is for how long a group that had members must be without one.
func (l *look) gone() time.Duration { return max(l.t.Gone, 3*l.g.Interval) }

// emptyFor is for how long nobody has been a member, as far as was watched.
func (l *look) emptyFor() time.Duration {
	if l.m.past.empty == 0 {
		return 0
	}
	return l.g.Now.Sub(l.m.past.empty)
}

// silentFor tells whether no position of the group has moved on for so many seconds.
func (l *look) silentFor(seconds float64) bool {
	return l.m.past.moved == 0 || l.ago(l.m.past.moved) > seconds
}

func (l *look) tellNoConsumers(w *telling) {
	lag, waited, n := l.backlog(func(_ int, p *Partition) bool { return p.unread() })
	w.partitions(func(_ int, p *Partition) bool { return p.unread() }, age)
	if n == 0 {
		w.say("the group, which is expected, has had no member for %s; nothing waits for it yet", span(l.emptyFor().Seconds()))
	} else {
		w.say("the group has no member, and %s %s on %s, the oldest for %s", offsets(lag), verb(int(min(lag, 2)), "waits", "wait"), countPartitions(n), span(waited))
	}
	w.evidence("members", 0, inMembers)
	w.evidence("lag", float64(lag), inOffsets)
	w.lagAge(waited)
	w.do("start its consumers; that it has none shows", w.describeMembers())
	w.explain()
}

// backlog is what those partitions add up to for which matters returns true: the sum of
// lags, the greatest age, and how many they are.
func (l *look) backlog(matters func(i int, p *Partition) bool) (lag int64, waited float64, n int) {
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; matters(i, p) {
			lag += p.Lag.Or(0)
			waited = max(waited, age(p))
			n++
		}
	}
	return lag, waited, n
}

// rebalancing: the group has been between two assignments for long, or was for much of
// the window, or so many partitions moved that it is no rolling restart: that is two
// rounds for each member.
func (l *look) rebalancing() proof {
	r := &l.g.Ownership
	if !r.Known {
		return unknown
	}
	n := max(len(l.g.Partitions), 1)
	rolling := r.Rounds <= 2*len(l.members)+2
	stormy := r.Moved >= max(l.t.Moved, int(l.t.MovedPerPartition*float64(n))) && !rolling
	// A poll that happens on a short rebalance counts it for a whole interval; and so may the
	// next, where polls are as far apart as restarts. If positions move on meanwhile, it
	// was another one.
	chance := 4
	if rolling && l.g.Interval > l.t.Unstable/2 {
		chance = max(chance, min(r.Rounds, 6))
	}
	const many = 6 // polls in a row are not by chance
	silent := l.silentFor(l.t.Unstable.Seconds())
	endless := r.Since >= l.t.Unstable && (silent || r.Since >= many*l.g.Interval)
	if !endless && r.Unstable < max(l.t.UnstableWindow, time.Duration(chance)*l.g.Interval) && !stormy {
		return clear
	}
	return holds(func(w *telling) {
		window := span(r.Window.Seconds())
		switch {
		case endless:
			w.say("the group has been rebalancing for %s without an end", span(r.Since.Seconds()))
			if silent {
				w.Sentence += "; meanwhile nobody commits"
			}
		case stormy:
			w.say("the group rebalances over and over: %s and %s moved in %s",
				count(int64(r.Rounds), "round", "rounds"), countPartitions(r.Moved), window)
		default:
			w.say("the group was rebalancing for %s of the last %s, in %s", span(r.Unstable.Seconds()), window, count(int64(r.Rounds), "round", "rounds"))
		}
		w.evidence("unstable_now", r.Since.Seconds(), inSeconds)
		w.evidence("unstable", r.Unstable.Seconds(), inSeconds)
		w.evidence("rounds", float64(r.Rounds), inRounds)
		w.evidence("moved", float64(r.Moved), inPartitions)
		w.evidence("window", r.Window.Seconds(), inSeconds)
		w.do("see who comes and goes; then look in their logs for max.poll.interval.ms, session timeouts and restarts", w.describeMembers())
		w.explain()
	})
}

// unownedPartitions: the group is stable, and yet partitions with unread records have no
// owner. A topic to which nobody subscribes any more counts until it is abandoned.
func (l *look) unownedPartitions() proof {
	switch {
	case l.share():
		return clear
	case !l.known || !l.readable():
		return unknown
	case len(l.members) == 0:
		return clear
	case !l.g.Assigned || l.unstable():
		return unknown
	}
	if l.sum.ownerless == 0 {
		return clear
	}
	lag, waited, n := l.backlog(l.unowned)
	if n == 0 {
		return clear
	}
	return holds(func(w *telling) {
		w.partitions(l.unowned, age)
		w.say("%s with %s to read %s to none of the %s, %s has been waiting for %s",
			countPartitions(n), offsets(lag), verb(n, "belongs", "belong"), countMembers(len(l.members)), w.first(), span(waited))
		w.evidence("unowned", float64(n), inPartitions)
		w.evidence("lag", float64(lag), inOffsets)
		w.lagAge(waited)
		w.evidence("members", float64(len(l.members)), inMembers)
		w.do("see who owns what; then compare what the members subscribe to, and their assignor", w.describeMembers())
		w.explain()
	})
}

func (l *look) unowned(_ int, p *Partition) bool {
	if p.Owner >= 0 || !p.unread() {
		return false
	}
	topic := l.topic(p)
	if subscribed, known := topic.Subscribed.Get(); !known || subscribed {
		return true
	}
	// Dropped of late: it was seen to commit, and not for long enough not to.
	since, seen := p.Estimate.CommitAge.Get()
	return seen && since < l.t.Abandoned.Seconds()
}

// topic is that of a partition.
func (l *look) topic(p *Partition) *Topic {
	if i := int(p.Topic); i >= 0 && i < len(l.g.Topics) {
		return &l.g.Topics[i]
	}
	return &Topic{}
}
