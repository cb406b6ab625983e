package diagnosis

import "github.com/lagwatch/lagwatch/internal/snapshot"

// unreadable: the last poll could not read the group's positions, or nothing of who is
// in it, or no single partition. That one topic is refused is not that.
func (l *look) unreadable() proof {
	blind := len(l.g.Partitions) > 0 && l.sum.unread == len(l.g.Partitions)
	if l.g.CommitsRead && (l.g.MembersRead || l.g.State != snapshot.StateUnknown) && !blind {
		return clear
	}
	return holds(func(w *telling) {
		what := "its partitions"
		switch {
		case !w.g.CommitsRead:
			what = "its committed positions"
		case !blind:
			what = "its members and state"
		}
		w.say("lagwatch could not read %s, so why it lags is not known%s", what, because(w.g.Problem))
		if blind {
			w.evidence("unread", float64(w.sum.unread), inPartitions)
		}
		if w.g.CommitsRead || len(w.g.Partitions) > 0 {
			w.evidence("partitions", float64(len(w.g.Partitions)), inPartitions)
		}
		w.partitions(func(_ int, p *Partition) bool { return p.Position == Unread }, age)
		w.do("see whether Kafka's own tool can read it", w.describeState())
		w.do("read it from elsewhere, with its errors shown", "lagwatch explain --brokers "+quote(w.broker())+" "+w.argument())
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
		where := "on " + e.worst.String()
		if e.most < e.offsets {
			where = "most " + where + " with " + whole(e.most)
		}
		w.say("retention removed %s before the group read them, %s, the last %s", offsets(e.offsets), where, lately(w.ago(e.at)))
		w.evidence("lost", float64(e.offsets), inOffsets)
		w.evidence("lost_ago", w.ago(e.at), inSeconds)
		w.evidence("window", w.t.Window.Seconds(), inSeconds)
		w.partitions(func(_ int, p *Partition) bool { return p.Lost > 0 }, func(p *Partition) float64 { return float64(p.Lost) })
		if len(w.Partitions) == 0 {
			w.Partitions = []TopicPartition{e.worst}
		}
		w.do("see how long the topic keeps records, and keep them for longer", w.describeTopic(e.worst.Topic))
		w.explain()
	})
}

// dataAtRisk: the group is behind, and retention is about to remove what it has not
// read: soon, and sooner than it has been waiting already. So a topic that keeps records
// for half an hour is not at risk while its group keeps up.
func (l *look) dataAtRisk() proof {
	if !l.readable() {
		return unknown
	}
	n := 0
	for i := range l.standings {
		if _, risk := l.atRisk(&l.g.Partitions[i]); risk {
			n++
		}
	}
	if n == 0 {
		return clear
	}
	return holds(func(w *telling) {
		p := w.partitions(func(_ int, p *Partition) bool { _, risk := w.atRisk(p); return risk },
			func(p *Partition) float64 { return -orZero(p.Headroom.Get()) })
		left, _ := w.atRisk(p)
		w.say("retention may remove unread records of %s in %s: the oldest has been waiting for %s",
			w.first(), span(left), span(age(p)))
		w.evidence("headroom", left, inSeconds)
		w.evidence("lag_age", age(p), inSeconds)
		w.evidence("partitions_at_risk", float64(n), inPartitions)
		w.do("see how long the topic keeps records, and keep them for longer until the group has caught up", w.describeTopic(w.first().Topic))
		w.explain()
	})
}

// atRisk tells how many seconds are left of a partition whose unread records retention
// is about to remove.
func (l *look) atRisk(p *Partition) (left float64, ok bool) {
	left, ok = p.Headroom.Get()
	waited, known := p.Estimate.LagAge.Get()
	return left, ok && known && p.restless() && waited >= l.t.Behind.Seconds() && left < l.t.AtRisk.Seconds() && left < waited
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
