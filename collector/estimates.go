package collector

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/rates"
)

// Estimates are what is estimated of a group, or of it on a topic. Each is unknown
// where what it follows from is. Times are in seconds, rates in offsets per second.
type Estimates struct {
	// Complete says that of each pair that has a lag, or may have one, the age and
	// the drain time are known, and the headroom where a limit is.
	Complete bool
	// LagAge is the greatest of the pairs; at least that old where it is not known of
	// all of them. Not 0 then: that would say that nothing waits.
	LagAge rates.Value
	// UnreadAge is the same of the pairs whose lag is more than a remnant, which may be
	// nothing that can be read; see [rates.Estimate.Remnant]. Never more than LagAge.
	UnreadAge rates.Value
	// Arrival and Drain are sums over the pairs with a position; unknown when one
	// of them is, or where a position could not be read.
	Arrival, Drain rates.Value
	// DrainSeconds is the greatest of the pairs, +Inf if one is, unknown if one is
	// not known and none is +Inf. DrainLow and DrainHigh enclose it; all three are
	// known or none is.
	DrainSeconds, DrainLow, DrainHigh rates.Value
	// Headroom is the least of the pairs for which it is known.
	Headroom rates.Value
}

// PairEstimate is what is estimated of a pair beside its lag age; see [rates.Estimate].
type PairEstimate struct {
	Drain rates.Value
	// DrainLow and DrainHigh enclose DrainSeconds; all three are known or none is.
	DrainSeconds, DrainLow, DrainHigh rates.Value
	Processing, CommitAge, Headroom   rates.Value
	// Lost is how many offsets retention removed unread since the pair is
	// watched, but for those that only the last poll has seen gone.
	Lost Quantity
}

// tally adds up what is estimated of pairs.
type tally struct {
	positions       int // pairs that have one, or may have: that could not be read
	age, headroom   extreme
	arrival, drain  float64
	arrivalUnknown  bool // of a pair that has a position, or may have
	drainUnknown    bool
	lagUnknown      bool
	ageUnknown      bool    // of a pair with a lag, or whose lag is not known
	unread          extreme // the age without remnants
	unreadUnknown   bool    // of such a pair that is none
	roomUnknown     bool    // of such a pair whose log has a limit
	busiest         float64 // the greatest arrival rate
	eta, low, high  extreme
	etaUnknown      bool // of such a pair
	lag, largestLag int64
}

// extreme is the greatest or least value of those that are known.
type extreme struct {
	value float64
	known bool
}

func (e *extreme) max(n float64, known bool) {
	if known && (!e.known || n > e.value) {
		*e = extreme{n, true}
	}
}

func (e *extreme) min(n float64, known bool) {
	if known && (!e.known || n < e.value) {
		*e = extreme{n, true}
	}
}

func (e extreme) of() rates.Value {
	if !e.known {
		return rates.Value{}
	}
	return rates.Of(e.value)
}

// add adds a pair on a log that grows as fast as arrival says.
func (t *tally) add(p *Pair, e *rates.Estimate, headroom, arrival rates.Value) {
	lag, known := p.Lag.Get()
	if p.placed() || p.State == PairUnread {
		t.positions++
		t.rates(arrival, e.Drain)
		t.lagUnknown = t.lagUnknown || !known
	}
	t.age.max(e.LagAge.Get())
	t.addUnread(p, e)
	t.headroom.min(headroom.Get())
	t.eta.max(e.DrainSeconds.Get())
	t.low.max(e.DrainLow.Get())
	t.high.max(e.DrainHigh.Get())
	t.lag, t.largestLag = t.lag+lag, max(t.largestLag, lag)
	if p.mayLag() {
		t.ageUnknown = t.ageUnknown || !e.LagAge.Known()
		t.etaUnknown = t.etaUnknown || !e.DrainSeconds.Known()
	}
}

// addUnread adds how old what is unread is. A remnant counts as nothing unread.
func (t *tally) addUnread(p *Pair, e *rates.Estimate) {
	if p.remnant(e) {
		t.unread.max(0, true)
		return
	}
	t.unread.max(e.LagAge.Get())
	t.unreadUnknown = t.unreadUnknown || p.mayLag() && !e.LagAge.Known()
}

// remnant tells whether what the group has left may be nothing that can be read. What a
// share group has not acknowledged are records.
func (p *Pair) remnant(e *rates.Estimate) bool {
	lag, known := p.Lag.Get()
	return known && lag > 0 && p.State == PairCommitted && !p.ShareStart.Known() && e.Remnant(lag)
}

