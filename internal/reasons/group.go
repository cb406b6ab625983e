package reasons

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate"
)

// noise is by how much arrivals and capacities vary every ten seconds, and how much
// partitions and members differ among each other.
const noise = 0.2

// Something happens after trouble seconds, is judged patience later, and goes on for
// lasts.
const (
	trouble  = 900.0
	patience = 300.0
	lasts    = 1200.0
)

// group is a group that keeps up, before anything happens to it.
type group struct {
	partitions, members int
	rates               []float64 // of arrivals, by partition
	owns                [][]int
	loads, capacities   []float64 // by member, in records per second
	polls, commits      time.Duration
}

func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }
func around(r *rand.Rand, v float64) float64          { return v * between(r, 1-noise, 1+noise) }
func pick[T any](r *rand.Rand, list ...T) T           { return list[r.IntN(len(list))] }

// keepsUp is a group of which each member can do from low to high of what the busiest
// has to.
func keepsUp(r *rand.Rand, low, high float64) *group {
	g := &group{
		members: 3 + r.IntN(4),
		polls:   time.Duration(pick(r, 5, 10, 10, 15, 30)) * time.Second,
		commits: time.Duration(pick(r, 1, 5, 5, 10, 30)) * time.Second,
	}
	g.partitions = g.members*2 + r.IntN(g.members)
	rate := between(r, 10, 200)
	for range g.partitions {
		g.rates = append(g.rates, around(r, rate))
	}
	g.staff(r, between(r, low, high))
	return g
}

// staff gives the partitions to members that can do so much of what the busiest of them
// has to do.
func (g *group) staff(r *rand.Rand, headroom float64) {
	g.owns = simulate.Spread(g.partitions, g.members)
	g.loads, g.capacities = nil, nil
	for _, owns := range g.owns {
		load := 0.0
		for _, p := range owns {
			load += g.rates[p]
		}
		g.loads = append(g.loads, load)
	}
	for range g.members {
		g.capacities = append(g.capacities, around(r, headroom*slices.Max(g.loads)))
	}
}

// rich is the index of a member that owns several partitions, of which there always is
// one.
func (g *group) rich(r *rand.Rand) int {
	for {
		if i := r.IntN(g.members); len(g.owns[i]) > 1 {
			return i
		}
	}
}

// all are the members.
func (g *group) all() (list []int) {
	for i := range g.members {
		list = append(list, i)
	}
	return list
}

// setup is the group's world in which nothing happens.
func (g *group) setup(seconds float64) simulate.Setup {
	s := simulate.Setup{
		Length: time.Duration(seconds * float64(time.Second)), Noise: noise, Delay: 200 * time.Millisecond,
		Commit: simulate.Commit{Every: g.commits, Late: 0.02},
		Polls:  simulate.Polls{Every: g.polls, Jitter: 0.05, Between: 300 * time.Millisecond},
		Past:   simulate.Past{PerSecond: mean(g.rates), Span: 24 * time.Hour},
	}
	for _, rate := range g.rates {
		// As producers do: some batches a second, at random moments.
		s.Producers = append(s.Producers, simulate.Producer{Rate: simulate.Constant(rate), Batch: max(1, int(rate/10))})
	}
	for i := range g.members {
		s.Members = append(s.Members, simulate.Member{
			Capacity: simulate.Constant(g.capacities[i]), Jitter: noise, Swing: 10 * time.Second, Owns: g.owns[i],
		})
	}
	return s
}

// happens is the group's story, in which something begins at trouble and does not end
// before the run does.
func (g *group) happens(change func(s *simulate.Setup)) story {
	s := g.setup(trouble + lasts)
	change(&s)
	return story{s, trouble, trouble + patience, trouble + lasts}
}

func mean(list []float64) (m float64) {
	for _, v := range list {
		m += v / float64(len(list))
	}
	return m
}
