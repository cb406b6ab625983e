package diagnosis

import (
	"math"
	"time"

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
	// rests are for how long nobody was there the last two times, in seconds, the last one
	// first; returned is when that ended; 0 before. See rest.
	rests    [2]float32
	returned snapshot.Instant
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
	if l.known && len(l.members) > 0 || l.sum.moved && l.worksAlone() {
		p.rest(now, l.t.Gone)
	}
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

// rest takes in that somebody is there: if nobody was a member and nothing was committed
// for longer than least, that is over.
func (p *past) rest(now snapshot.Instant, least time.Duration) {
	took := now.Sub(max(p.empty, p.moved))
	if p.empty == 0 || took <= least {
		return
	}
	before := p.rests[0]
	if p.worked() > before {
		before = 0
	}
	p.rests, p.returned = [2]float32{float32(took.Seconds()), before}, now
}

// away is for how many seconds nobody usually is there: the shorter of the last two
// times, 0 if there were none. One that has been at work for longer than that is a
// service, of which no outage becomes a habit.
func (p *past) away() float64 {
	usual := min(p.rests[0], p.rests[1])
	if p.worked() > usual {
		return 0
	}
	return float64(usual)
}

// worked is for how many seconds a group that nobody is a member of was at work.
func (p *past) worked() float32 {
	if p.returned == 0 {
		return 0
	}
	return float32(max(p.empty, p.moved).Sub(p.returned).Seconds())
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
// read or commit: a group without members, unless it commits nevertheless.
func (p *past) change(g *Group, before snapshot.Instant) {
	members, known := g.Members.Get()
	quiet, rounds := g.Ownership.Quiet.Get()
	deserted := known && len(members) == 0 && p.alone < 2
	if !g.State.Unstable() && !deserted && g.CommitsRead && !(rounds && quiet < g.Now.Sub(before)) {
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
