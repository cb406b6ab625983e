package rates

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// poisson is how many records come where so many are expected.
func poisson(rng *rand.Rand, expected float64) int64 {
	if expected > 30 {
		return int64(max(0, math.Round(expected+math.Sqrt(expected)*rng.NormFloat64())))
	}
	n, p := int64(0), rng.Float64()
	for limit := math.Exp(-expected); p > limit; n++ {
		p *= rng.Float64()
	}
	return n
}

// quantile is the value that a part of all values does not exceed.
func quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return values[min(len(values)-1, int(part*float64(len(values))))]
}

func off(got, want float64) float64 { return math.Abs(got-want) / want }

// grown is a log to which records come one by one: next polls it after ten seconds of a
// rate.
func grown(seed uint64) (next func(rate float64) Rate) {
	rng := rand.New(rand.NewPCG(seed, 3))
	c, l := NewClock(Options{Interval: 10 * time.Second}), &Log{}
	now, end := second, int64(0)
	return func(rate float64) Rate {
		passed := 10 * (0.95 + 0.1*rng.Float64())
		now += instants(passed)
		end += poisson(rng, rate*passed)
		c.Begin(now)
		l.Observe(c, snapshot.Reading{Offset: end, At: now})
		return l.Arrival(c)
	}
}

func TestArrivalNoticesAChange(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after float64
	}{
		{"a fifth more", 200, 240},
		{"a sixth less", 240, 200},
		{"twice as much", 200, 400},
		{"a tenth", 1000, 100},
		{"all of it", 0, 100},
		{"nothing any more", 100, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var errors []float64
			for seed := range uint64(100) {
				next := grown(seed)
				for range 120 {
					next(tt.before)
				}
				var got Rate
				for range 6 {
					got = next(tt.after)
				}
				errors = append(errors, math.Abs(got.PerSecond-tt.after)/max(tt.after, 1))
			}
			if p90 := quantile(errors, 0.9); p90 > 0.05 {
				t.Errorf("six polls after the change the rate is off by %.1f %% at p90", 100*p90)
			}
		})
	}
}

// What comes at random does not make the rate jump about.
func TestArrivalDoesNotFlap(t *testing.T) {
	var steps, errors, inside []float64
	for seed := range uint64(20) {
		next := grown(seed)
		last := 0.0
		for poll := range 300 {
			got := next(100)
			if poll > 60 {
				steps = append(steps, off(got.PerSecond, last))
				errors = append(errors, off(got.PerSecond, 100))
				inside = append(inside, within(got.Low, 100, got.High))
			}
			last = got.PerSecond
		}
	}
	if p99 := quantile(steps, 0.99); p99 > 0.04 {
		t.Errorf("from one poll to the next the rate moves by %.1f %% at p99", 100*p99)
	}
	if p90 := quantile(errors, 0.9); p90 > 0.02 {
		t.Errorf("the rate is off by %.1f %% at p90", 100*p90)
	}
	if share := mean(inside); share < 0.9 {
		t.Errorf("the truth is within low and high %.0f %% of the time", 100*share)
	}
}

// A log that was not read for longer than the history has no rate from before.
func TestArrivalAfterAPause(t *testing.T) {
	c, l := NewClock(Options{Interval: 10 * time.Second}), &Log{}
	for i := range 60 {
		c.Begin(snapshot.Instant(i+1) * 10 * second)
		l.Observe(c, snapshot.Reading{Offset: int64(1000 * i), At: c.Now()})
	}
	for i := range 200 {
		c.Begin(snapshot.Instant(610+10*i) * second)
	}
	l.Observe(c, snapshot.Reading{Offset: 60_000, At: c.Now()})
	if got := l.Arrival(c); got.Known {
		t.Errorf("%+v from one reading", got)
	}
}

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

func within(low, v, high float64) float64 {
	if low <= v && v <= high {
		return 1
	}
	return 0
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
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
		got := p.drain(c, Position{At: c.Now(), Lag: 1}).rate()
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
