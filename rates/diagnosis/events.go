package diagnosis

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// events are losses and rewinds in the window, the newest last.
type events struct{ lost, rewound []event }

// event is what polls saw happen to some partitions in a part of the window.
type event struct {
	first, at  snapshot.Instant // the first of these polls and the last
	offsets    int64            // in all
	partitions int
	// several says that they are of several polls, and not all on the same partition:
	// partitions is the most that one of them saw, then, and there may be more.
	several bool
	// worst is the partition with the most offsets, which went from from to to.
	worst    TopicPartition
	most     int64
	from, to int64
	seen     snapshot.Instant // when a poll saw that
	why      why              // of a rewind: of that of the worst
}

// on is where, in words.
func (e *event) on() string {
	if e.several {
		return "at least " + countPartitions(e.partitions)
	}
	return countPartitions(e.partitions)
}

// where is on which partitions, in words. Of several polls it is not known which has the
// most in all.
func (e *event) where() string {
	switch {
	case e.several:
		return "on " + e.on() + ", " + e.worst.String() + " among them"
	case e.partitions > 1:
		return "most on " + e.worst.String() + " with " + whole(e.most)
	}
	return "on " + e.worst.String()
}

// why is what was seen around a rewind.
type why uint8

const (
	unexplained why = iota
	ownersChanged
	nobodyThere
)

// fewEvents is into how many parts the window is divided: what is in one becomes one
// event.
const fewEvents = 16

// happened takes in what this poll has seen.
func (m *Memory) happened(l *look) {
	if m.events == nil && !l.sum.lost && !l.sum.rewound {
		return
	}
	if m.events == nil {
		m.events = &events{}
	}
	e := m.events
	e.lost, e.rewound = within(e.lost, l.g.Now, l.t.Window), within(e.rewound, l.g.Now, l.t.Window)
	l.late(e.rewound)
	if l.sum.lost {
		if lost := l.losses(); lost.partitions > 0 {
			e.lost = remember(e.lost, lost, l.t.Window/fewEvents)
		}
	}
	if l.sum.rewound {
		e.rewound = remember(e.rewound, l.rewinds(), l.t.Window/fewEvents)
	}
	if len(e.lost)+len(e.rewound) == 0 {
		m.events = nil
	}
}

// within drops what is older than the window.
func within(list []event, now snapshot.Instant, window time.Duration) []event {
	first := 0
	for first < len(list) && now.Sub(list[first].at) >= window {
		first++
	}
	return append(list[:0], list[first:]...)
}

// remember adds an event to the last one where that began not long before.
func remember(list []event, e event, part time.Duration) []event {
	if n := len(list); n > 0 && e.at.Sub(list[n-1].first) < part {
		list[n-1] = add(list[n-1], e)
		return list
	}
	return append(list, e)
}

// add is two events as one, of which the second came later.
func add(e, later event) event {
	alone := e.partitions == 1 && later.partitions == 1 && e.worst == later.worst
	e.at, e.several = later.at, e.several || later.several || !alone
	e.offsets, e.partitions = e.offsets+later.offsets, max(e.partitions, later.partitions)
	if later.most > e.most {
		e.most, e.worst, e.from, e.to, e.seen, e.why = later.most, later.worst, later.from, later.to, later.seen, later.why
	}
	return e
}

// total is all of a list as one event.
func total(list []event) event {
	e := list[0]
	for _, later := range list[1:] {
		e = add(e, later)
	}
	return e
}

func (l *look) losses() event {
	e := event{first: l.g.Now, at: l.g.Now, seen: l.g.Now}
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; l.lost(i, p) {
			e.count(l.name(p), p.Lost, 0, 0)
		}
	}
	return e
}

func (l *look) rewinds() event {
	e := event{first: l.g.Now, at: l.g.Now, seen: l.g.Now, why: l.why()}
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		from, known := p.From.Get()
		if to, ok := p.To.Get(); ok && known && to < from {
			e.count(l.name(p), from-to, from, to)
		}
	}
	return e
}

func (e *event) count(at TopicPartition, offsets, from, to int64) {
	e.offsets += offsets
	e.partitions++
	if offsets > e.most || offsets == e.most && at.compare(e.worst) < 0 {
		e.most, e.worst, e.from, e.to = offsets, at, from, to
	}
}

// why tells what was going on when positions moved back: an owner that takes over
// begins at the last commit, an admin's tool needs a group without members.
func (l *look) why() why {
	switch {
	case l.known && len(l.members) == 0:
		return nobodyThere
	case l.unstable() || l.changedOfLate():
		return ownersChanged
	}
	return unexplained
}

// changedOfLate tells whether owners were seen to change up to two polls ago.
func (l *look) changedOfLate() bool {
	quiet, ok := l.g.Ownership.Quiet.Get()
	return ok && quiet <= ownership.Near(l.g.Interval)
}

// late amends the rewinds that were seen just before owners were seen to change.
func (l *look) late(list []event) {
	quiet, ok := l.g.Ownership.Quiet.Get()
	for i := range list {
		e := &list[i]
		age := l.g.Now.Sub(e.seen)
		if e.why == unexplained && age <= ownership.Near(l.g.Interval) && (l.unstable() || ok && quiet <= age) {
			e.why = ownersChanged
		}
	}
}

// name is how a partition is called.
func (l *look) name(p *Partition) TopicPartition {
	at := TopicPartition{Partition: p.ID}
	if i := int(p.Topic); i >= 0 && i < len(l.g.Topics) {
		at.Topic = l.g.Topics[i].Name
	}
	return at
}
