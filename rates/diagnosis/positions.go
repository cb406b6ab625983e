package diagnosis

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// commitsVanished: a group whose absence is a fault is absent, or has no commit though
// it had some. One of which none was seen is left to neverCommitted while somebody reads,
// and to noConsumers where there is nothing to read.
func (l *look) commitsVanished() proof {
	switch {
	case !l.g.Expected:
		return clear
	case l.g.Missing:
		return holds(tellMissing)
	case !l.readable():
		return unknown
	case l.sum.committed+l.sum.unread > 0:
		return clear
	case l.m.past.placed:
	case !l.known:
		return unknown
	case len(l.members) > 0 || !l.hadMembers() || l.sum.available == 0:
		return clear
	}
	return holds(tellVanished)
}

func tellMissing(w *telling) {
	w.say("the group is expected, and the cluster does not list it: it was deleted, or its commits expired while nobody was a member, or lagwatch may not see it")
	w.do("ask for it with an admin's credentials: Kafka lists no group to whom it does not allow DESCRIBE on it, or on the cluster", w.describe())
	w.do("if it is gone, decide where it shall begin before it is started: without commits auto.offset.reset decides", "")
}

func tellVanished(w *telling) {
	where := ""
	if n := len(w.g.Partitions); n > 0 {
		where = " on any of its " + countPartitions(n)
	}
	if w.m.past.placed {
		w.say("the group is expected, and it has no committed position any more%s: its commits expired or were deleted", where)
	} else {
		w.say("the group is expected, it has no member and no committed position%s; whether it ever had one was not seen", where)
	}
	w.evidence("members", float64(len(w.members)), inMembers)
	w.evidence("available", float64(w.sum.available), inOffsets)
	w.evidence("committed", float64(w.sum.committed), inPartitions)
	w.toRead()
	w.do("see what the cluster has of it", w.describe())
	w.beginning()
}

// toRead names the partitions on which nothing is committed though there is something to
// read.
func (w *telling) toRead() {
	w.partitions(func(_ int, p *Partition) bool { return p.Position == Uncommitted && p.Available.Or(0) > 0 },
		func(p *Partition) float64 { return float64(p.Available.Or(0)) })
}

// assignedFor is for how long members have owned partitions, as far as was watched.
func (l *look) assignedFor() time.Duration {
	if l.m.past.assigned == 0 {
		return 0
	}
	return l.g.Now.Sub(l.m.past.assigned)
}

// hadMembers tells whether anybody was a member once: only members give a group its
// protocol, and a group of these types its type.
func (l *look) hadMembers() bool {
	switch l.g.Type {
	case snapshot.TypeConsumer, snapshot.TypeShare, snapshot.TypeStreams:
		return true
	}
	return l.g.ProtocolType != "" || l.m.past.peopled
}

// neverCommitted: members have owned partitions for long enough, there is something to
// read, and nothing was ever committed.
func (l *look) neverCommitted() proof {
	switch {
	case !l.readable() || !l.known || len(l.members) > 0 && !l.g.Assigned:
		return unknown
	case l.m.past.placed || l.sum.unread > 0 || l.sum.available == 0 || len(l.members) == 0:
		return clear
	case l.assignedFor() < l.t.NeverCommitted:
		return clear
	}
	return holds(func(w *telling) {
		working := w.working()
		w.say("%s %s partitions and %s never committed a position, though there %s to read",
			countMembers(working), verb(working, "owns", "own"), verb(working, "has", "have"), thereAre(w.sum.available))
		w.evidence("available", float64(w.sum.available), inOffsets)
		w.evidence("members", float64(len(w.members)), inMembers)
		w.evidence("assigned_for", w.assignedFor().Seconds(), inSeconds)
		w.toRead()
		w.do("see that no offset is committed; then look whether the application commits at all: enable.auto.commit, or its own commit, and its log", w.describe())
		w.explain()
	})
}

func thereAre(n int64) string {
	if n == 1 {
		return "is 1 offset"
	}
	return "are " + offsets(n)
}

// openTransaction: the last stable offset has stood still below the high watermark for
// longer than a transaction may take. It is read only for groups that read committed
// records; of others nothing is known.
func (l *look) openTransaction() proof {
	if !l.readable() || !l.sum.heldBack {
		return unknown
	}
	longest, n := 0.0, 0
	for i := range l.g.Partitions {
		if held := heldBack(&l.g.Partitions[i]); held >= l.t.HeldBack.Seconds() && held > 0 {
			longest = max(longest, held)
			n++
		}
	}
	if n == 0 {
		return clear
	}
	return holds(func(w *telling) {
		w.partitions(func(_ int, p *Partition) bool { return heldBack(p) >= w.t.HeldBack.Seconds() && heldBack(p) > 0 }, heldBack)
		w.say("a transaction on %s has been open for %s at least: who reads committed records only reads nothing after its first", w.first(), span(longest))
		w.evidence("held_back", longest, inSeconds)
		w.evidence("partitions_held_back", float64(n), inPartitions)
		w.do("find its producer, the one with a CurrentTransactionStartOffset; if nobody ends it, abort it with the same tool", w.producers(w.first()))
		w.explain()
	})
}

func heldBack(p *Partition) float64 { return orZero(p.HeldBack.Get()) }
