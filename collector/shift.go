package collector

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

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
	// NearRound says that a round, or another change of members or owners, or one under
	// way, was seen in the same poll, or up to two polls before or after: what went back
	// may be the replay of a member that came in for another.
	NearRound bool
}

// latestShifts is how many are kept for the view.
const latestShifts = 10

// mover collects the positions of one group that a poll found elsewhere.
type mover struct {
	known  bool    // whether anybody is a member
	empty  bool    // nobody is
	vacant bool    // and nobody has been one since the poll before
	moved  []Shift // back, in this poll
	on     []skip  // while nobody is a member, in this poll
}

// add takes in how far a position on a topic went back and, where nobody is a member,
// on.
func (m *mover) add(g *Group, topic string, partition int32, back, on int64) {
	switch {
	case back > 0:
		g.Rewinds++
		m.put(Shift{Topic: topic, Back: true, Partitions: 1, Offsets: back})
	case on > 0 && m.empty && g.ProtocolType == "consumer":
		m.skip(topic, partition, on)
	}
}

// skip takes in a position that went on: those of a topic come one after the other.
func (m *mover) skip(topic string, partition int32, offsets int64) {
	if n := len(m.on); n == 0 || m.on[n-1].Topic != topic {
		m.on = append(m.on, skip{Shift: Shift{Topic: topic}})
	}
	s := &m.on[len(m.on)-1]
	s.Partitions, s.Offsets, s.of = s.Partitions+1, s.Offsets+offsets, append(s.of, partition)
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

// shifted puts into a group what polls found elsewhere.
func (g *Group) shifted(m *mover, at time.Time, near time.Duration) {
	quiet, ok := g.recently(snapshot.InstantOf(at), 0).Quiet.Get()
	round := ok && quiet == 0 || g.State.Unstable()
	for i := range m.moved {
		m.moved[i].At, m.moved[i].Empty, m.moved[i].NearRound = at, m.empty, round || ok && quiet <= near
	}
	for i := range m.on {
		m.on[i].At, m.on[i].Empty, m.on[i].NearRound = at, true, round || ok && quiet <= near
	}
	sure := g.following.skips.observe(g, m, at)
	late := func(s *Shift) bool { return round && !s.NearRound && at.Sub(s.At) <= near }
	for i := range g.following.skips.waiting {
		s := &g.following.skips.waiting[i].Shift
		s.NearRound = s.NearRound || late(s)
	}
	if len(m.moved)+len(sure) == 0 && !slices.ContainsFunc(g.Shifts, func(s Shift) bool { return late(&s) }) {
		return
	}
	all := slices.Concat(g.Shifts, m.moved)
	for _, s := range sure {
		g.Skips += uint64(s.Partitions)
		all = append(all, s.Shift)
	}
	for i := range all {
		all[i].NearRound = all[i].NearRound || late(&all[i])
	}
	slices.SortStableFunc(all, func(a, b Shift) int { return a.At.Compare(b.At) })
	g.Shifts = all[max(0, len(all)-latestShifts):]
}
