package collector

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// capacity is what the members of a group were seen to drain while they were
// behind: a member that is not shows nothing of what it could.
type capacity struct {
	perMember float64 // offsets per second, 0 before
	at        snapshot.Instant
}

// rememberCapacity is how long what members could do counts after nobody is behind
// any more.
const rememberCapacity = 24 * time.Hour

// work is what the owners in one list of a group's do.
type work struct {
	drain   float64
	behind  bool // on a partition at least, all the time
	unknown bool // of a partition at least: drain is too small
}

// workload collects what the members of a group have to do and do, by the lists of
// owners that its pairs have.
type workload []work

func (w workload) add(p *Pair, e *rates.Estimate) {
	one := &w[p.owners]
	drain, ok := e.Drain.Get()
	one.drain += drain
	one.behind = one.behind || e.Processing.Known()
	one.unknown = one.unknown || !ok && p.mayLag()
}

// perMember is the mean drain rate of the members that are behind, 0 where none is
// of which all is known: what cannot be read is no less work.
func (w workload) perMember(o *owners) float64 {
	sum, members := 0.0, 0
	for i, one := range w[1:] { // the first are those of nobody
		if one.behind && !one.unknown {
			sum, members = sum+one.drain, members+len(o.lists[i+1])
		}
	}
	if members == 0 {
		return 0
	}
	return sum / float64(members)
}

// observe takes in what the members of a group do now.
func (c *capacity) observe(w workload, o *owners, now snapshot.Instant) {
	if rate := w.perMember(o); rate > 0 {
		*c = capacity{rate, now}
	} else if now.Sub(c.at) > rememberCapacity {
		*c = capacity{}
	}
}

// membersNeeded is unknown where the arrival or the lag of a partition is, where the
// group is not wholly known, and where it is more than surely can be assigned anything.
func (g *Group) membersNeeded(t *tally) snapshot.Maybe[int64] {
	m, _ := g.Members.Get()
	idle, _ := m.Idle()
	room, known := g.room()
	if !known || t.positions == 0 || t.arrivalUnknown || t.lagUnknown || g.capacity.perMember == 0 {
		return snapshot.Maybe[int64]{}
	}
	n, ok := rates.MembersNeeded(rates.Load{
		Partitions: room.Most, Members: len(m.List) - idle,
		Arrival: t.arrival, Busiest: t.busiest, PerMember: g.capacity.perMember,
		Lag: t.lag, LargestLag: t.largestLag, Within: g.Objective.Age,
	})
	if !ok || n > room.Least {
		return snapshot.Maybe[int64]{}
	}
	return snapshot.Known(int64(n))
}
