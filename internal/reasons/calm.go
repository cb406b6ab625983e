package reasons

import (
	"math/rand/v2"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate"
)

// calm are those in which nothing is to be said, at any time.
func calm() []world {
	return []world{
		{name: "calm", about: "Poisson arrivals, polls every 5 to 60 s, commits every 1 to 60 s", build: quiet(nothing)},
		{name: "calm-bursts", about: "the same, and what arrives comes in bursts of a minute, or in batches of 100", build: quiet(bursts)},
		{name: "calm-wave", about: "the same, and what arrives goes up and down by 60 % each hour", build: quiet(wave)},
		{name: "calm-trickle", about: "the same with a few records a minute, some partitions without any", build: quiet(trickle)},
		{name: "calm-lossy", about: "the same, one poll of ten fails, one partition of twenty is missing in others", unread: true, build: quiet(lossy)},
		{name: "calm-restart", about: "the same, and lagwatch is restarted three times", build: quiet(restarts)},
		{name: "calm-rolling", about: "the same, and each member is restarted once, one after the other", build: quiet(rolling)},
		{name: "calm-single", about: "one partition and one member", build: single},
	}
}

// hour is how long nothing happens.
const hour = 3600.0

func quiet(change func(r *rand.Rand, g *group, s *simulate.Setup)) func(r *rand.Rand) story {
	return func(r *rand.Rand) story { return keepsUp(r, 1.9, 3).calm(r, change) }
}

func (g *group) calm(r *rand.Rand, change func(r *rand.Rand, g *group, s *simulate.Setup)) story {
	g.polls = time.Duration(between(r, 5, 60)) * time.Second
	g.commits = time.Duration(between(r, 1, 60)) * time.Second
	s := g.setup(hour)
	change(r, g, &s)
	return story{s, 0, 0, hour}
}

func single(r *rand.Rand) story {
	g := keepsUp(r, 2, 3)
	g.partitions, g.members, g.rates = 1, 1, g.rates[:1]
	g.staff(r, between(r, 1.9, 3))
	return g.calm(r, pick(r, nothing, bursts, wave))
}

func nothing(*rand.Rand, *group, *simulate.Setup) {}

// bursts are of no more than the members can do.
func bursts(r *rand.Rand, g *group, s *simulate.Setup) {
	batches := r.IntN(2) == 0
	for i, rate := range g.rates {
		if batches {
			s.Producers[i].Batch = 100
		} else {
			s.Producers[i].Rate = simulate.Bursts(0.05*rate, rate, 120, 60, 120*r.Float64())
		}
	}
}

func wave(r *rand.Rand, g *group, s *simulate.Setup) {
	phase := r.Float64()
	for i, rate := range g.rates {
		s.Producers[i].Rate = simulate.Wave(rate/1.6, 0.6, hour, phase)
	}
}

func trickle(r *rand.Rand, g *group, s *simulate.Setup) {
	for i := range g.rates {
		s.Producers[i].Rate = simulate.Constant(pick(r, 0, 0.01, 0.05, 0.2))
	}
}

func lossy(_ *rand.Rand, _ *group, s *simulate.Setup) {
	s.Polls.Lost, s.Polls.LostOne, s.Polls.Jitter, s.Polls.Between = 0.1, 0.05, 0.3, time.Second
}

func restarts(r *rand.Rand, _ *group, s *simulate.Setup) {
	for i := range 3 {
		s.Events = append(s.Events, simulate.Restart(900*(float64(i)+r.Float64()), between(r, 5, 120))...)
	}
}

func rolling(r *rand.Rand, g *group, s *simulate.Setup) {
	pause, away := between(r, 20, 60), between(r, 5, 20)
	assign := pick(r, simulate.Rebalance, simulate.Shuffle) // a sticky assignor, or any
	for i := range g.members {
		var others []int
		for k := range g.members {
			if k != i {
				others = append(others, k)
			}
		}
		at := 900 + float64(i)*(away+pause)
		s.Events = append(s.Events, assign(at, between(r, 0.5, 4), others...)...)
		s.Events = append(s.Events, assign(at+away, between(r, 0.5, 4), g.all()...)...)
	}
}
