package reasons

import (
	"math/rand/v2"
	"slices"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// worlds are all there are, in the order in which they are shown.
func worlds() []world { return slices.Concat(slow(), stalled(), without(), going(), calm()) }

// forever is longer than any run.
const forever = 1e6

func wants(c ...diagnosis.Condition) []diagnosis.Condition { return c }

// slow are those in which somebody is slower than records arrive.
func slow() []world {
	return []world{
		{name: "uneven-keys", about: "a partition gets more than its owner can do", want: wants(diagnosis.HotPartition), build: unevenKeys},
		{name: "uneven-keys-before", about: "the same since before lagwatch began to watch", want: wants(diagnosis.HotPartition), build: unevenBefore},
		{name: "slow-dependency", about: "what all members can do falls by 30 to 70 %, to 40 to 85 % of what arrives", want: wants(diagnosis.SlowDependency), build: slowDependency},
		{name: "slow-member", about: "what one member can do falls to 40 to 85 % of what arrives for it", want: wants(diagnosis.SlowMember), build: slowMember},
		{name: "under-capacity", about: "arrivals grow in three steps, to 115 to 180 % of what each member can do at least", want: wants(diagnosis.UnderCapacity), build: underCapacity},
		{name: "under-capacity-slowly", about: "arrivals grow for an hour, from 60 to 130 % of what each member can do at least", want: wants(diagnosis.UnderCapacity), build: slowlyUnder},
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

// stalled are those in which something stands still.
func stalled() []world {
	return []world{
		{name: "poison-record", about: "a partition stands still while its owner goes on with others", want: wants(diagnosis.StalledPartition), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			p := pick(r, g.owns[g.rich(r)]...)
			return g.happens(func(s *simulate.Setup) { s.Events = simulate.Stick(p, trouble, forever) })
		}},
		{name: "hung-member", about: "a member does nothing more, and stays in the group", want: wants(diagnosis.StalledMember), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			i := g.rich(r)
			return g.happens(func(s *simulate.Setup) { s.Events = simulate.Pause(i, trouble, forever) })
		}},
		{name: "group-stopped", about: "no member does anything more: a dependency is down", want: wants(diagnosis.StalledGroup), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			return g.happens(func(s *simulate.Setup) {
				for i := range g.members {
					s.Events = append(s.Events, simulate.Pause(i, trouble+between(r, 0, 10), forever)...)
				}
			})
		}},
	}
}

// without are those in which members come, go, or are none.
func without() []world {
	return []world{
		{name: "no-consumers", about: "all members leave", want: wants(diagnosis.NoConsumers), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			return g.happens(func(s *simulate.Setup) { s.Events = simulate.Rebalance(trouble, 0) })
		}},
		{name: "rebalance-storm", about: "a rebalance of 8 to 20 s every 25 to 45 s", want: wants(diagnosis.Rebalancing), build: storm},
		{name: "standalone", about: "commits without members", want: wants(diagnosis.Standalone), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			s := g.setup(lasts)
			s.Standalone = true
			return story{s, 0, patience, lasts}
		}},
		{name: "idle-members", about: "one to four members more than partitions", want: wants(diagnosis.IdleMembers), build: idle},
	}
}

func storm(r *rand.Rand) story {
	g := keepsUp(r, 2, 3)
	return g.happens(func(s *simulate.Setup) {
		for t := trouble; t < trouble+lasts; {
			took := between(r, 8, 20)
			there := g.all()
			if out := r.IntN(2 * g.members); out < g.members {
				there = slices.Delete(there, out, out+1)
			}
			s.Events = append(s.Events, simulate.Shuffle(t, took, there...)...)
			t += took + between(r, 17, 25)
		}
	})
}

func idle(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	g.partitions = g.members
	g.rates = g.rates[:g.partitions]
	g.staff(r, between(r, 1.5, 2.5))
	s := g.setup(lasts)
	for range 1 + r.IntN(4) {
		s.Members = append(s.Members, simulate.Member{Capacity: simulate.Constant(g.capacities[0])})
	}
	return story{s, 0, patience, lasts}
}

// going are those in which the lag shrinks.
func going() []world {
	return []world{
		{name: "catching-up", about: "all stand still for five to ten minutes, and then work off what came", want: wants(diagnosis.CatchingUp), build: catchingUp},
		{name: "rewound", about: "an admin sets the empty group back by 15 to 30 minutes, and its members come back", want: wants(diagnosis.CatchingUp, diagnosis.Rewound), also: diagnosis.Rewound, build: rewound},
	}
}

func catchingUp(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	stood := between(r, 300, 600)
	took := stood * g.quickest()
	s := g.setup(trouble + stood + took)
	for i := range g.members {
		s.Events = append(s.Events, simulate.Pause(i, trouble, stood)...)
	}
	return story{s, trouble + stood, trouble + stood + min(patience, took/2), trouble + stood + took}
}

func rewound(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	far := between(r, 900, 1800)
	back := trouble + between(r, 30, 120)
	took := min(far*g.quickest(), 570) // it is told for ten minutes
	s := g.setup(back + took)
	s.Events = slices.Concat(simulate.Rebalance(trouble, 0), simulate.Rebalance(back, 3, g.all()...))
	for i, rate := range g.rates {
		s.Events = append(s.Events, simulate.Rewind(i, trouble+20, int64(far*rate))...)
	}
	return story{s, back, back + min(patience, took/2), back + took}
}

// quickest is how long the member that is done first works on what came in a second.
func (g *group) quickest() float64 {
	quick := forever
	for i, c := range g.capacities {
		quick = min(quick, g.loads[i]/(c-g.loads[i]))
	}
	return 0.8 * quick
}
