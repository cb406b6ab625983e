package rates

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestPassedAgainstTruth restarts on logs of every shape: one poll, and some
// answers later it is known when any record arrived, within the interval of polls.
func TestPassedAgainstTruth(t *testing.T) {
	const over, interval = 40 * time.Hour, 10 * time.Second
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 6))
			var asks []int
			for range 10 {
				log := shape(r, over)
				for range 10 {
					w := watch(log, interval)
					w.poll(after(over))
					// Most are hours old; one in ten is the oldest.
					offset := w.end(after(over - time.Duration(r.IntN(int(over)))))
					if r.IntN(10) == 0 {
						offset = 0
					}
					offset = min(offset, w.end(w.now)-1)
					asks = append(asks, w.search(t, offset))
					w.mustKnow(t, offset, interval)
				}
			}
			slices.Sort(asks)
			t.Logf("answers needed: %d mostly, %d at p90, %d at most", asks[len(asks)/2], asks[len(asks)*9/10], asks[len(asks)-1])
			if most := asks[len(asks)-1]; most > 20 && name != "for years" || most > 30 {
				t.Errorf("needed %d answers", most)
			}
			if name == "evenly" && asks[len(asks)/2] > 5 {
				t.Errorf("mostly needed %d answers", asks[len(asks)/2])
			}
		})
	}
}

// mustKnow compares with the truth.
func (w *watched) mustKnow(t *testing.T, offset int64, tolerance time.Duration) {
	t.Helper()
	mustBeInOrder(t, &w.log)
	at, within, ok := w.log.Passed(w.clock, offset)
	if !ok {
		t.Errorf("offset %d of %d is not known", offset, w.end(w.now))
		return
	}
	truth := w.arrived[offset]
	if off := max(at.Sub(truth), truth.Sub(at)); off > tolerance {
		t.Errorf("offset %d passed %v ago, known as %v ago within %v", offset, w.now.Sub(truth), w.now.Sub(at), within)
	}
	if at > w.now {
		t.Errorf("offset %d passes in %v", offset, at.Sub(w.now))
	}
	if within > tolerance {
		t.Errorf("offset %d is known within %v", offset, within)
	}
}
