package collector

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// following is what is remembered of who owned what in a group, and of where nobody
// but its members should have moved it. It is handed on from view to view like
// histories are.
type following struct {
	rounds ownership.Rounds
	seen   *owners // those that rounds saw last, where they were known
	vacant vacancy
	skips  skips
}

// observe takes in what a poll saw of a group, of which the view has been made.
func (f *following) observe(g *Group, s *snapshot.Group, at time.Time, stale time.Duration) {
	m, ok := s.Members.Get()
	assigned := ok && m.Assigned
	f.rounds.Observe(ownership.Sight{
		At: at, Now: snapshot.InstantOf(at), StaleAfter: stale,
		Type: g.Type, State: s.State, Generation: s.Generation, Members: s.Members,
		Unchanged: assigned && f.seen == g.owned,
	})
	switch {
	case assigned:
		f.seen = g.owned
	case ok:
		f.seen = nil
	}
	g.Ownership, g.Rounds, g.LastRound = f.rounds.Totals(), f.rounds.Latest(), f.rounds.Last()
}

// recently tells what happened to who owns what in the window before a moment.
func (g *Group) recently(now snapshot.Instant, window time.Duration) ownership.Recent {
	return g.following.rounds.Recent(now, window)
}

// Unowned is how many of the group's partitions no member owns, of those that exist:
// of topics that it only has commits on, too. Unknown while it is not known who owns
// what.
func (g *Group) Unowned() (n int, ok bool) {
	if m, known := g.Members.Get(); !known || !m.Assigned {
		return 0, false
	}
	for i := range g.Topics {
		for j := range g.Topics[i].Pairs {
			if p := &g.Topics[i].Pairs[j]; p.State != PairNoPartition && p.owners == 0 {
				n++
			}
		}
	}
	return n, true
}

// room is how many members can be assigned anything: of partitions that exist, of
// topics to which they subscribe. Unknown while it is not known who owns what.
func (g *Group) room() (ownership.Room, bool) {
	m, known := g.Members.Get()
	if !known || !m.Assigned || g.owned == nil {
		return ownership.Room{}, false
	}
	partitions := make([]int, 0, len(g.Topics))
	for i := range g.Topics {
		if t := &g.Topics[i]; g.owned.topics[t.Topic] != nil {
			partitions = append(partitions, len(t.Pairs)-t.States[PairNoPartition])
		}
	}
	return ownership.RoomOf(g.Type, g.Assignor, g.owned.alike, partitions), true
}

// Surplus is how many members the group has beyond those that can be assigned anything.
// Unknown where members are, and where the assignor does not tell how many that is.
// Share groups have no such limit: they never have any.
func (g *Group) Surplus() (n int, ok bool) {
	room, known := g.room()
	m, _ := g.Members.Get()
	switch {
	case known && (g.Type == snapshot.TypeShare || len(m.List) <= room.Least):
		return 0, true
	case !known || !room.Exact():
		return 0, false
	}
	return len(m.List) - room.Most, true
}
