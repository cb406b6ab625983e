package main

import (
	"math"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/rates"
)

// What has to have been seen of the current rates before estimates are held to
// anything: six polls and four commits.
const (
	enoughPolls   = 6
	enoughCommits = 4
	// right is an ETA that is within a quarter of the truth.
	right = 0.25
)

func settled(t *trace.Truth) bool { return t.Polls >= enoughPolls && t.Commits >= enoughCommits }

// grows tells whether the lag grows, or stays, for good: by more than a change of the
// rates that is none.
func grows(t *trace.Truth) bool {
	return settled(t) && math.IsInf(float64(t.ETA), 1) && (t.Drain == 0 || t.Arrival-t.Drain > simulate.Same*t.Arrival)
}

// score is how far estimates were from the truth. Errors are shares of the truth but
// for the age's, which are intervals between polls.
type score struct {
	arrival, drain    measured // settled
	age               measured // everywhere
	eta               measured // of what catches up, settled
	early             measured // of what catches up, not settled
	remaining         figures  // settled, of what is not processed yet
	bounds            ratio    // settled: the truth is within low and high
	keeps, keepsRight ratio    // settled, keeps up: given; no longer than to the next commit
	keepsEndless      ratio    // keeps up, with lag, settled or not: +Inf was said
	falseEndless      int      // the longest run of polls of these
	endless           ratio    // grows: said so
	finite            int      // the longest run of polls with a finite ETA though it grows
	finiteSeen        int      // the same, with more left than arrives between two commits and a poll
	recovery          figures  // polls until an ETA is right
	unrecovered       int
	compared          [comparisons]contest

	processing     measured // settled, behind
	idleProcessing ratio    // settled, keeps up: given, though it shows nothing
	commitAge      measured // everywhere, once there was a commit; in intervals
	headroom       measured // where something is deleted; in intervals
	headroomLate   figures  // by how much it was too long, in intervals; 0 where it was not
	group          groupScore

	worstETA, worstEarly, worstFinite, worstEndless, worstAge []worst
}

// measured is the errors of a number, and how often it was given.
type measured struct {
	errors figures
	given  ratio
}

func (m *measured) add(v rates.Value, truth, unit float64) (err float64, ok bool) {
	got, ok := v.Get()
	m.given.count(ok && !math.IsInf(got, 1))
	if !ok || math.IsInf(got, 1) {
		return 0, false
	}
	if err = math.Abs(got-truth) / unit; unit == 0 {
		err = off(got, truth)
	}
	m.errors = append(m.errors, err)
	return err, true
}

// worst is a sample with a large error.
type worst struct {
	run   run
	at    trace.Moment
	error float64
}

// addAll takes in the samples of a pair of a run, whose truths are known, in the order
// of time.
func (s *score) addAll(of run, interval float64, list []sample) {
	for _, x := range list {
		s.add(of, interval, x)
	}
	s.followAge(of, interval, list)
	s.followCommitAge(interval, list)
	s.followHeadroom(interval, list)
	s.followFinite(of, interval, list)
	s.followEndless(of, list)
	s.followChanges(list)
}

// add takes in a sample of a run; interval is that of its polls, in seconds.
func (s *score) add(of run, interval float64, x sample) {
	t := x.truth
	if settled(t) {
		s.rates(x)
	}
	switch eta := float64(t.ETA); {
	case math.IsInf(eta, 1):
		if grows(t) {
			s.endless.count(infinite(x.estimate.DrainSeconds))
		}
	case t.KeepsUp:
		if settled(t) {
			s.keepsUp(x, interval)
		}
	case x.lag > 0:
		s.catchesUp(of, x)
	}
}

func (s *score) rates(x sample) {
	s.arrival.add(x.arrivalValue(), x.truth.Arrival, x.truth.Arrival)
	s.drain.add(x.estimate.Drain, x.truth.Drain, x.truth.Drain)
	switch t := x.truth; {
	case t.KeepsUp:
		s.idleProcessing.count(x.estimate.Processing.Known())
	case t.Drain > 0:
		s.processing.add(x.estimate.Processing, 1/t.Drain, 1/t.Drain)
	}
}

// keepsUp counts an ETA as right if it is no longer than the usual time between two
// commits and a poll.
func (s *score) keepsUp(x sample, interval float64) {
	got, ok := x.estimate.DrainSeconds.Get()
	s.keeps.count(ok && !math.IsInf(got, 1))
	s.keepsRight.count(ok && got <= x.truth.Gap+interval)
}

func (s *score) catchesUp(of run, x sample) {
	truth := float64(x.truth.ETA)
	s.contest(x)
	if !settled(x.truth) {
		if err, ok := s.early.add(x.estimate.DrainSeconds, truth, truth); ok {
			s.worstEarly = keep(s.worstEarly, worst{of, x.at, err})
		}
		return
	}
	err, ok := s.eta.add(x.estimate.DrainSeconds, truth, truth)
	if !ok {
		return
	}
	s.worstETA = keep(s.worstETA, worst{of, x.at, err})
	low, _ := x.estimate.DrainLow.Get()
	high, _ := x.estimate.DrainHigh.Get()
	s.bounds.count(low <= truth && truth <= high)
	if remaining := float64(x.truth.Remaining); remaining > 0 {
		got, _ := x.estimate.DrainSeconds.Get()
		s.remaining = append(s.remaining, off(got, remaining))
	}
}

func infinite(v rates.Value) bool {
	got, ok := v.Get()
	return ok && math.IsInf(got, 1)
}
