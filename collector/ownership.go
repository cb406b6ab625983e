package collector

import (
	"slices"
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
}

// observe takes in what a poll saw of a group, of which the view has been made.
func (f *following) observe(g *Group, s *snapshot.Group, at time.Time, stale time.Duration) (round bool) {
	m, ok := s.Members.Get()
	assigned := ok && m.Assigned
	_, round = f.rounds.Observe(ownership.Sight{
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
	g.Ownership, g.Rounds = f.rounds.Totals(), f.rounds.Latest()
	if round {
		g.LastRound = at
	}
	return round
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

// Shift is that one poll found positions of a group on a topic elsewhere than its
// commits would have taken them.
type Shift struct {
	At    time.Time // when the poll saw it
	Topic string
	// Back says that they went back (a rewind); they were moved on while nobody was a
	// member otherwise (a skip).
	Back bool
	// Partitions is how many, Offsets how far in sum; both above 0.
	Partitions int
	Offsets    int64
	// Empty says that nobody was a member then: somebody has moved them, with a tool.
	Empty bool
	// NearRound says that a round was seen in the same poll, or up to two polls before
	// or after: what went back may be the replay of a member that came in for another.
	NearRound bool
}

const (
	// latestShifts is how many are kept for the view.
	latestShifts = 10
	// nearInterval, in intervals, is up to two polls, which may be late.
	nearInterval = 2.5
)

// mover collects the positions of one group that a poll found elsewhere.
type mover struct {
	empty  bool    // nobody is a member
	vacant bool    // and nobody has been one since the poll before
	moved  []Shift // of this poll
}

// add takes in how far a position on a topic went back and, where nobody is a member,
// on.
func (m *mover) add(g *Group, topic string, back, on int64) {
	switch {
	case back > 0:
		g.Rewinds++
		m.put(Shift{Topic: topic, Back: true, Partitions: 1, Offsets: back})
	case on > 0 && m.vacant:
		g.Skips++
		m.put(Shift{Topic: topic, Partitions: 1, Offsets: on})
	}
}

func (m *mover) put(s Shift) {
	for i := range m.moved {
		if t := &m.moved[i]; t.Topic == s.Topic && t.Back == s.Back {
			t.Partitions, t.Offsets = t.Partitions+1, t.Offsets+s.Offsets
			return
		}
	}
	m.moved = append(m.moved, s)
}

// shifted puts into a group what a poll found elsewhere. round says that it saw one.
func (g *Group) shifted(m *mover, at time.Time, near time.Duration, round bool) {
	if round && slices.ContainsFunc(g.Shifts, func(s Shift) bool { return !s.NearRound && at.Sub(s.At) <= near }) {
		g.Shifts = slices.Clone(g.Shifts)
		for i := range g.Shifts {
			s := &g.Shifts[i]
			s.NearRound = s.NearRound || at.Sub(s.At) <= near
		}
	}
	if len(m.moved) == 0 {
		return
	}
	quiet, rounds := g.recently(snapshot.InstantOf(at), 0).Quiet.Get()
	all := slices.Clone(g.Shifts)
	for _, s := range m.moved {
		s.At, s.Empty, s.NearRound = at, m.empty, rounds && quiet <= near
		all = append(all, s)
	}
	g.Shifts = all[max(0, len(all)-latestShifts):]
}
