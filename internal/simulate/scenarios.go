package simulate

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Scenarios are all there are, in the order in which they are shown.
func Scenarios() []Scenario {
	return slices.Concat(keepingUp(), catchingUp(), changing(), breaking(), watching())
}

// Find returns the scenario of a name; false if there is none.
func Find(name string) (Scenario, bool) {
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

func keepingUp() []Scenario {
	return []Scenario{
		{"keeps-up", "all is well, commits every 5 s", func(r *rand.Rand) Setup {
			rate := between(r, 20, 500)
			return one(time.Hour, Producer{Constant(rate), 1}, Constant(rate*between(r, 1.3, 3)), every(5*time.Second))
		}},
		{"keeps-up-60s", "all is well, commits every minute", func(r *rand.Rand) Setup {
			rate := between(r, 20, 500)
			return one(time.Hour, Producer{Constant(rate), 1}, Constant(rate*between(r, 1.3, 3)), every(time.Minute))
		}},
		{"keeps-up-10min", "all is well, commits every ten minutes", func(r *rand.Rand) Setup {
			rate := between(r, 20, 500)
			return one(3*time.Hour, Producer{Constant(rate), 1}, Constant(rate*between(r, 1.3, 3)), every(10*time.Minute))
		}},
		{"trickle", "a record a second, worked off at once", func(r *rand.Rand) Setup {
			rate := between(r, 0.5, 2)
			return one(time.Hour, Producer{Constant(rate), 1}, Constant(20), every(5*time.Second))
		}},
		{"bursts-kept-up", "a minute of 100/s, a minute of none, worked off after a second, commits every 5 or 30 s", func(r *rand.Rand) Setup {
			return keptUp(Bursts(0, around(r, 100, 0.2), 120, 60, between(r, 0, 60)), [2]time.Duration{5 * time.Second, 30 * time.Second}[r.IntN(2)])
		}},
		{"on-off-fast", "five seconds of records, five of none, a poll every 10 s, worked off after a second", func(r *rand.Rand) Setup {
			return keptUp(Bursts(0, around(r, 200, 0.5), 10, 5, between(r, 0, 10)), 5*time.Second)
		}},
	}
}

// keptUp are records of which none waits for longer than its way takes and the next
// commit.
func keptUp(rate Curve, commits time.Duration) Setup {
	s := one(time.Hour, Producer{rate, 1}, Constant(1000), every(commits))
	s.Past, s.Delay = day(50), time.Second
	return s
}

func catchingUp() []Scenario {
	return []Scenario{
		{"worked-example", "120/s in, 100/s out, after ten minutes 150/s out", func(*rand.Rand) Setup {
			s := one(40*time.Minute, Producer{Constant(120), 0}, Steps(100, Change{600, 150}), Commit{Batch: 1})
			s.Members[0].Jitter = 0
			s.Behind = []int64{1200}
			return s
		}},
		{"catch-up-5s", "net drain 20–300 % of arrivals, commits every 5 s", func(r *rand.Rand) Setup {
			return catchUp(between(r, 20, 500), 1, between(r, 0.2, 3), 30*time.Minute, every(5*time.Second))
		}},
		{"catch-up-60s", "net drain 20–300 % of arrivals, commits every minute", func(r *rand.Rand) Setup {
			return catchUp(between(r, 20, 500), 1, between(r, 0.2, 3), 40*time.Minute, every(time.Minute))
		}},
		{"catch-up-10min", "net drain 20–300 % of arrivals, commits every ten minutes", func(r *rand.Rand) Setup {
			return catchUp(between(r, 20, 500), 1, between(r, 0.2, 3), 150*time.Minute, every(10*time.Minute))
		}},
		{"catch-up-batch", "net drain 20–300 % of arrivals, a commit after each 500 records", func(r *rand.Rand) Setup {
			return catchUp(between(r, 10, 300), 1, between(r, 0.2, 3), 30*time.Minute, Commit{Batch: 500})
		}},
		{"catch-up-trickle", "a record or two a second, net drain 50–300 %", func(r *rand.Rand) Setup {
			return catchUp(between(r, 0.5, 2), 1, between(r, 0.5, 3), 40*time.Minute, every(5*time.Second))
		}},
		{"catch-up-bursts", "records arrive 50 at once, net drain 50–300 %", func(r *rand.Rand) Setup {
			return catchUp(between(r, 50, 300), 50, between(r, 0.5, 3), 30*time.Minute, every(5*time.Second))
		}},
		{"falls-behind", "arrivals exceed the capacity by 10–50 %", func(r *rand.Rand) Setup {
			rate := between(r, 20, 500)
			s := one(40*time.Minute, Producer{Constant(rate), 1}, Constant(rate/between(r, 1.1, 1.5)), every(5*time.Second))
			s.Behind = []int64{int64(rate * 60)}
			return s
		}},
		{"replay", "from the earliest offset at 1000/s, 100–400/s arrive", func(r *rand.Rand) Setup {
			rate := between(r, 100, 400)
			s := one(40*time.Minute, Producer{Constant(rate), 1}, Constant(1000), every(5*time.Second))
			s.Past.Span = time.Hour
			s.Behind = []int64{int64(rate * 3600)}
			return s
		}},
	}
}
