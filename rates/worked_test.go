package rates

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// scene is a pair that is polled at even times.
type scene struct {
	clock *Clock
	log   Log
	pair  Pair
	now   snapshot.Instant
	every time.Duration
}

func newScene(every time.Duration) *scene {
	return &scene{clock: NewClock(Options{Interval: every}), now: 1e18, every: every}
}

// poll observes where both are.
func (s *scene) poll(end, committed int64) (e Estimate, rewound int64) {
	s.now += snapshot.Instant(s.every)
	s.clock.Begin(s.now)
	s.log.Observe(s.clock, snapshot.Reading{Offset: end, At: s.now})
	return s.pair.Observe(s.clock, &s.log, Position{
		At: s.now, Committed: committed, Oldest: committed, Lag: end - committed, End: end,
	})
}

// numbers are those of an estimate that a table can be written with; −1 is unknown.
func numbers(s *scene, e Estimate) map[string]float64 {
	get := func(v Value) float64 {
		if n, ok := v.Get(); ok {
			return n
		}
		return -1
	}
	return map[string]float64{
		"in": s.log.Arrival(s.clock).PerSecond, "out": get(e.Drain), "remaining": get(e.DrainSeconds),
	}
}

func TestWorkedNumbers(t *testing.T) {
	for _, tt := range []struct {
		name                           string
		in, out                        float64
		lag, polls                     int64
		wantIn, wantOut, wantRemaining float64
	}{
		{"120 in and 100 out never ends", 120, 100, 9000, 40, 120, 100, math.Inf(1)},
		{"net 30 with 9000 behind takes 300 s", 120, 150, 9000, 40, 120, 150, 300},
		{"nothing happens, 10 behind for an hour", 0, 0, 10, 360, 0, 0, math.Inf(1)},
		{"replay at 1000 against 200", 200, 1000, 80000, 7, 200, 1000, 100},
		{"no lag is no time", 50, 50, 0, 20, 50, 50, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(10 * time.Second)
			var e Estimate
			end := int64(1e6)
			for i := tt.polls - 1; i >= 0; i-- {
				ago := float64(i) * 10
				e, _ = s.poll(end-int64(tt.in*ago), end-tt.lag-int64(tt.out*ago))
			}
			want := map[string]float64{"in": tt.wantIn, "out": tt.wantOut, "remaining": tt.wantRemaining}
			if diff := cmp.Diff(want, numbers(s, e)); diff != "" {
				t.Errorf("after %d polls (-want +got):\n%s", tt.polls, diff)
			}
		})
	}
}

// A consumer that is 20/s too slow falls behind by 1200 a minute, and never ends from
// the moment that its rate is known.
func TestFallingBehindNeverEnds(t *testing.T) {
	s := newScene(10 * time.Second)
	for i := range int64(60) {
		e, _ := s.poll(100_000+1200*i, 90_000+1000*i)
		if remaining, ok := e.DrainSeconds.Get(); ok && !math.IsInf(remaining, 1) {
			t.Fatalf("poll %d: %g s remaining of a lag that grows", i, remaining)
		} else if i >= 6 && !ok {
			t.Fatalf("poll %d: nothing is known", i)
		}
	}
}
