package diagnosis

import (
	"math"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// past is what is remembered of the polls before.
type past struct {
	// empty is since when nobody is a member, assigned since when members own
	// partitions, and moved when a position last moved on; 0 where not.
	empty, assigned, moved snapshot.Instant
	// left is when the owners were last seen to be at work before they last changed, and
	// settled when they had; 0 where they were not seen to.
	left, settled snapshot.Instant
	// members is how many own partitions while nothing is behind, on average of the
	// last ten minutes of that; 0 before.
	members float32
	// alone is in how many polls a position moved on since nobody is a member.
	alone uint8
	// placed says that it had a position once, peopled that it had members.
	placed, peopled bool
}

// usually is the time constant of what is usual, in seconds.
const usually = 600

// remember takes in what is needed at later polls.
func (m *Memory) remember(l *look) {
	if l.g.Missing {
		return
	}
	now, p := l.g.Now, &m.past
	p.placed = p.placed || l.sum.committed > 0
	if l.known {
		p.people(l, now)
	}
	if l.sum.moved {
		p.moved = now
		if p.empty != 0 && p.empty != now {
			p.alone = min(p.alone, math.MaxUint8-1) + 1
		}
	}
	m.happened(l)
}

// people takes in who is a member.
func (p *past) people(l *look, now snapshot.Instant) {
	if len(l.members) == 0 {
		p.assigned = 0
		if p.empty == 0 {
			p.empty, p.alone = now, 0
		}
		return
	}
	p.peopled, p.empty = true, 0
	working := l.working()
	switch {
	case !l.g.Assigned: // who owned what stands
	case working == 0:
		p.assigned = 0
	case p.assigned == 0:
		p.assigned = now
	}
	if l.g.Assigned && working > 0 && l.keepsUp() {
		p.usual(float32(working), now.Sub(l.m.last).Seconds())
	}
}

// change takes in whether owners have changed since the poll before, or nobody could
// read or commit.
func (p *past) change(g *Group, before snapshot.Instant) {
	members, known := g.Members.Get()
	quiet, rounds := g.Ownership.Quiet.Get()
	if !g.State.Unstable() && !(known && len(members) == 0) && g.CommitsRead && !(rounds && quiet < g.Now.Sub(before)) {
		return
	}
	if p.settled != before || before == 0 {
		p.left = before
	}
	p.settled = g.Now
}

// usual takes in how many members work.
func (p *past) usual(working float32, took float64) {
	if p.members == 0 {
		p.members = working
		return
	}
	p.members += (working - p.members) * float32(min(1, max(0, took)/usually))
}

// working is how many members own partitions.
func (l *look) working() (n int) {
	for i := range l.members {
		if l.members[i].Partitions > 0 {
			n++
		}
	}
	return n
}
