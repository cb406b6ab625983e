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
	case l.g.Expected && l.hadMembers() && l.sum.waiting == 0 && l.sum.available == 0 && l.emptyFor().Seconds() >= l.unusual() && l.silentFor(l.unusual()):
		return holds(l.tellNoConsumers)
	}
	verdict := clear
	for i := range l.g.Partitions {
		switch v := l.deserted(&l.g.Partitions[i]); {
		case v == Holds && l.emptyFor().Seconds() >= l.absence():
			return holds(l.tellNoConsumers)
		case v == Unknown:
			verdict = unknown
		}
	}
	return verdict
}

// deserted tells whether nothing was committed on a partition of a group without
// members for longer than it, or such a group, usually leaves between commits, and for
// longer than such a group may be without members. A job that never had members commits
// all partitions at once, and what a sparse one of them shows is the end of that pause only.
func (l *look) deserted(p *Partition) Verdict {
	if !p.unread() {
		return Clear
	}
	waiting, ok := p.Estimate.Waiting.Get()
	usual, known := p.Estimate.Usual.Get()
	if !known || !l.hadMembers() {
		usual, known = l.sum.usual, l.sum.usual > 0
	}
	limit := l.absence()
	switch {
	case known:
		limit = max(limit, l.patience(usual))
	case l.hadMembers():
		limit = l.unusual()
	default:
		limit = max(limit, l.t.Silence.Seconds(), 12*l.g.Interval.Seconds())
	}
	switch {
	case !ok || !known && !l.hadMembers() && waiting <= limit:
		return Unknown
	case waiting > limit && l.silentFor(limit):
		return Holds
	}
	return Clear
}

// absence is for how many seconds nobody may be a member: one whose members come for
// each run of a batch, and leave, is not in trouble between two runs.
func (l *look) absence() float64 {
	return max(l.t.Gone.Seconds(), l.t.Pause*l.m.past.away())
}

// unusual is the same of a group of which no usual pause is known.
func (l *look) unusual() float64 { return max(l.absence(), 3*l.g.Interval.Seconds()) }

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
	waits := func(_ int, p *Partition) bool { return p.unread() }
	lag, waited, n := l.backlog(waits)
	w.partitions(waits, age)
	if n == 0 {
		w.say("the group, which is expected, has had no member for %s; nothing waits for it yet", span(l.emptyFor().Seconds()))
	} else {
		w.say("the group has no member, and %s %s on %s, the oldest %s", offsets(lag), verb(int(min(lag, 2)), "waits", "wait"), countPartitions(n), l.waited(waits))
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

// waited says for how long the oldest unread record of some partitions has waited. One of
// which that is not known may be older than the others.
func (l *look) waited(matters func(i int, p *Partition) bool) string {
	_, oldest, n := l.backlog(matters)
	_, _, known := l.backlog(func(i int, p *Partition) bool { return matters(i, p) && age(p) > 0 })
	switch {
	case known == 0:
		return "for a time that is not known"
	case known < n:
		return "for " + span(max(1, oldest)) + " at least"
	case oldest < 1:
		return "for less than a second"
	}
	return "for " + span(oldest)
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
		w.say("%s with %s to read %s to none of the %s, %s has been waiting %s",
			countPartitions(n), offsets(lag), verb(n, "belongs", "belong"), countMembers(len(l.members)), w.first(), l.waited(l.unowned))
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
	return l.dropped(p) != Holds
}

// dropped tells whether a partition is of a topic to which no member subscribes any more,
// and on which nothing was committed of late: nobody means to read it. A rebalance hides
// who subscribes; then it is unknown of what was not committed while the rest was.
func (l *look) dropped(p *Partition) Verdict {
	since, seen := p.Estimate.CommitAge.Get()
	subscribed, known := l.topic(p).Subscribed.Get()
	switch abandoned := l.t.Abandoned.Seconds(); {
	case len(l.members) == 0 || seen && since < abandoned || known && subscribed:
		return Clear
	case known:
		return Holds
	case l.g.Assigned || l.silentFor(abandoned):
		return Clear
	}
	return Unknown
}

// vacated tells whether nobody is there any more: a group without members, in which
// nothing is committed either.
func (l *look) vacated() bool {
	return l.known && len(l.members) == 0 && !l.unstable() && l.silentFor(l.absence())
}

// topic is that of a partition.
func (l *look) topic(p *Partition) *Topic {
	if i := int(p.Topic); i >= 0 && i < len(l.g.Topics) {
		return &l.g.Topics[i]
	}
	return &Topic{}
}
