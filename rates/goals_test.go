package rates

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// world is a log and a consumer of which everything is known.
type world struct {
	rng                  *rand.Rand
	arrival, capacity    float64 // offsets a second
	batch, every, poll   float64 // records that come at once; seconds between commits, and polls
	now, end, done       float64
	committed, next      float64
	behind               bool
	polls, commits       int // since the rates are what they are
	estimates            judged
	clock                *Clock
	log                  Log
	pair                 Pair
	polled, lastCommit   float64
	lost, jitter, uneven float64
}

// judged is how far off estimates were, where rates had been seen long enough.
type judged struct{ arrival, drain, eta, inside, given, kept []float64 }

const tick = 0.25

// step is what happens in a tick.
func (w *world) step() {
	w.now += tick
	w.end += w.batch * float64(poisson(w.rng, w.arrival*tick/w.batch))
	w.done = min(w.end, w.done+max(0, w.capacity*tick*(1+w.uneven*w.rng.NormFloat64())))
	if behind := w.end-w.done > w.arrival/2+1; behind != w.behind {
		w.behind, w.polls, w.commits = behind, 0, 0
	}
	if w.now >= w.next {
		w.committed, w.next = math.Floor(w.done), w.next+w.every
	}
}

// look is a poll.
func (w *world) look() {
	w.clock.Begin(instants(w.now))
	end, committed := int64(w.end), int64(w.committed)
	w.polls++
	if w.committed != w.lastCommit {
		w.commits, w.lastCommit = w.commits+1, w.committed
	}
	w.log.Observe(w.clock, snapshot.Reading{Offset: end, At: w.clock.Now()})
	e, _ := w.pair.Observe(w.clock, &w.log, Position{At: w.clock.Now(), Committed: committed, Oldest: committed, Lag: end - committed, End: end})
	if w.polls >= 6 && w.commits >= 4 {
		w.judge(e, w.log.Arrival(w.clock), float64(end-committed))
	}
}

func (w *world) judge(e Estimate, in Rate, lag float64) {
	j := &w.estimates
	j.arrival = append(j.arrival, off(in.PerSecond, w.arrival))
	truth := w.capacity
	if !w.behind {
		truth = min(w.arrival, w.capacity)
	}
	if drain, ok := e.Drain.Get(); ok && truth > 0 {
		j.drain = append(j.drain, off(drain, truth))
	}
	seconds, known := e.DrainSeconds.Get()
	known = known && !math.IsInf(seconds, 1)
	switch net := w.capacity - w.arrival; {
	case net <= 0:
	case !w.behind:
		j.kept = append(j.kept, within(0, seconds, w.every+2*w.poll)*float64(one(known)))
	default:
		j.given = append(j.given, float64(one(known)))
		if known {
			low, _ := e.DrainLow.Get()
			high, _ := e.DrainHigh.Get()
			j.eta, j.inside = append(j.eta, off(seconds, lag/net)), append(j.inside, within(low, lag/net, high))
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// run lets phases happen: seconds, and what arrives and can be done in them.
func (w *world) run(phases [][3]float64) {
	w.clock = NewClock(Options{Interval: time.Duration(w.poll * 1e9)})
	next, until := w.poll*w.rng.Float64(), 0.0
	for _, p := range phases {
		until += p[0]
		w.arrival, w.capacity, w.polls, w.commits = p[1], p[2], 0, 0
		for w.now < until {
			if w.step(); w.now < next {
				continue
			}
			next += w.poll * (0.95 + 0.1*w.rng.Float64())
			if w.rng.Float64() >= 0.03 {
				w.look()
			}
		}
	}
}

// Where rates have been visible for six polls and four commits, estimates are as good
// as on-call needs them; see docs/estimates.md for what that is.
func TestGoals(t *testing.T) {
	shapes := map[string]func(a float64) [][3]float64{
		"keeps up":     func(a float64) [][3]float64 { return [][3]float64{{1500, a, 3 * a}, {900, 1.2 * a, 3 * a}} },
		"after outage": func(a float64) [][3]float64 { return [][3]float64{{900, a, 2 * a}, {400, a, 0}, {1500, a, 1.6 * a}} },
		"slows down": func(a float64) [][3]float64 {
			return [][3]float64{{900, a, 2 * a}, {900, a, 0.6 * a}, {1500, a, 1.4 * a}}
		},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			var all judged
			for i := range 24 {
				w := world{
					rng: rand.New(rand.NewPCG(uint64(i), 9)), batch: []float64{1, 1, 20}[i%3],
					every: []float64{1, 5, 60}[i/3%3], poll: []float64{5, 10, 30}[i%3], uneven: 0.3,
				}
				w.run(shape(50 * math.Pow(20, w.rng.Float64())))
				all.add(w.estimates)
			}
			all.check(t)
		})
	}
}

func (j *judged) add(o judged) {
	j.arrival, j.drain, j.eta = append(j.arrival, o.arrival...), append(j.drain, o.drain...), append(j.eta, o.eta...)
	j.inside, j.given, j.kept = append(j.inside, o.inside...), append(j.given, o.given...), append(j.kept, o.kept...)
}

func (j *judged) check(t *testing.T) {
	t.Helper()
	atMost := func(what string, values []float64, part, limit float64) {
		if got := quantile(values, part); got > limit {
			t.Errorf("%s: off by %.1f %% at p%.0f, more than %.0f %%", what, 100*got, 100*part, 100*limit)
		}
	}
	atLeast := func(what string, values []float64, limit float64) {
		if got := mean(values); got < limit {
			t.Errorf("%s: %.1f %% of the time, less than %.0f %%", what, 100*got, 100*limit)
		}
	}
	atMost("arrival rate", j.arrival, 0.9, 0.05)
	atMost("drain rate", j.drain, 0.9, 0.05)
	atMost("drain time", j.eta, 0.5, 0.10)
	atMost("drain time", j.eta, 0.9, 0.25)
	atLeast("drain time is a number", j.given, 0.95)
	atLeast("truth within low and high", j.inside, 0.90)
	atLeast("what keeps up is gone by the next commit", j.kept, 0.95)
	t.Logf("of %d polls %d catch up and %d keep up", len(j.arrival), len(j.eta), len(j.kept))
}
