package collector

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// reckoner puts into a view what the tracks of its groups say at a moment.
type reckoner struct {
	v     *View
	clock *rates.Clock
	now   snapshot.Instant
	stale time.Duration

	work  workload // scratch
	facts *facts   // nil where nobody asks why groups lag
}

func (r *reckoner) group(g *Group) {
	r.work = append(r.work[:0], make([]work, len(g.owned.lists))...)
	var all tally
	if r.facts != nil {
		r.facts.begin(g)
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		one := r.topic(g, t)
		t.Estimates = one.estimates()
		all.merge(&one)
	}
	g.capacity.observe(r.work, g.owned, r.now)
	g.Estimates, g.MembersNeeded = all.estimates(), g.membersNeeded(&all)
	if r.facts != nil {
		g.Diagnosis = g.reasons.diagnose(&r.facts.group, g.read, r.stale)
	}
}

func (r *reckoner) topic(g *Group, t *GroupTopic) (all tally) {
	column, limited := &logColumn{}, false
	var log *Topic
	if n := t.among(r.v.Topics); n >= 0 {
		log = &r.v.Topics[n]
		column, limited = log.history.column(g), log.history.limited()
	}
	t.PairEstimates = make([]PairEstimate, len(t.Pairs))
	if r.facts != nil {
		r.facts.topic(g, t.Topic, log)
	}
	for i := range t.Pairs {
		pair := &t.Pairs[i]
		track := t.history.track(pair.Partition)
		e, headroom := r.of(pair, track)
		arrival := column.arrival(pair.Partition)
		pair.LagAge = e.LagAge
		all.add(pair, &e, headroom, arrival)
		if pair.mayLag() {
			all.roomUnknown = all.roomUnknown || limited && !headroom.Known()
			if !e.LagAge.Known() {
				least, known := r.atLeast(pair, track, column.log(pair.Partition))
				all.age.max(least, known)
				if !pair.remnant(&e) {
					all.unread.max(least, known)
				}
			}
		}
		r.work.add(pair, &e)
		if r.facts != nil {
			p := r.facts.pair(pair)
			p.Estimate, p.Arrival, p.Headroom = e, arrival, headroom
			p.HeldBack = r.heldBack(g, log, pair.Partition)
			t.history.moved(track, pair, p)
		}
		t.PairEstimates[i] = PairEstimate{
			Drain: e.Drain, DrainSeconds: e.DrainSeconds, DrainLow: e.DrainLow, DrainHigh: e.DrainHigh,
			Processing: e.Processing, CommitAge: e.CommitAge, Headroom: headroom, Lost: pair.lostBy(track),
		}
	}
	return all
}

// atLeast is how old the oldest unread record of a pair is at least, since polls have
// seen it; false if nothing tells.
func (r *reckoner) atLeast(p *Pair, t *track, log *rates.Log) (seconds float64, ok bool) {
	if log == nil || !p.Lag.Known() {
		return 0, false
	}
	if t == nil {
		t = &track{}
	}
	oldest := p.ShareStart.Or(p.Committed.Or(0) + p.Lost.Or(0))
	watched := t.pair.Watched(r.clock, log, oldest)
	return watched.Seconds(), watched > 0
}

// of is what is estimated of a pair now. A lag that was read without the log's end,
// as a share group's may be, is in no history; where it is 0, nothing waits.
func (r *reckoner) of(pair *Pair, t *track) (rates.Estimate, rates.Value) {
	lag, known := pair.Lag.Get()
	told := t != nil && t.at != 0 && t.at == pair.At && pair.State != PairUncommitted
	switch {
	case known && lag == 0 && !told:
		none := rates.Of(0)
		return rates.Estimate{LagAge: none, DrainSeconds: none, DrainLow: none, DrainHigh: none, Waiting: none, KeepsUp: true}, rates.Value{}
	case !known || !told || r.now.Sub(t.at) > r.stale:
		return rates.Estimate{}, rates.Value{}
	case pair.Fresh:
		return t.last, t.headroom
	}
	return aged(t.last, t.headroom, r.now.Sub(t.at))
}

// lostBy is how much of a committed position's log was lost since it is watched.
func (p *Pair) lostBy(t *track) Quantity {
	if !p.Lost.Known() || t == nil {
		return Quantity{}
	}
	return quantity(t.lost)
}
