package collector

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// vacancy is that nobody was a member, as the last poll saw it.
type vacancy struct {
	poll       uint64 // the number of the poll that saw it; 0: none did
	generation snapshot.Maybe[int32]
}

// observe takes in what a poll saw, and tells whether nobody has been a member since
// the poll before, as far as that can be seen: a group that is joined and left again
// in between has another number then, if it shows one.
func (v *vacancy) observe(g *Group, s *snapshot.Group, poll uint64) (vacant bool) {
	before := *v
	if *v = (vacancy{}); s.State != snapshot.StateEmpty || g.ProtocolType != "consumer" {
		return false
	}
	*v = vacancy{poll, g.Generation}
	return before.poll > 0 && before.poll+1 == poll && before.generation == g.Generation
}

// skip is positions on a topic that went on while nobody was a member.
type skip struct {
	Shift
	of []int32 // partitions, as they came
}

// skips are what went on while nobody is a member, and of which it is not known yet
// whether somebody has moved it with a tool. Consumers that are no members, as Flink's
// are, move the same partitions on again; their group has the protocol type of members
// all the same where it had some once.
type skips struct {
	waiting    []skip    // the oldest first
	worked     time.Time // when such consumers were seen to work; zero if not
	generation snapshot.Maybe[int32]
}

// observe takes in what a poll saw of a group, and returns what somebody has moved for
// sure: nobody has moved it on again until a member came, or for as long as a group
// that works may be silent.
func (k *skips) observe(g *Group, m *mover, at time.Time) (sure []skip) {
	if m.known && !m.empty || k.generation.Known() && g.Generation.Known() && k.generation != g.Generation {
		sure, *k = k.waiting, skips{} // somebody is a member, or was one
	}
	if !m.empty {
		return sure
	}
	k.generation = g.Generation
	silence := g.reasons.thresholds.Silence
	switch {
	case slices.ContainsFunc(m.on, k.again) || len(m.on) > 0 && k.works(at, silence):
		k.waiting, k.worked = nil, at
	case m.vacant:
		k.waiting = append(k.waiting, m.on...)
	}
	n := 0
	for n < len(k.waiting) && at.Sub(k.waiting[n].At) > silence {
		n++
	}
	sure, k.waiting = append(sure, k.waiting[:n]...), k.waiting[n:]
	return sure
}

// works tells whether consumers that are no members were seen to work of late.
func (k *skips) works(at time.Time, silence time.Duration) bool {
	return !k.worked.IsZero() && at.Sub(k.worked) <= silence
}

// again tells whether partitions have been moved on that wait already.
func (k *skips) again(s skip) bool {
	return slices.ContainsFunc(k.waiting, func(w skip) bool {
		return w.Topic == s.Topic && slices.ContainsFunc(s.of, func(p int32) bool { return slices.Contains(w.of, p) })
	})
}
