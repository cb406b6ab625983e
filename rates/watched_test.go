package rates

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// What had been unread for longer than the history was said to have waited for just as
// long as that; and every poll walked through all of the history to say so.
func TestWatchedIsRemembered(t *testing.T) {
	c := NewClock(Options{History: 5 * time.Minute, Interval: 10 * time.Second})
	var l Log
	var p Pair
	poll := func(at snapshot.Instant, end, committed int64) {
		c.Begin(at)
		l.Observe(c, snapshot.Reading{Offset: end, At: at})
		p.Observe(c, &l, Position{At: at, Committed: committed, Oldest: committed, Lag: end - committed, End: end})
	}
	const interval = snapshot.Instant(10 * time.Second)
	at := interval
	for i := range int64(100) {
		at += interval
		poll(at, 1000+i, 5)
	}
	first := 2 * interval
	for _, tt := range []struct {
		name      string
		committed int64
		want      time.Duration
	}{
		{"stands still", 5, at.Sub(first) + 10*time.Second},
		{"went back", 3, at.Sub(first) + 20*time.Second},
		{"moved on", 7, 5 * time.Minute}, // to a record of which only the history tells
		{"is read", 1105, 0},             // nothing is there
	} {
		at += interval
		poll(at, 1104, tt.committed)
		if got := p.Watched(c, &l, tt.committed); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
