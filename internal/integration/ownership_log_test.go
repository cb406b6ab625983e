package integration

import (
	"cmp"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// clientLog is what the members of one group have logged themselves: generations or
// epochs, and who has which partitions. The coordinator is ahead of it by as much as
// a member needs to hear of something, and write it down.
type clientLog struct {
	events []testkafka.Event
	// instance names static members, by the id of the consumer.
	instance map[string]string
	// shared says that a partition may have several owners.
	shared bool
}

// identity is that of the process behind a consumer, which a static member keeps.
func (l *clientLog) identity(consumer string) string {
	if instance := l.instance[consumer]; instance != "" {
		return "instance " + instance
	}
	return consumer
}

// member is the id that a consumer logged last.
func (l *clientLog) member(consumer string) (id string) {
	for i := range l.events {
		if e := &l.events[i]; e.Consumer == consumer {
			id = cmp.Or(e.MemberID, id)
		}
	}
	return id
}

// number is the greatest generation or epoch that anybody had logged by a moment; 0
// if none.
func (l *clientLog) number(at time.Time) (greatest int) {
	for i := range l.events {
		if e := &l.events[i]; e.Generation != nil && !e.At.After(at) {
			greatest = max(greatest, *e.Generation)
		}
	}
	return greatest
}

// first is the first generation or epoch that anybody logged.
func (l *clientLog) first() int {
	for i := range l.events {
		if g := l.events[i].Generation; g != nil {
			return *g
		}
	}
	return 0
}

// tellsOwner is whether an event has all that a consumer owns.
func tellsOwner(e *testkafka.Event) bool {
	switch e.Kind {
	case testkafka.Assigned, testkafka.Revoked, testkafka.Lost, testkafka.NewGeneration, testkafka.LoggedAssignment:
		return true
	default:
		return false
	}
}

// holders is who has each partition, sorted: nobody, one, or several in a share
// group.
type holders map[testkafka.TopicPartition][]string

// replay goes through the log and hands out, after each event, who has
// what.
func (l *clientLog) replay(after func(at time.Time, now holders)) {
	has := map[string][]testkafka.TopicPartition{}
	for i := range l.events {
		e := &l.events[i]
		switch {
		case e.Kind == testkafka.Closed || e.Kind == testkafka.Failed:
			delete(has, e.Consumer)
		case tellsOwner(e):
			has[e.Consumer] = e.Assignment
		default:
			continue
		}
		now := holders{}
		for consumer, list := range has {
			for _, p := range list {
				now[p] = append(now[p], l.identity(consumer))
			}
		}
		for p := range now {
			slices.Sort(now[p])
			now[p] = slices.Compact(now[p])
		}
		after(e.At, now)
	}
}

// owners is who has what at the end of the log.
func (l *clientLog) owners() (last holders) {
	l.replay(func(_ time.Time, now holders) { last = now })
	return last
}

// moves are the moments at which a partition got another owner than its last one, as
// often as it happened. A partition that nobody had for a while has not moved when
// the same member gets it again.
func (l *clientLog) moves() (moments []time.Time) {
	if l.shared {
		return l.sharedMoves()
	}
	last := map[testkafka.TopicPartition]string{}
	for i := range l.events {
		e := &l.events[i]
		if !tellsOwner(e) {
			continue
		}
		for _, p := range e.Assignment {
			by := l.identity(e.Consumer)
			if before, ok := last[p]; ok && before != by {
				moments = append(moments, e.At)
			}
			last[p] = by
		}
	}
	return moments
}

// sharedMoves are the same for a share group, where one member may get a partition
// before another lets go of it: two moves then, or one for who does not look in
// between.
func (l *clientLog) sharedMoves() (moments []time.Time) {
	last := holders{}
	l.replay(func(at time.Time, now holders) {
		for p, by := range now {
			if before := last[p]; before != nil && !slices.Equal(before, by) {
				moments = append(moments, at)
			}
			last[p] = by
		}
	})
	return moments
}

// between counts moments.
func between(moments []time.Time, from, to time.Time) (n int) {
	for _, at := range moments {
		if at.After(from) && !at.After(to) {
			n++
		}
	}
	return n
}
