package rates

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// A commit was made between the two polls around it; where a poll was lost it still was
// no longer ago than commits are apart.
func TestWhenACommitWasMade(t *testing.T) {
	for _, tt := range []struct {
		name              string
		ago, apart        []float64
		wantAgo, wantSure []float64
	}{
		{"one commit", []float64{5}, []float64{10}, []float64{10}, []float64{100. / 12}},
		{"fewer commits than polls", []float64{0, 60, 120}, []float64{10, 20, 10}, []float64{5, 70, 125}, []float64{100. / 12, 400. / 12, 100. / 12}},
		{"more commits than polls", []float64{0, 10, 20, 40}, []float64{10, 10, 20, 10}, []float64{5, 15, 20 + 20./3, 45}, []float64{100. / 12, 100. / 12, 1600. / 9 / 12, 100. / 12}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := knots{n: len(tt.ago)}
			copy(k.ago[:], tt.ago)
			copy(k.unsure[:], tt.apart)
			k.date()
			approx := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if diff := cmp.Diff([2][]float64{tt.wantAgo, tt.wantSure}, [2][]float64{k.ago[:k.n], k.unsure[:k.n]}, approx); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// commit is one as polls see it: made after one poll and not after another.
type commit struct {
	offset      float64
	after, seen float64 // seconds
}

// slopes are the bounds of all lines through all commits, from the definition.
func slopes(all []commit) (low, high float64) {
	low, high = 0, math.Inf(1)
	for i, a := range all {
		for _, b := range all[i+1:] {
			low = max(low, (b.offset-a.offset)/(b.seen-a.after))
			if shortest := b.after - a.seen; shortest > 0 {
				high = min(high, (b.offset-a.offset)/shortest)
			}
		}
	}
	return low, high
}

// A consumer that works evenly and commits now and then shows its rate, whenever polls come
// and whichever are lost: the rate is one that a line through all commits may
// have, or next to it, and its bounds enclose the truth.
func TestDrainOfSteps(t *testing.T) {
	var errors, inside []float64
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 4))
		every := []float64{1, 5, 60, 600}[seed%4] * (0.8 + 0.4*rng.Float64())
		interval := []float64{5, 10, 30, 60}[rng.IntN(4)]
		speed := 10 * math.Pow(100, rng.Float64())
		c := NewClock(Options{Interval: time.Duration(interval * 1e9), History: time.Hour})
		var l Log
		var p Pair
		var seen []commit
		now, before, last := 10.0, 10.0, -1.0
		for len(seen) < 8 || now < 10*interval {
			now += interval * (0.9 + 0.2*rng.Float64())
			if rng.IntN(20) == 0 {
				continue
			}
			made := math.Floor(speed * every * math.Floor(now/every))
			if last >= 0 && made > last {
				seen = append(seen, commit{made, before, now})
			}
			before, last = now, made
			c.Begin(instants(now))
			l.Observe(c, snapshot.Reading{Offset: 1e9, At: c.Now()})
			p.Observe(c, &l, Position{At: c.Now(), Committed: int64(made), Lag: int64(1e9 - made), End: 1e9})
		}
		got := p.drain(c, &l, Position{At: c.Now(), Lag: 1}).rate()
		low, high := slopes(seen)
		if !got.Known || got.High < low || got.Low > high {
			t.Errorf("seed %d: %+v, but a line through all %d commits rises by %g to %g", seed, got, len(seen), low, high)
		}
		errors = append(errors, off(got.PerSecond, speed))
		inside = append(inside, within(got.Low, speed, got.High))
	}
	if p90 := quantile(errors, 0.9); p90 > 0.05 {
		t.Errorf("the rate is off by %.1f %% at p90", 100*p90)
	}
	if share := mean(inside); share < 0.9 {
		t.Errorf("the truth is within low and high %.0f %% of the time", 100*share)
	}
}
