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

// TestWorstAnswers has a broker that always tells as little as it can of a record of
// the last 20 hours.
func TestWorstAnswers(t *testing.T) {
	worst, records := 0, spaced(10*time.Second, func(time.Duration) time.Duration { return time.Millisecond })
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 11))
		w := watch(records, 10*time.Second)
		w.poll(after(time.Hour))
		from, to, asks := add(w.now, -20*time.Hour), w.now, 0
		below, above, offset := int64(0), w.end(w.now), 1+r.Int64N(w.end(w.now)-1)
		for ; asks < 100; asks++ {
			at, ok := w.log.Ask(w.clock, offset, 10*time.Second)
			switch {
			case !ok:
			case at < from: // nothing is older
				w.log.Learn(w.clock, at, true, 0, from)
			case at > to:
				w.log.Learn(w.clock, at, false, 0, 0)
			case at-from > to-at:
				to, above = at, offset+1+r.Int64N(max(above-offset-1, 1))
				w.log.Learn(w.clock, at, true, above, at)
			default:
				from, below = at, below+r.Int64N(max(offset-below-1, 1))
				w.log.Learn(w.clock, at, true, below, at)
			}
			if !ok {
				break
			}
		}
		worst = max(worst, asks)
	}
	t.Logf("answers needed: %d at most", worst)
	if worst > 21 {
		t.Errorf("needed %d answers", worst)
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
