package rates

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// A backlog that neither grows nor shrinks has no drain time but +Inf: noise of arrivals
// and the moments of commits made one up in every other poll.
func TestABacklogThatStays(t *testing.T) {
	finite, polls := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		s := newScene(10 * time.Second)
		end, worked := 50_000.0, 0.0
		for poll := range 100 {
			end += 1000 + 32*r.NormFloat64() // as Poisson's 100/s are
			worked += 1000
			unseen := 500 * r.Float64() // up to 5 s of work
			e, _ := s.poll(int64(end), int64(worked-unseen))
			if eta, ok := e.DrainSeconds.Get(); poll > 12 && ok {
				polls++
				if !math.IsInf(eta, 1) {
					finite++
				}
			}
		}
	}
	if polls < 1000 || float64(finite) > 0.05*float64(polls) {
		t.Errorf("a drain time in %d of %d polls", finite, polls)
	}
}
