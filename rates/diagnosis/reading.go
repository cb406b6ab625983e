package diagnosis

import "github.com/lagwatch/lagwatch/internal/snapshot"

// unreadable: the last poll could not read the group's positions, or nothing of who is
// in it, or no single partition. That one topic is refused is not that. Where nothing
// of the cluster could be read, the cluster's own state says so, and nothing of the group.
func (l *look) unreadable() proof {
	if l.g.Failed {
		return unknown
	}
	blind := len(l.g.Partitions) > 0 && l.sum.unread == len(l.g.Partitions)
	if l.g.CommitsRead && (l.g.MembersRead || l.g.State != snapshot.StateUnknown) && !blind {
		return clear
	}
	return holds(func(w *telling) {
		what := "its partitions"
		switch {
		case !w.g.CommitsRead && !w.g.MembersRead:
			what = "the group"
		case !w.g.CommitsRead:
			what = "its committed positions"
		case !blind:
			what = "its members and state"
		}
		w.say("lagwatch could not read %s, so why it lags is not known%s", what, because(w.g.Problem))
		if blind {
			w.evidence("partitions_not_read", float64(w.sum.unread), inPartitions)
		}
		if n := len(w.g.Partitions); n > 0 { // else it is not known how many there are
			w.evidence("partitions", float64(n), inPartitions)
		}
		w.partitions(func(_ int, p *Partition) bool { return p.Position == Unread }, age)
		w.do("see whether Kafka's own tool can read it", w.describeState())
		w.do("read it from elsewhere, with its errors shown", w.readElsewhere())
	})
}

func because(problem string) string {
	if problem == "" {
		return ""
	}
	return ": " + plain(problem)
}

// dataLost: within the window retention removed records that the group had not read.
func (l *look) dataLost() proof {
	if l.m.events == nil || len(l.m.events.lost) == 0 {
		return l.unlessBlind(clear)
	}
	e := total(l.m.events.lost)
	return holds(func(w *telling) {
		// Where a log begins is not read at each poll, and who goes past what is gone in
		// between is not seen to.
		w.say("retention removed at least %s before the group read them, %s, the last %s%s", offsets(e.offsets), e.where(), lately(w.ago(e.at)), w.nobodyReads())
		w.evidence("lost", float64(e.offsets), inOffsets)
		w.evidence("lost_ago", w.ago(e.at), inSeconds)
		w.evidence("window", w.t.Window.Seconds(), inSeconds)
		w.partitions(l.lost, func(p *Partition) float64 { return float64(p.Lost) })
		if len(w.Partitions) == 0 {
			w.Partitions = []TopicPartition{e.worst}
		}
		w.comeBack()
		w.do("see how long the topic keeps records, and keep them for longer", w.describeTopic(e.worst.Topic))
		w.explain()
	})
}

// lost tells whether records were lost on a partition that somebody means to read: not what
// was left as a tail, which nobody could.
func (l *look) lost(_ int, p *Partition) bool {
	return p.Lost > 0 && l.dropped(p) != Holds && !l.remnant(p, p.Lost)
}

// nobodyReads says that nobody reads, where that is so.
func (w *telling) nobodyReads() string {
	if !w.vacated() {
		return ""
	}
	return "; the group has no member"
}

// comeBack is the first step where nobody reads: no retention is long enough then.
func (w *telling) comeBack() {
	if w.vacated() {
		w.do("start its consumers; that it has none shows", w.describeMembers())
	}
}

// dataAtRisk: the group is behind, and retention is about to remove what it has not
// read: soon, and sooner than it has been waiting already. So a topic that keeps records
// for half an hour is not at risk while its group keeps up.
func (l *look) dataAtRisk() proof {
	if !l.readable() {
		return unknown
	}
	n, verdict := 0, clear
	for i := range l.standings {
		switch l.atRisk(&l.g.Partitions[i]) {
		case Holds:
			n++
		case Unknown:
			verdict = unknown
		}
	}
	if n == 0 {
		return verdict
	}
	return holds(func(w *telling) {
		p := w.partitions(func(_ int, p *Partition) bool { return w.atRisk(p) == Holds },
			func(p *Partition) float64 { return -orZero(p.Headroom.Get()) })
		left := orZero(p.Headroom.Get())
		w.say("retention may remove unread records of %s in %s: the oldest has been waiting %s%s",
			w.first(), span(left), l.waited(func(_ int, o *Partition) bool { return o == p }), w.nobodyReads())
		w.evidence("headroom", left, inSeconds)
		w.lagAge(age(p))
		w.evidence("partitions_at_risk", float64(n), inPartitions)
		w.comeBack()
		w.do("see how long the topic keeps records, and keep them for longer until the group has caught up", w.describeTopic(w.first().Topic))
		w.explain()
	})
}

// atRisk tells whether retention is about to remove a partition's unread records: unknown
// where neither that is known nor that nothing deletes them.
func (l *look) atRisk(p *Partition) Verdict {
	left, known := p.Headroom.Get()
	waited, aged := p.Estimate.LagAge.Get()
	dropped := l.dropped(p)
	switch {
	case !p.restless() || dropped == Holds || l.topic(p).Unlimited || l.tail(p):
		return Clear
	case aged && waited < l.t.Behind.Seconds() || known && left >= l.t.AtRisk.Seconds() || known && aged && left >= waited:
		return Clear
	case !known || !aged:
		return Unknown
	case dropped == Unknown:
		return Unknown
	}
	return Holds
}

// unlessBlind is what holds if the group's positions could be read.
func (l *look) unlessBlind(p proof) proof {
	if !l.readable() {
		return unknown
	}
	return p
}

// ago is how many seconds ago something was.
func (l *look) ago(at snapshot.Instant) float64 { return max(0, l.g.Now.Sub(at).Seconds()) }
