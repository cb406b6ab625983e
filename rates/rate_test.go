package rates

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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

// The poll in which a rate changed belongs to neither.
func TestArrivalAfterAChangeBetweenPolls(t *testing.T) {
	for _, mixed := range []int{100, 300, 500, 700, 900} {
		c, l := NewClock(Options{Interval: 10 * time.Second}), &Log{}
		var got Rate
		for i := range 46 {
			end := 1000 * i
			if i >= 40 {
				end += mixed + 1000*(i-40)
			}
			c.Begin(snapshot.Instant(i+1) * 10 * second)
			l.Observe(c, snapshot.Reading{Offset: int64(end), At: c.Now()})
			got = l.Arrival(c)
		}
		if got.PerSecond != 200 {
			t.Errorf("%d after the change: %g/s of 200", mixed, got.PerSecond)
		}
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
