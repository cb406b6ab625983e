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
		{"a minute is seven readings", Options{History: time.Minute, Interval: 10 * time.Second}, 50, 10 * time.Second, 44, 50},
		{"half an hour by default", Options{}, 500, 10 * time.Second, 320, 500},
		{"polls that come more often are not all kept", Options{History: 10 * time.Second, Interval: time.Second}, 100, time.Millisecond, 85, 100},
		{"nothing is left of before a long pause", Options{History: time.Minute, Interval: time.Second}, 20, time.Hour, 20, 20},
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
