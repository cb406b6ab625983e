package rates

import (
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const second = snapshot.Instant(time.Second)

func TestClockRemembersTheHistory(t *testing.T) {
	for _, tt := range []struct {
		name              string
		options           Options
		polls             int
		every             time.Duration
		wantFirst, wantIs uint32
	}{
		{"nothing yet", Options{}, 0, 0, 1, 0},
		{"fewer polls than the history has", Options{History: time.Minute, Interval: 10 * time.Second}, 5, 10 * time.Second, 1, 5},
		{"two minutes and a half are sixteen readings", Options{History: 150 * time.Second, Interval: 10 * time.Second}, 50, 10 * time.Second, 35, 50},
		{"five minutes are thirty-one", Options{History: 5 * time.Minute, Interval: 10 * time.Second}, 50, 10 * time.Second, 20, 50},
		{"sixteen polls are kept of a history shorter than they are apart", Options{History: time.Minute, Interval: time.Hour}, 50, time.Hour, 35, 50},
		{"half an hour by default", Options{}, 500, 10 * time.Second, 320, 500},
		{"polls that come more often are not all kept", Options{History: 10 * time.Second, Interval: time.Second}, 100, time.Millisecond, 85, 100},
		{"sixteen are left after a long pause", Options{History: time.Minute, Interval: time.Second}, 20, time.Hour, 5, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewClock(tt.options)
			for i := range tt.polls {
				c.Begin(second + snapshot.Instant(i)*snapshot.Instant(tt.every))
			}
			if c.first != tt.wantFirst || c.last != tt.wantIs {
				t.Errorf("remembers polls %d to %d, want %d to %d", c.first, c.last, tt.wantFirst, tt.wantIs)
			}
		})
	}
}

func TestClockGoesOnlyOn(t *testing.T) {
	c := NewClock(Options{Interval: time.Second})
	for _, at := range []snapshot.Instant{5 * second, 5 * second, 3 * second, math.MinInt64, 6 * second} {
		c.Begin(at)
	}
	if c.last != 2 || c.Now() != 6*second {
		t.Errorf("%d polls, the last at %d s; want 2 and 6 s", c.last, c.Now()/second)
	}
}

// A poll so far from the last one that an Instant cannot hold the difference would
// have been in the past of all others.
func TestClockAtTheEndsOfTime(t *testing.T) {
	c := NewClock(Options{Interval: time.Second})
	c.Begin(math.MinInt64)
	c.Begin(math.MaxInt64)
	if c.last != 1 || c.Now() != math.MinInt64 {
		t.Errorf("%d polls, the last at %d", c.last, c.Now())
	}
}

// With a history shorter than some polls are apart, which is accepted, nothing was ever
// estimated.
func TestEstimatesOfFewPolls(t *testing.T) {
	for _, tt := range []struct{ history, interval time.Duration }{
		{time.Minute, 30 * time.Second}, {time.Minute, time.Minute},
		{30 * time.Minute, 1000 * time.Second}, {30 * time.Minute, time.Hour},
	} {
		s := newScene(tt.interval)
		s.clock = NewClock(Options{History: tt.history, Interval: tt.interval})
		each := int64(tt.interval / time.Second)
		for poll := range int64(40) {
			e, _ := s.poll(100_000_000+100*each*poll, 5_000_000+150*each*poll)
			drain, ok := e.Drain.Get()
			if in := s.log.Arrival(s.clock); poll > 6 && (!ok || off(drain, 150) > 0.02 || off(in.PerSecond, 100) > 0.02 || !finite(e)) {
				t.Errorf("history %s, interval %s, poll %d: %+v in and %g/s (%v) out, %+v", tt.history, tt.interval, poll, in, drain, ok, e.DrainSeconds)
			}
		}
	}
}
