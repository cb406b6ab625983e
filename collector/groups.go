package collector

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// groups follows the groups of a snapshot. One that the snapshot lacks does
// not exist any more.
func groups(prev *View, s *snapshot.Snapshot, fresh freshness, r rules) []Group {
	out := make([]Group, len(s.Groups))
	before, old := make([]*Group, len(s.Groups)), step[Group]{prev.Groups, groupID}
	for i := range s.Groups {
		id := s.Groups[i].ID
		if before[i] = old.at(id); before[i] == nil {
			before[i] = r.newGroup(prev.labels(), id)
		}
	}
	logs := make(logs, len(s.Topics))
	for i := range s.Topics {
		logs[s.Topics[i].Name] = &s.Topics[i]
	}
	inParts(len(out), func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = group(before[i], &s.Groups[i], logs, s.Finished, fresh)
		}
	})
	return out
}

// inParts calls f for consecutive parts of n things, in parallel where there are
// processors for it and enough to do.
func inParts(n int, f func(from, to int)) {
	const enough = 100 // fewer are done before a second processor has begun
	parts := max(1, min(runtime.GOMAXPROCS(0), n/enough))
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { f(n*i/parts, n*(i+1)/parts) })
	}
	wg.Wait()
}

// logs are the topics of a snapshot by name.
type logs map[string]*snapshot.Topic

func group(prev *Group, g *snapshot.Group, logs logs, at time.Time, fresh freshness) Group {
	next := *prev
	next.unestimated()
	next.describe(g, at)
	next.read = got{g.Members.Known(), g.Commits.Known() || g.Shares.Known()}
	next.Coordinator, next.ReadCommitted = g.Coordinator, g.ReadCommitted
	if g.Members.Known() {
		next.Members = g.Members
	}
	next.age(fresh)
	own, known := ownersNow(&next, prev.Members, g, fresh)
	if known {
		next.owned = own
	}
	var listed bool
	next.Topics, listed = groupTopics(prev, g, logs, own, known, fresh)
	next.total(listed && next.read.members && next.read.positions, at)
	return next
}

// describe takes over what a poll says of the group as a whole; what it does not
// say stays.
func (g *Group) describe(now *snapshot.Group, at time.Time) {
	kind, protocol := g.Type, g.ProtocolType
	if now.Type != snapshot.TypeUnknown {
		if g.Type = now.Type; g.Type != kind {
			g.Generation = snapshot.Maybe[int32]{} // it was the number of the type before
		}
	}
	if now.ProtocolType != "" {
		g.ProtocolType = now.ProtocolType
	}
	if g.kind == nil || g.Type != kind || g.ProtocolType != protocol {
		g.kind = page.NewLabels("type", g.Type.String(), "protocol", g.ProtocolType)
	}
	if now.Assignor != "" {
		g.Assignor = now.Assignor
	}
	if now.Generation.Known() {
		g.Generation = now.Generation
	}
	if now.State != snapshot.StateUnknown {
		g.State, g.StateAt = now.State, at
	}
}

// age forgets the members, and the state and the generation, when they could
// not be read for too long, each from its own time.
func (g *Group) age(fresh freshness) {
	if m, ok := g.Members.Get(); ok && !fresh.since(m.At) {
		g.Members = snapshot.Maybe[snapshot.Members]{}
	}
	if !fresh.since(g.StateAt) {
		g.State, g.Generation = snapshot.StateUnknown, snapshot.Maybe[int32]{}
	}
}

// unestimated forgets what was estimated of the group as a whole, which holds for
// one moment; what is counted stays.
func (g *Group) unestimated() {
	g.Estimates, g.MembersNeeded = Estimates{}, snapshot.Maybe[int64]{}
	g.Diagnosis = diagnosis.Diagnosis{}
}

// total sums up what the pairs say. The rank falls slowly: a lag that goes up and
// down from poll to poll would have the group's detail go with it.
func (g *Group) total(whole bool, at time.Time) {
	g.Lag = snapshot.Maybe[int64]{}
	g.Complete = whole
	for i := range g.Topics {
		t := &g.Topics[i]
		g.Complete = t.total() && g.Complete
		g.Lag = plus(g.Lag, t.Lag)
	}
	if g.Complete {
		g.ReadAt = at
	}
	if lag, ok := g.Lag.Get(); ok {
		g.rank = max(lag, int64(0.9*float64(g.rank)))
	}
}

// total sums up the pairs, and tells whether the last poll renewed all of them.
func (t *GroupTopic) total() (fresh bool) {
	t.Lag, t.Available, t.States, fresh = snapshot.Maybe[int64]{}, snapshot.Maybe[int64]{}, [len(pairStates)]int{}, true
	for i := range t.Pairs {
		p := &t.Pairs[i]
		fresh = fresh && p.Fresh
		t.States[p.State]++
		t.Lag, t.Available = plus(t.Lag, p.Lag.maybe()), plus(t.Available, p.Available.maybe())
	}
	return fresh
}

// plus adds what is known.
func plus(a, b snapshot.Maybe[int64]) snapshot.Maybe[int64] {
	n, ok := b.Get()
	if !ok {
		return a
	}
	return snapshot.Known(a.Or(0) + n)
}

func agedGroups(prev []Group, fresh freshness) []Group {
	out := make([]Group, len(prev))
	for i := range prev {
		g := prev[i]
		g.unestimated()
		g.read = got{}
		g.age(fresh)
		g.OwnersCurrent = false
		g.Coordinator = snapshot.Maybe[int32]{}
		owned := fresh.since(g.OwnersAt)
		g.Topics = slices.Clone(g.Topics)
		for j := range g.Topics {
			t := &g.Topics[j]
			t.Estimates, t.PairEstimates = Estimates{}, nil
			t.Pairs = slices.Clone(t.Pairs)
			for k := range t.Pairs {
				owners := t.Pairs[k].owners
				t.Pairs[k] = t.Pairs[k].kept(fresh)
				if t.Pairs[k].owners = owners; !owned {
					t.Pairs[k].owners = 0
				}
			}
		}
		g.total(false, time.Time{})
		out[i] = g
	}
	return out
}