// mayLag tells whether a pair has a lag, or may have one that is not known.
func (p *Pair) mayLag() bool {
	lag, known := p.Lag.Get()
	return lag > 0 || !known && (p.State == PairUnread || p.placed())
}

func (t *tally) rates(arrival, drain rates.Value) {
	in, ok := arrival.Get()
	t.arrival, t.arrivalUnknown = t.arrival+in, t.arrivalUnknown || !ok
	t.busiest = max(t.busiest, in)
	out, ok := drain.Get()
	t.drain, t.drainUnknown = t.drain+out, t.drainUnknown || !ok
}

// merge adds what another one has.
func (t *tally) merge(o *tally) {
	t.positions += o.positions
	t.arrival, t.arrivalUnknown = t.arrival+o.arrival, t.arrivalUnknown || o.arrivalUnknown
	t.drain, t.drainUnknown = t.drain+o.drain, t.drainUnknown || o.drainUnknown
	t.busiest, t.lagUnknown = max(t.busiest, o.busiest), t.lagUnknown || o.lagUnknown
	t.age.max(o.age.value, o.age.known)
	t.unread.max(o.unread.value, o.unread.known)
	t.unreadUnknown = t.unreadUnknown || o.unreadUnknown
	t.headroom.min(o.headroom.value, o.headroom.known)
	t.eta.max(o.eta.value, o.eta.known)
	t.low.max(o.low.value, o.low.known)
	t.high.max(o.high.value, o.high.known)
	t.ageUnknown, t.etaUnknown = t.ageUnknown || o.ageUnknown, t.etaUnknown || o.etaUnknown
	t.roomUnknown = t.roomUnknown || o.roomUnknown
	t.lag, t.largestLag = t.lag+o.lag, max(t.largestLag, o.largestLag)
}

func (t *tally) estimates() Estimates {
	e := Estimates{Complete: !t.ageUnknown && !t.etaUnknown && !t.roomUnknown, Headroom: t.headroom.of()}
	if !t.ageUnknown || t.age.value > 0 {
		e.LagAge = t.age.of()
	}
	if !t.unreadUnknown || t.unread.value > 0 {
		e.UnreadAge = t.unread.of()
	}
	if t.positions > 0 && !t.arrivalUnknown {
		e.Arrival = rates.Of(t.arrival)
	}
	if t.positions > 0 && !t.drainUnknown {
		e.Drain = rates.Of(t.drain)
	}
	if !t.etaUnknown || t.eta.known && math.IsInf(t.eta.value, 1) {
		e.DrainSeconds, e.DrainLow, e.DrainHigh = t.eta.of(), t.low.of(), t.high.of()
	}
	return e
}

// EstimatesComplete tells whether all is known that is estimated of the group, of which
// something was read: Estimates.Complete alone holds of a group of which nothing was.
func (g *Group) EstimatesComplete() bool {
	return g.Estimates.Complete && (g.Complete || len(g.Topics) > 0)
}

// PositionsKnown tells whether something is known of where the group is: it may be
// nowhere. Without it no topic says nothing.
func (g *Group) PositionsKnown() bool { return g.read.positions || len(g.Topics) > 0 }

// ArrivalOf is how fast one of the topic's partitions, by its index, grows up to where a
// group reads; it is what the group's estimates are made of.
func (t *Topic) ArrivalOf(g *Group, i int) rates.Value {
	list := t.Arrivals
	if g.ReadCommitted {
		list = t.StableArrivals
	}
	if i >= len(list) {
		return rates.Value{}
	}
	return list[i]
}

// aged is an estimate that could not be renewed for some time: what waits has waited
// longer by it, and what is left of the headroom is less.
func aged(e rates.Estimate, headroom rates.Value, by time.Duration) (rates.Estimate, rates.Value) {
	if age, ok := e.LagAge.Get(); ok && age > 0 {
		e.LagAge = rates.Of(age + by.Seconds())
	}
	if age, ok := e.CommitAge.Get(); ok {
		e.CommitAge = rates.Of(age + by.Seconds())
	}
	if left, ok := headroom.Get(); ok {
		headroom = rates.Of(max(0, left-by.Seconds()))
	}
	return e, headroom
}

// AgeAtLeast tells whether Estimates.LagAge is only at least so: something else waits
// whose age is not known.
func (g *Group) AgeAtLeast() bool {
	for i := range g.Topics {
		if g.Topics[i].AgeAtLeast() {
			return true
		}
	}
	return false
}

// AgeAtLeast is as that of a group.
func (t *GroupTopic) AgeAtLeast() bool {
	for i := range t.Pairs {
		if p := &t.Pairs[i]; !p.LagAge.Known() && p.mayLag() {
			return true
		}
	}
	return false
}
