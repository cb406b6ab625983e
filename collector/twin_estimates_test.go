package collector

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// twinEstimates are the twin's histories: flat maps again. What a history makes of
// what it is told is for the tests of rates; here it is whether each is told all
// and only what is its own, how long it lives, and what is shown of it.
type twinEstimates struct {
	clock    *rates.Clock
	logs     map[twinColumn]*twinRate
	configs  map[string]snapshot.Maybe[snapshot.TopicConfig]
	pairs    map[spot]*twinPair
	rewinds  map[string]int
	isolated map[string]bool // groups that read committed records
}

type twinColumn struct {
	topic     string
	partition int
	stable    bool
}

type twinRate struct {
	log     rates.Log
	arrival rates.Value
	read    time.Time
}

type twinPair struct {
	pair        rates.Pair
	last        rates.Estimate
	headroom    rates.Value
	at          time.Time // as the pair's read; zero before
	owner       string
	start, lost int64
	reached     int64
	gone        []int64 // offsets that may have been lost
	due         bool
}

func newTwinEstimates() twinEstimates {
	return twinEstimates{
		clock: rates.NewClock(rates.Options{History: 30 * time.Minute, Interval: 10 * time.Second}),
		logs:  map[twinColumn]*twinRate{}, configs: map[string]snapshot.Maybe[snapshot.TopicConfig]{},
		pairs: map[spot]*twinPair{}, rewinds: map[string]int{}, isolated: map[string]bool{},
	}
}

// reset forgets the logs of a topic.
func (e *twinEstimates) reset(topic string) {
	for k := range e.logs {
		if k.topic == topic {
			delete(e.logs, k)
		}
	}
}

func (e *twinEstimates) read(k twinColumn, end, start snapshot.Maybe[snapshot.Reading]) {
	r, ok := end.Get()
	if !ok {
		return
	}
	if e.logs[k] == nil {
		e.logs[k] = &twinRate{}
	}
	l := e.logs[k]
	l.log.Observe(e.clock, r)
	if s, ok := start.Get(); ok {
		l.log.Start(e.clock, s)
	}
	l.read, l.arrival = timeOf(r.At), rates.Value{}
	if rate := l.log.Arrival(e.clock); rate.Known {
		l.arrival = rates.Of(rate.PerSecond)
	}
}

// unplaced is a pair without a position: how much was lost is all that stays.
func (e *twinEstimates) unplaced(k spot) {
	if p := e.pairs[k]; p != nil {
		e.pairs[k] = &twinPair{lost: p.lost}
	}
}

// seen is a pair with a position, as of read.
func (e *twinEstimates) seen(k spot, at rates.Position, start snapshot.Maybe[snapshot.Reading], share bool, owner string, read time.Time) {
	if e.pairs[k] == nil {
		e.pairs[k] = &twinPair{}
	}
	p, l := e.pairs[k], e.logs[twinColumn{k.topic, int(k.partition), e.isolated[k.group]}]
	if owner != "" && p.owner != "" && p.owner != owner {
		p.pair.Moved()
	}
	if owner != "" {
		p.owner = owner
	}
	if share {
		// The end was read a tenth of a second after the lag.
		moved := at.Oldest > p.start || float64(at.Committed-p.reached) > math.Ceil(valueOr(l.arrival, math.Inf(1))*0.3)
		if !p.at.IsZero() && at.Oldest >= p.start && (at.Committed < p.reached || !moved) {
			at.Committed = p.reached
		}
		p.start, p.reached = at.Oldest, at.Committed
	}
	lost := int64(0)
	if s, ok := start.Get(); ok && !share {
		for _, o := range p.gone {
			if at.Committed <= o || at.Committed >= p.start && p.due {
				lost++
			}
		}
		left, ok := p.headroom.Get()
		p.gone, p.due = nil, ok && left <= read.Sub(p.at).Seconds()
		c, ok := e.configs[k.topic].Get()
		for o := max(p.start, at.Committed); o < s.Offset && !p.at.IsZero() && (!ok || c.Delete); o++ {
			p.gone = append(p.gone, o)
		}
		p.start, p.lost = s.Offset, p.lost+lost
	}
	var back int64
	if p.last, back = p.pair.Observe(e.clock, &l.log, at); back > 0 {
		e.rewinds[k.group]++
	}
	p.at, p.headroom = read, rates.Value{}
	if c, ok := e.configs[k.topic].Get(); ok {
		r := rates.Retention{Delete: c.Delete, Time: c.RetentionTime.Or(0), Bytes: c.RetentionBytes}
		p.headroom = rates.Headroom(e.clock, &l.log, r, at, p.last, lost > 0)
	}
}

