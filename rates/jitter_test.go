package rates

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Polls that read a pair sooner or later after they begin, as real ones do, pushed its
// commits out of the history: one that commits every five minutes had no drain rate.
func TestMomentsOfPollsLeaveRoomForCommits(t *testing.T) {
	for _, every := range []int64{60, 300, 600} {
		r := rand.New(rand.NewPCG(uint64(every), 3))
		const interval = 10
		c := NewClock(Options{History: 30 * time.Minute, Interval: interval * time.Second})
		l, p := &Log{}, &Pair{}
		unknown := 0
		for poll := range int64(400) {
			now := snapshot.Instant(1e18 + poll*interval*int64(time.Second))
			c.Begin(now)
			at := now + snapshot.Instant(500*time.Millisecond) + snapshot.Instant(r.Float64()*float64(time.Second))
			end, committed := 100_000+100*interval*poll, 120*every*(interval*poll/every)
			l.Observe(c, snapshot.Reading{Offset: end, At: at})
			e, _ := p.Observe(c, l, Position{At: at, Committed: committed, Oldest: committed, Lag: end - committed, End: end})
			if poll > 250 && (!e.Drain.Known() || !e.DrainSeconds.Known()) {
				unknown++
			}
		}
		if unknown > 0 {
			t.Errorf("a commit every %d s: in %d polls of 149 the drain rate or time is not known", every, unknown)
		}
	}
}
