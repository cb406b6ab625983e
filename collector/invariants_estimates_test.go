package collector

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// An estimate is of something: there is no age, and no time until the lag is gone,
// without a lag. What is estimated of a group follows from its pairs.
func checkEstimates(t *testing.T, before *View, g *Group) {
	var all []Estimates
	for i := range g.Topics {
		topic := &g.Topics[i]
		checkValues(t, g.ID+" on "+topic.Topic, topic.Estimates)
		all = append(all, topic.Estimates)
		for j := range topic.Pairs {
			checkPairEstimate(t, g, &topic.Pairs[j], &topic.PairEstimates[j])
		}
	}
	checkValues(t, g.ID, g.Estimates)
	checkTogether(t, g, all)
	if n, ok := g.MembersNeeded.Get(); ok && (n < 0 || g.Estimates.Arrival.Known() == false) {
		t.Errorf("%s: %d members needed for %v", g.ID, n, g.Estimates)
	}
	if old := previous(before.Groups, g.ID, groupID); old != nil {
		checkFollowed(t, old, g)
	}
}

// checkFollowed are counters that never fall, and rounds that are told as they are
// counted.
func checkFollowed(t *testing.T, old, g *Group) {
	a, b := old.Ownership, g.Ownership
	for source := range b.Rebalances {
		if b.Rebalances[source] < a.Rebalances[source] {
			t.Errorf("%s: rebalances fell from %v to %v", g.ID, a, b)
		}
	}
	if g.Rewinds < old.Rewinds || g.Skips < old.Skips || b.Moved < a.Moved || b.Unstable < a.Unstable {
		t.Errorf("%s: fell from %v, %d rewinds, %d skips to %v, %d, %d", g.ID, a, old.Rewinds, old.Skips, b, g.Rewinds, g.Skips)
	}
	if counted := b.Rebalances != [ownership.Sources]uint64{}; counted != (len(g.Rounds) > 0) || counted && g.LastRound.Before(g.Rounds[len(g.Rounds)-1].At) || len(g.Rounds) > 20 {
		t.Errorf("%s: %v counted, the last at %v, and rounds %v", g.ID, b, g.LastRound, g.Rounds)
	}
	if (g.Rewinds+g.Skips > 0) != (len(g.Shifts) > 0) || len(g.Shifts) > latestShifts {
		t.Errorf("%s: %d rewinds and %d skips, and %v", g.ID, g.Rewinds, g.Skips, g.Shifts)
	}
}

func checkPairEstimate(t *testing.T, g *Group, p *Pair, e *PairEstimate) {
	what := fmt.Sprintf("%s: %s %s", g.ID, tellPair(g, p), tellPairEstimate(p.LagAge, e))
	lag, known := p.Lag.Get()
	if !known && (p.LagAge.Known() || e.DrainSeconds.Known() || e.Drain.Known() || e.Headroom.Known() || e.CommitAge.Known()) {
		t.Errorf("%s: an estimate of what is not known", what)
	}
	if left, ok := e.DrainSeconds.Get(); ok && (left == 0) != (lag == 0) {
		t.Errorf("%s: done in %v s", what, left)
	}
	if age, ok := p.LagAge.Get(); ok && age > 0 && lag == 0 {
		t.Errorf("%s: nothing waits for %v s", what, age)
	}
	if p.Lost.Known() != e.Lost.Known() && p.placed() || e.Lost.Or(0) < 0 {
		t.Errorf("%s: lost %v, since it is watched %v", what, p.Lost, e.Lost)
	}
	checkNumbers(t, what, e.Drain, e.Processing, e.CommitAge, e.Headroom, p.LagAge)
}

func checkValues(t *testing.T, what string, e Estimates) {
	checkNumbers(t, what, e.LagAge, e.UnreadAge, e.Arrival, e.Drain, e.Headroom)
	unread, known := e.UnreadAge.Get()
	if age, ok := e.LagAge.Get(); known && (unread > age || !ok && unread > 0) {
		t.Errorf("%s: unread for %v s, the lag is %v s old", what, unread, age)
	}
	left, known := e.DrainSeconds.Get()
	low, knownLow := e.DrainLow.Get()
	high, knownHigh := e.DrainHigh.Get()
	if known != knownLow || known != knownHigh || low > left || left > high {
		t.Errorf("%s: %v s, between %v and %v; known %v, %v, %v", what, left, low, high, known, knownLow, knownHigh)
	}
}

// checkNumbers are known numbers, or unknown.
func checkNumbers(t *testing.T, what string, values ...rates.Value) {
	for i, v := range values {
		if n, ok := v.Get(); ok && !(n >= 0 && n <= math.MaxFloat64) {
			t.Errorf("%s: value %d is %v", what, i, n)
		}
	}
}

func checkTogether(t *testing.T, g *Group, topics []Estimates) {
	age, left, unknown := 0.0, 0.0, false
	for _, e := range topics {
		if n, ok := e.LagAge.Get(); ok {
			age = max(age, n)
		}
		if n, ok := e.DrainSeconds.Get(); ok {
			left = max(left, n)
		}
	}
	for i := range g.Topics {
		unknown = unknown || g.Topics[i].Lag.Or(0) > 0 && !topics[i].DrainSeconds.Known()
	}
	if n, _ := g.Estimates.LagAge.Get(); n != age {
		t.Errorf("%s: %v s old, its topics %v", g.ID, n, age)
	}
	n, ok := g.Estimates.DrainSeconds.Get()
	if ok && (n != left || unknown && !math.IsInf(n, 1)) || !ok && math.IsInf(left, 1) {
		t.Errorf("%s: %v s, %v; its topics %v, of which some are not known: %v", g.ID, n, ok, left, unknown)
	}
}

// Of a group that reads committed records the arrival was told as that of the last stable
// offsets, and each partition's as that of the end: it is the sum of what is told.
func checkArrivals(t *testing.T, v *View, g *Group) {
	for i := range g.Topics {
		topic, sum := &g.Topics[i], 0.0
		log := previous(v.Topics, topic.Topic, topicName)
		told, known := topic.Estimates.Arrival.Get()
		if !known || log == nil {
			continue
		}
		for j := range topic.Pairs {
			p := &topic.Pairs[j]
			if at := slices.IndexFunc(log.Partitions, func(l snapshot.Partition) bool { return l.ID == p.Partition }); at >= 0 && (p.placed() || p.State == PairUnread) {
				n, _ := log.ArrivalOf(g, at).Get()
				sum += n
			}
		}
		if math.Abs(sum-told) > 1e-4*told {
			t.Errorf("%s: %v offsets/s arrive on %s, and %v on its partitions", g.ID, told, topic.Topic, sum)
		}
	}
}
