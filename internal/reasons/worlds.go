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

// stalled are those in which something stands still.
func stalled() []world {
	return []world{
		{name: "poison-record", about: "a partition stands still while its owner goes on with others", want: wants(diagnosis.StalledPartition), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			p := pick(r, g.owns[g.rich(r)]...)
			return g.happens(func(s *simulate.Setup) { s.Events = simulate.Stick(p, trouble, forever) })
		}},
		{name: "poison-record-standalone", about: "the same of a job that commits without members", want: wants(diagnosis.StalledPartition), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			p := pick(r, g.owns[g.rich(r)]...)
			return g.happens(func(s *simulate.Setup) { s.Standalone, s.Events = true, simulate.Stick(p, trouble, forever) })
		}},
		{name: "hung-member", about: "a member does nothing more, and stays in the group", want: wants(diagnosis.StalledMember), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			i := g.rich(r)
			return g.happens(func(s *simulate.Setup) { s.Events = simulate.Pause(i, trouble, forever) })
		}},
		{name: "hung-member-of-one", about: "the same where each has one partition", want: wants(diagnosis.StalledMember), build: func(r *rand.Rand) story {
			g := oneEach(r)
			i := r.IntN(g.members)
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
		{name: "no-consumers-restart", about: "lagwatch restarts a minute after that", want: wants(diagnosis.NoConsumers), build: func(r *rand.Rand) story {
			g := keepsUp(r, 1.5, 2.5)
			return g.happens(func(s *simulate.Setup) {
				s.Events = slices.Concat(simulate.Rebalance(trouble, 0), simulate.Restart(trouble+60, 5))
			})
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
	of := g.happens(func(s *simulate.Setup) {
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
	of.judged = trouble + 420 // two minutes unstable, of which a third is
	return of
}

func idle(r *rand.Rand) story {
	g := oneEach(r)
	s := g.setup(lasts)
	for range 1 + r.IntN(4) {
		s.Members = append(s.Members, simulate.Member{Capacity: simulate.Constant(g.capacities[0])})
	}
	return story{s, 0, patience, lasts}
}

// oneEach is a group that keeps up, in which each member has one partition.
func oneEach(r *rand.Rand) *group {
	g := keepsUp(r, 1.5, 2.5)
	g.partitions = g.members
	g.rates = g.rates[:g.partitions]
	g.staff(r, between(r, 1.5, 2.5))
	return g
}

// going are those in which the lag shrinks.
func going() []world {
	return []world{
		{name: "catching-up", about: "all stand still for 15 to 25 minutes, and then work off what came", want: wants(diagnosis.CatchingUp), build: catchingUp},
		{name: "rewound", about: "an admin sets the empty group back by 15 to 30 minutes, and its members come back", want: wants(diagnosis.CatchingUp, diagnosis.Rewound), also: diagnosis.Rewound, build: rewound},
	}
}

func catchingUp(r *rand.Rand) story {
	g := keepsUp(r, 1.5, 2.5)
	stood := between(r, 900, 1500)
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
