package rates

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// twin keeps every reading as it was.
type twin struct {
	polls    []uint32
	readings []snapshot.Reading
}

func (w *twin) observe(c *Clock, r snapshot.Reading) {
	if n := len(w.readings); n > 0 && r.Offset < w.readings[n-1].Offset {
		*w = twin{}
	}
	w.polls, w.readings = append(w.polls, c.last), append(w.readings, r)
	for len(w.polls) > 0 && w.polls[0] < c.first {
		w.polls, w.readings = w.polls[1:], w.readings[1:]
	}
}

func (w *twin) between(offset int64) (before, after snapshot.Reading, ok bool) {
	for i, r := range w.readings {
		if r.Offset > offset {
			if i == 0 {
				return before, after, false
			}
			return w.readings[i-1], r, true
		}
	}
	return before, after, false
}

// The history tells what one that keeps everything does: offsets to the digit, times
// to a hundredth of the interval.
func TestHistoryAgainstATwin(t *testing.T) {
	const polls = 400
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		every := []time.Duration{time.Second, 10 * time.Second, time.Minute}[seed%3]
		c := NewClock(Options{History: 100 * every, Interval: every})
		var l Log
		var w twin
		now, end := second, int64(rng.IntN(1000))
		for range polls {
			now += snapshot.Instant(float64(every) * (0.8 + 0.4*rng.Float64()))
			c.Begin(now)
			end = move(rng, end)
			if rng.IntN(10) == 0 {
				continue
			}
			at := now + snapshot.Instant(every/50)
			if rng.IntN(20) == 0 {
				at += snapshot.Instant(rng.Int64N(int64(every) / 2))
			}
			r := snapshot.Reading{Offset: end, At: at}
			w.observe(c, r)
			l.Observe(c, r)
			same(t, c, &l, &w, w.readings[rng.IntN(len(w.readings))].Offset+rng.Int64N(3)-1)
		}
	}
}

// move is what may happen to a log between two polls.
func move(rng *rand.Rand, end int64) int64 {
	switch rng.IntN(40) {
	case 0:
		return rng.Int64N(end + 1)
	case 1:
		return end + rng.Int64N(1<<40)
	case 2, 3, 4, 5, 6, 7, 8, 9, 10, 11:
		return end
	}
	return end + rng.Int64N(2000)
}

func same(t *testing.T, c *Clock, l *Log, w *twin, offset int64) {
	t.Helper()
	before, after, ok := l.between(c, offset)
	wantBefore, wantAfter, want := w.between(offset)
	if ok != want || ok && (!near(c, before, wantBefore) || !near(c, after, wantAfter)) {
		t.Fatalf("poll %d: %d was passed between %+v and %+v (%v), want %+v and %+v (%v)", c.last, offset, before, after, ok, wantBefore, wantAfter, want)
	}
	if first, ok := l.oldest(c); !ok || !near(c, first, w.readings[0]) {
		t.Fatalf("poll %d: the oldest is %+v (%v), want %+v", c.last, first, ok, w.readings[0])
	}
}

func near(c *Clock, got, want snapshot.Reading) bool {
	off := got.At.Sub(want.At).Abs()
	return got.Offset == want.Offset && off <= c.opts.Interval/100+time.Millisecond
}