// estimated is what is shown of a pair that has a lag.
func (w *twin) estimated(k spot) (e rates.Estimate, headroom rates.Value) {
	p, lag := w.est.pairs[k], w.lag[k]
	if _, known := w.lag[k]; !known {
		return e, headroom
	}
	told := p != nil && !p.at.IsZero() && p.at.Equal(w.read[k]) && w.state[k] != PairUncommitted
	if !told && lag == 0 {
		return rates.Estimate{LagAge: rates.Of(0), DrainSeconds: rates.Of(0), DrainLow: rates.Of(0), DrainHigh: rates.Of(0)}, headroom
	}
	if !told {
		return e, headroom
	}
	e, headroom = p.last, p.headroom
	if w.fresh[k] {
		return e, headroom
	}
	late := w.now.Sub(p.at)
	if late > chaosStale {
		return rates.Estimate{}, rates.Value{}
	}
	if n, ok := e.LagAge.Get(); ok && n > 0 {
		e.LagAge = rates.Of(n + late.Seconds())
	}
	if n, ok := e.CommitAge.Get(); ok {
		e.CommitAge = rates.Of(n + late.Seconds())
	}
	if n, ok := headroom.Get(); ok {
		headroom = rates.Of(max(0, n-late.Seconds()))
	}
	return e, headroom
}

// arrival is how fast a log grows, while its end is known.
func (w *twin) arrival(topic string, partition int, stable bool) rates.Value {
	l, t := w.est.logs[twinColumn{topic, partition, stable}], w.topics[topic]
	if l == nil || t == nil || partition >= len(t.parts) || !w.young(l.read) {
		return rates.Value{}
	}
	return l.arrival
}

// together is what is shown of some pairs of a group.
func (w *twin) together(group string, pairs []spot) string {
	age, room, arrival, drain := math.Inf(-1), math.Inf(1), 0.0, 0.0
	eta := [3]float64{-1, -1, -1}
	unknown, complete, aged := false, true, true
	unread, allUnread := math.Inf(-1), true
	for _, k := range pairs {
		e, headroom := w.estimated(k)
		if w.mayLag(k) {
			_, limited := w.limit(k.topic)
			complete = complete && e.LagAge.Known() && e.DrainSeconds.Known() && (headroom.Known() || !limited)
			aged = aged && e.LagAge.Known()
		}
		if n, ok := e.LagAge.Get(); ok {
			age = max(age, n)
		} else if n := w.watched(k); n > 0 {
			age = max(age, n)
		}
		switch n, ok := e.LagAge.Get(); {
		case w.mayBeMarkers(k, e):
			unread = max(unread, 0)
		case ok:
			unread = max(unread, n)
		default:
			allUnread = allUnread && !w.mayLag(k)
			if n := w.watched(k); n > 0 {
				unread = max(unread, n)
			}
		}
		if n, ok := headroom.Get(); ok {
			room = min(room, n)
		}
		for i, v := range []rates.Value{e.DrainSeconds, e.DrainLow, e.DrainHigh} {
			if n, ok := v.Get(); ok {
				eta[i] = max(eta[i], n)
			}
		}
		unknown = unknown || w.mayLag(k) && !e.DrainSeconds.Known()
		if s := w.state[k]; s == PairCommitted || s == PairBeyondEnd || s == PairUnread {
			arrival += valueOr(w.arrival(k.topic, int(k.partition), w.est.isolated[group]), math.NaN())
			drain += valueOr(e.Drain, math.NaN())
		}
	}
	placed := 0
	for _, k := range pairs {
		if s := w.state[k]; s == PairCommitted || s == PairBeyondEnd || s == PairUnread {
			placed++
		}
	}
	if placed == 0 {
		arrival, drain = math.NaN(), math.NaN()
	}
	if unknown && !math.IsInf(eta[0], 1) {
		eta = [3]float64{-1, -1, -1}
	}
	if !aged && age <= 0 {
		age = math.NaN() // nothing waits, as far as known
	}
	if !allUnread && unread <= 0 {
		unread = math.NaN()
	}
	return tellEstimates(Estimates{
		Complete: complete, LagAge: rates.Of(age), UnreadAge: rates.Of(unread), Arrival: rates.Of(arrival), Drain: rates.Of(drain), Headroom: finite(room),
		DrainSeconds: rates.Of(eta[0]), DrainLow: rates.Of(eta[1]), DrainHigh: rates.Of(eta[2]),
	})
}

// mayBeMarkers tells whether the few offsets that are left may be markers of transactions.
func (w *twin) mayBeMarkers(k spot, e rates.Estimate) bool {
	n, known := w.lag[k]
	_, shared := w.start[k]
	return known && n >= 1 && n <= 10 && !shared && e.Still && w.state[k] == PairCommitted
}
