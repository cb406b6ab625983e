package simulate

import (
	"math"
	"sort"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// Same is how far two rates may be apart and still be the same: a share of the later.
const Same = 0.05

// rateLog is how the current rates of a partition went, each time they changed.
type rateLog []rates

type rates struct{ at, arrival, drain float64 }

// note takes in what holds now; what is new by a thousandth at most is not.
func (l *rateLog) note(at, arrival, drain float64) {
	if n := len(*l); n == 0 || !near((*l)[n-1].arrival, arrival, 0.001) || !near((*l)[n-1].drain, drain, 0.001) {
		*l = append(*l, rates{at, arrival, drain})
	}
}

// since tells from when on both rates were the same as now.
func (l rateLog) since(arrival, drain float64) float64 {
	from := math.Inf(1)
	for i := len(l) - 1; i >= 0 && near(l[i].arrival, arrival, Same) && near(l[i].drain, drain, Same); i-- {
		from = l[i].at
	}
	return from
}

func near(v, to, within float64) bool { return math.Abs(v-to) <= within*to }

// seen is what polls saw of a partition: when they looked, and when those commits
// were made that they found new.
type seen struct {
	polls, commits []float64
	committed      int64
}

func (s *seen) observe(now float64, committed int64, commitAt float64) {
	if len(s.polls) > 0 && committed != s.committed {
		s.commits = append(s.commits, commitAt)
	}
	s.polls, s.committed = append(s.polls, now), committed
}

// after counts the moments that are not before one.
func after(moments []float64, from float64) int {
	return len(moments) - sort.SearchFloat64s(moments, from)
}

// truth is what holds now for a partition on which a poll saw a committed offset.
func (w *world) truth(p *partition, committed int64) *trace.Truth {
	now := w.now()
	oldest := max(committed, p.start)
	lag := float64(max(0, p.end()-oldest))
	t := &trace.Truth{Arrival: p.arrival, Drain: p.drain, Gap: w.gap(p), KeepsUp: p.keepsUp()}
	t.ETA, t.Remaining = p.left(lag), p.left(p.backlog())
	if lag > 0 {
		t.Age = now - p.passed(oldest)
	}
	hold := max(p.rates.since(p.arrival, p.drain), p.cut)
	t.Polls, t.Commits = after(p.seen.polls, hold), after(p.seen.commits, hold)
	if p.drain == 0 {
		t.Commits = int(max(0, now-hold) / t.Gap)
	}
	return t
}

// keepsUp tells whether what is unprocessed only just arrived, and does not grow.
func (p *partition) keepsUp() bool {
	return !p.behind && p.drain >= p.arrival && (p.drain > 0 || p.backlog() < 1)
}

// left is how long a number of records takes if both rates stay what they are.
func (p *partition) left(records float64) trace.Infinite {
	switch net := p.drain - p.arrival; {
	case records < 1 || p.keepsUp():
		return 0
	case net > 0:
		return trace.Infinite(records / net)
	}
	return trace.Infinite(math.Inf(1))
}

// gap is the longest usual time between two commits of a partition.
func (w *world) gap(p *partition) float64 {
	c := w.setup.Commit
	if c.Batch == 0 {
		return c.Every.Seconds()*(1+c.Late) + step
	}
	if p.behind && p.drain > 0 {
		return float64(c.Batch)/p.drain + step
	}
	return step
}
