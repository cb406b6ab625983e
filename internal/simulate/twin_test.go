package simulate

import (
	"math"
	"testing"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// Truths are compared with what the world did, by the definitions: how far the end
// and the work really got while rates are said to hold, since when the end really was
// beyond an offset, and how soon a backlog really was gone.
func TestTruthsAreWhatHappened(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			r := random(1)
			setup := s.Build(r)
			w := newWorld(setup, r)
			watch(t, w, int(setup.Length.Seconds()/step))
		})
	}
}

// compared is how many steps are between two truths that are compared.
const compared = 2503

// state is a partition after a step.
type state struct {
	end, committed, processed int64
	truth                     trace.Truth
	hold                      float64
}

func watch(t *testing.T, w *world, steps int) {
	states := make([][]state, len(w.parts))
	for range steps {
		w.step()
		for i, p := range w.parts {
			x := state{p.end(), p.committed, p.processed(), trace.Truth{}, 0}
			if w.at%compared == 0 {
				x.truth = *w.truth(p, p.committed)
				x.hold = max(p.rates.since(p.arrival, p.drain), p.cut)
			}
			states[i] = append(states[i], x)
		}
	}
	for i, p := range w.parts {
		for k := compared - 1; k < steps; k += compared {
			compareRates(t, p, states[i], k)
			compareAge(t, p, states[i], k)
			if t.Failed() {
				t.Fatalf("partition %d, %.1f s", i, float64(k+1)*step)
			}
		}
	}
}

// compareRates compares with the mean over the time that the rates are said to hold.
func compareRates(t *testing.T, p *partition, states []state, k int) {
	now := states[k]
	from := int(now.hold/step) + 50
	seconds := float64(k-from) * step
	if seconds < 120 {
		return
	}
	// Chance: batches arrive together, and a second's work varies by a tenth.
	batch := float64(max(1, p.producer.Batch))
	slack := 6*math.Sqrt(now.truth.Arrival*batch/seconds) + Same*now.truth.Arrival + 2/seconds
	if got := float64(now.end-states[from].end) / seconds; math.Abs(got-now.truth.Arrival) > slack {
		t.Errorf("arrival %v, and from %d to %d it was %v", now.truth.Arrival, from, k, got)
	}
	slack = 6*math.Sqrt(now.truth.Arrival*batch/seconds) + (Same+0.6/math.Sqrt(seconds))*now.truth.Drain + 2/seconds
	if !now.truth.KeepsUp { // some is worked off later
		slack += 3 * float64(batch) / seconds
	}
	if got := float64(now.processed-states[from].processed) / seconds; math.Abs(got-now.truth.Drain) > slack {
		t.Errorf("drain %v, and from %d to %d it was %v ± %v", now.truth.Drain, from, k, got, slack)
	}
}

// compareAge looks for the first step after which the end was beyond the oldest
// unread offset.
func compareAge(t *testing.T, p *partition, states []state, k int) {
	now := states[k]
	oldest := max(now.committed, p.start)
	if now.end <= oldest || oldest < p.first {
		return
	}
	for i, s := range states {
		if s.end > oldest {
			if want := float64(k-i) * step; math.Abs(want-now.truth.Age) > 1e-6 && p.start <= now.committed {
				t.Errorf("age %v, want %v", now.truth.Age, want)
			}
			return
		}
	}
}

func TestABacklogIsGoneWhenSaid(t *testing.T) {
	for _, name := range []string{"catch-up-5s", "catch-up-batch", "catch-up-bursts", "replay", "worked-example"} {
		t.Run(name, func(t *testing.T) {
			setup := find(t, name).Build(random(1))
			w := newWorld(setup, random(1))
			said := math.NaN()
			for range int(setup.Length.Seconds() / step) {
				w.step()
				p := w.parts[0]
				if w.at == 7000 {
					said = w.now() + float64(w.truth(p, p.committed).Remaining)
				}
				if !math.IsNaN(said) && p.keepsUp() {
					if math.Abs(w.now()-said) > 0.1*(said-700)+5 {
						t.Errorf("after 700 s it was said to be gone at %.0f s; it was at %.0f s", said, w.now())
					}
					return
				}
			}
			t.Error("the backlog is never gone")
		})
	}
}
