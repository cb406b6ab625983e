package diagnosis

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// events are losses and rewinds in the window, the newest last.
type events struct{ lost, rewound []event }

// event is what one poll saw happen to some partitions.
type event struct {
	at         snapshot.Instant
	offsets    int64 // in all
	partitions int
	// worst is the partition with the most offsets, which went from from to to.
	worst    TopicPartition
	most     int64
	from, to int64
	why      why // of a rewind
}

// why is what was seen around a rewind.
type why uint8

const (
	unexplained why = iota
	ownersChanged
	nobodyThere
)

// fewEvents bounds what is remembered in a window; more become one.
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
	if l.sum.lost {
		e.lost = append(e.lost, l.losses())
	}
	if l.sum.rewound {
		e.rewound = append(e.rewound, l.rewinds())
	}
	if len(e.lost)+len(e.rewound) == 0 {
		m.events = nil
	}
}

// within drops what is older than the window, and makes room for one more.
func within(list []event, now snapshot.Instant, window time.Duration) []event {
	first := 0
	for first < len(list) && now.Sub(list[first].at) >= window {
		first++
	}
	list = append(list[:0], list[first:]...)
	if len(list) < fewEvents {
		return list
	}
	merged := add(list[1], list[0])
	return append(append(list[:0], merged), list[2:]...)
}

// add is two events as one, at the time of the first.
func add(e, other event) event {
	e.offsets, e.partitions = e.offsets+other.offsets, max(e.partitions, other.partitions)
	if other.most > e.most {
		e.most, e.worst, e.from, e.to = other.most, other.worst, other.from, other.to
	}
	return e
}

// total is all of a list as one event, at the time of the last.
func total(list []event) (e event) {
	for i := len(list) - 1; i >= 0; i-- {
		if e.at == 0 {
			e = list[i]
		} else {
			e = add(e, list[i])
		}
	}
	return e
}

func (l *look) losses() event {
	e := event{at: l.g.Now}
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; p.Lost > 0 {
			e.count(l.name(p), p.Lost, 0, 0)
		}
	}
	return e
}

func (l *look) rewinds() event {
	e := event{at: l.g.Now, why: l.why()}
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
	if offsets > e.most {
		e.most, e.worst, e.from, e.to = offsets, at, from, to
	}
}

// why tells what was going on when positions moved back: an owner that takes over
// begins at the last commit, an admin's tool needs a group without members.
func (l *look) why() why {
	quiet, ok := l.g.Ownership.Quiet.Get()
	switch {
	case l.known && len(l.members) == 0:
		return nobodyThere
	case l.unstable() || ok && quiet <= 2*l.g.Interval:
		return ownersChanged
	}
	return unexplained
}

// name is how a partition is called.
func (l *look) name(p *Partition) TopicPartition {
	at := TopicPartition{Partition: p.ID}
	if i := int(p.Topic); i >= 0 && i < len(l.g.Topics) {
		at.Topic = l.g.Topics[i].Name
	}
	return at
}
