package reasons

import (
	"math/rand/v2"
	"slices"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// slow are those in which somebody is slower than records arrive.
func slow() []world {
	return []world{
		{name: "uneven-keys", about: "a partition gets more than its owner can do", want: wants(diagnosis.HotPartition), build: unevenKeys},
		{name: "uneven-keys-before", about: "the same since before lagwatch began to watch", want: wants(diagnosis.HotPartition), build: unevenBefore},
		{name: "slow-dependency", about: "what all members can do falls by 30 to 70 %, to 40 to 85 % of what arrives", want: wants(diagnosis.SlowDependency), build: slowDependency},
		{name: "slow-member", about: "what one member can do falls to 40 to 85 % of what arrives for it", want: wants(diagnosis.SlowMember), build: slowMember},
		{name: "under-capacity", about: "arrivals grow in three steps, to 115 to 180 % of what each member can do at least", want: wants(diagnosis.UnderCapacity), build: underCapacity},
		{name: "under-capacity-slowly", about: "arrivals grow for an hour, from 60 to 130 % of what each member can do at least", want: wants(diagnosis.UnderCapacity), build: slowlyUnder},
		{name: "members-lost", about: "half of the members leave or more, and none of the others can do it all", want: wants(diagnosis.UnderCapacity), build: membersLost},
		{name: "slow-dependency-restart", about: "lagwatch restarts when a dependency has been slow for two minutes: what was before is not known", want: wants(diagnosis.SlowDependency, diagnosis.UnderCapacity), build: slowRestart},
	}
}

// hot makes a partition get so much that its owner can only do a part of it.
func (g *group) hot(r *rand.Rand) (partition int, rate float64) {
	i := g.rich(r)
	return pick(r, g.owns[i]...), max(3*slices.Max(g.rates), g.capacities[i]*between(r, 1.1, 2))
}

func unevenKeys(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	p, rate := g.hot(r)
	return g.happens(func(s *simulate.Setup) {
		s.Producers[p].Rate = simulate.Steps(g.rates[p], simulate.Change{From: trouble, To: rate})
	})
}

func unevenBefore(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	p, rate := g.hot(r)
	s := g.setup(lasts)
	s.Producers[p].Rate = simulate.Constant(rate)
	s.Behind = make([]int64, g.partitions)
	s.Behind[p] = int64(rate * between(r, 60, 600))
	return story{s, 0, patience, lasts}
}

// slowDependency: each member could do a bit more than it had to, and then a part of it.
func slowDependency(r *rand.Rand) story {
	left := between(r, 0.4, 0.85)
	fall := between(r, max(0.3, 1-left/1.2), 0.7)
	g := keepsUp(r, 1.5, 2)
	return g.happens(func(s *simulate.Setup) {
		for i := range s.Members {
			after := g.loads[i] * min(0.9, around(r, left))
			s.Members[i].Capacity = simulate.Steps(max(1.15*g.loads[i], after/(1-fall)), simulate.Change{From: trouble, To: after})
		}
	})
}

func slowMember(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	i := g.rich(r)
	return g.happens(func(s *simulate.Setup) {
		s.Members[i].Capacity = simulate.Steps(g.capacities[i], simulate.Change{From: trouble, To: g.loads[i] * between(r, 0.4, 0.85)})
	})
}

// underCapacity grows until the last member of all cannot do it any more.
func underCapacity(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2)
	most := 0.0
	for i, c := range g.capacities {
		most = max(most, c/g.loads[i])
	}
	most *= between(r, 1.15, 1.8)
	return g.happens(func(s *simulate.Setup) {
		for i, rate := range g.rates {
			s.Producers[i].Rate = simulate.Steps(rate, simulate.Change{From: trouble - 120, To: rate * (1 + (most-1)/3)},
				simulate.Change{From: trouble - 60, To: rate * (1 + (most-1)*2/3)}, simulate.Change{From: trouble, To: rate * most})
		}
	})
}

// slowlyUnder: what is usual grows with it, until it is too much.
func slowlyUnder(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 1.5)
	least, most := forever, 0.0
	for i, c := range g.capacities {
		least, most = min(least, c/g.loads[i]), max(most, c/g.loads[i])
	}
	from, to := 0.6*least, 1.3*most
	full := hour * (most - from) / (to - from)
	s := g.setup(hour)
	for i, rate := range g.rates {
		s.Producers[i].Rate = func(t float64) float64 { return rate * (from + (to-from)*t/hour) }
	}
	return story{s, full, min(full+patience, hour), hour}
}

// membersLost: those who stay have to do twice as much or three times.
func membersLost(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2)
	stay := g.all()[(g.members+1)/2:]
	return g.happens(func(s *simulate.Setup) {
		for i := range s.Members {
			s.Members[i].Capacity = simulate.Constant(g.loads[i] * between(r, 1.2, 1.5))
		}
		s.Events = simulate.Rebalance(trouble, 3, stay...)
	})
}

func slowRestart(r *rand.Rand) story {
	s := slowDependency(r)
	s.setup.Events = simulate.Restart(trouble+120, 5)
	return s
}
