package main

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/rates"
)

func seconds(n int) trace.Moment { return trace.Moment(n) * trace.Moment(time.Second) }

func TestQuantile(t *testing.T) {
	f := figures{5, 1, 4, 2, 3, 6, 7, 8, 9, 10}
	for share, want := range map[float64]float64{0: 1, 0.1: 1, 0.5: 5, 0.9: 9, 0.91: 10, 1: 10} {
		if got := f.quantile(share); got != want {
			t.Errorf("p%g is %v, want %v", 100*share, got, want)
		}
	}
	if got := (figures{}).worst(); !math.IsNaN(got) {
		t.Errorf("the worst of nothing is %v", got)
	}
}

func TestOff(t *testing.T) {
	tests := []struct{ estimate, truth, want float64 }{
		{100, 100, 0}, {150, 100, 0.5}, {50, 100, 0.5}, {0, 0, 0}, {3, 0, 1}, {0, 3, 1},
	}
	for _, tt := range tests {
		if got := off(tt.estimate, tt.truth); got != tt.want {
			t.Errorf("%v for %v is off by %v, want %v", tt.estimate, tt.truth, got, tt.want)
		}
	}
}

// catching is a sample of a pair that catches up in 100 s, with what is said of it; NaN
// for nothing. The rates have been seen for so many polls and as many commits.
func catching(at, polls int, says float64) sample {
	return sample{
		at: seconds(at), lag: 1000,
		truth:    &trace.Truth{Arrival: 10, Drain: 20, Gap: 5, Age: 50, ETA: 100, Remaining: 80, Polls: polls, Commits: polls},
		estimate: rates.Estimate{DrainSeconds: rates.Of(says), DrainLow: rates.Of(says * 0.8), DrainHigh: rates.Of(says * 1.2)},
		others:   [alternatives]float64{150, math.NaN(), math.Inf(1)},
	}
}

func growing(at int, says float64) sample {
	x := catching(at, 10, says)
	x.truth.Drain, x.truth.ETA, x.truth.Remaining = 5, trace.Infinite(math.Inf(1)), trace.Infinite(math.Inf(1))
	return x
}

func TestScoreOfWhatCatchesUp(t *testing.T) {
	nothing := math.NaN()
	s := &score{}
	s.addAll(run{}, 10, []sample{
		catching(0, 1, 400), catching(10, 2, nothing), catching(20, 3, 110),
		catching(30, 6, 110), catching(40, 7, 90), catching(50, 8, 130), catching(60, 9, nothing), catching(70, 10, math.Inf(1)),
	})
	want := score{
		eta:   measured{figures{0.1, 0.1, 0.3}, ratio{3, 5}},
		early: measured{figures{3, 0.1}, ratio{2, 3}},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	all := cmp.AllowUnexported(measured{}, ratio{})
	if diff := cmp.Diff([]measured{want.eta, want.early}, []measured{s.eta, s.early}, near, all); diff != "" {
		t.Errorf("settled and early (-want +got):\n%s", diff)
	}
	if s.bounds != (ratio{2, 3}) {
		t.Errorf("bounds %+v: 110 and 90 enclose 100, 130 (104 to 156) does not", s.bounds)
	}
	if diff := cmp.Diff(figures{3}, s.recovery); diff != "" || s.unrecovered != 0 {
		t.Errorf("right from the third poll on (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(figures{0.375, 0.125, 0.625}, s.remaining, near); diff != "" {
		t.Errorf("against what is unprocessed (-want +got):\n%s", diff)
	}
	c := s.compared[everywhere]
	if c[0].given != (ratio{5, 8}) || c[1].given != (ratio{8, 8}) || c[2].given != (ratio{0, 8}) || c[3].given != (ratio{0, 8}) {
		t.Errorf("given: %+v %+v %+v %+v", c[0].given, c[1].given, c[2].given, c[3].given)
	}
	if got := c[1].errors.quantile(0.5); got != 0.5 {
		t.Errorf("150 for 100 is off by %v", got)
	}
	if got := c[2].errors.quantile(0.5); got != 1 {
		t.Errorf("what is not given is off by %v, want 100 %%", got)
	}
}

func TestScoreOfWhatGrows(t *testing.T) {
	inf := math.Inf(1)
	s := &score{}
	almost := growing(110, 50)
	almost.truth.Drain = 9.6 // may as well be as fast as arrivals
	small := growing(60, 50)
	small.lag = 150 // what arrives between two commits and a poll
	s.addAll(run{"x", 3}, 10, []sample{
		growing(0, inf), growing(10, 50), growing(20, 50), growing(30, inf), growing(40, 50), growing(50, 50), small,
		growing(70, math.NaN()), almost,
	})
	if s.finiteSeen != 2 {
		t.Errorf("the longest run of what can be seen is %d, want 2", s.finiteSeen)
	}
	if s.finite != 3 || s.endless != (ratio{2, 8}) {
		t.Errorf("the longest run is %d, want 3; +Inf was said %+v", s.finite, s.endless)
	}
	if w := s.worstFinite; len(w) != 1 || w[0].at != seconds(60) || w[0].run.seed != 3 {
		t.Errorf("worst %+v", w)
	}
}

func TestScoreOfWhatKeepsUp(t *testing.T) {
	s := &score{}
	for i, says := range []float64{0, 5, 14, 16, math.Inf(1), math.NaN()} {
		x := catching(10*i, 10, says)
		x.truth.KeepsUp, x.truth.ETA, x.truth.Gap = true, 0, 5
		s.add(run{}, 10, x)
	}
	if s.keeps != (ratio{4, 6}) || s.keepsRight != (ratio{3, 6}) {
		t.Errorf("given %+v, no longer than a gap and a poll %+v", s.keeps, s.keepsRight)
	}
}

func TestWhatKeepsUpIsNeverEndless(t *testing.T) {
	var list []sample
	for i, says := range []float64{math.Inf(1), 3, math.Inf(1), math.Inf(1), math.NaN(), math.Inf(1)} {
		x := catching(10*i, 1, says) // not settled
		x.truth.KeepsUp, x.truth.ETA, x.truth.Gap = true, 0, 5
		if i > 0 {
			x.estimate.CommitAge = rates.Of(1) // the first commit was seen
		}
		list = append(list, x)
	}
	s := &score{}
	s.addAll(run{}, 10, list)
	if s.keepsEndless != (ratio{3, 5}) || s.falseEndless != 2 || s.worstEndless[0].at != seconds(30) {
		t.Errorf("+Inf %+v, the longest run %d at %+v", s.keepsEndless, s.falseEndless, s.worstEndless)
	}
}

// An age is held to the time between the polls around the arrival: a lost poll is no
// fault of the estimate, and otherwise there is one interval.
func TestAgesAreHeldToTheIntervalTheyFallIn(t *testing.T) {
	list := []sample{catching(0, 1, 1), catching(10, 2, 1), catching(50, 3, 1), catching(60, 4, 1)}
	list[2].truth.Age, list[2].estimate.LagAge = 30, rates.Of(10) // arrived between 10 and 50
	list[3].truth.Age, list[3].estimate.LagAge = 55, rates.Of(60) // between 0 and 10
	s := &score{}
	s.followAge(run{}, 10, list)
	if diff := cmp.Diff(figures{0.5, 0.5}, s.age.errors); diff != "" || s.age.given != (ratio{2, 4}) {
		t.Errorf("given %+v, (-want +got):\n%s", s.age.given, diff)
	}
}

func TestChangesThatAreNeverRight(t *testing.T) {
	s := &score{}
	var list []sample
	for i := range 8 {
		list = append(list, catching(10*i, i+1, 200))
	}
	list = append(list, catching(80, 1, 200), catching(90, 2, 100))
	s.followChanges(list)
	if diff := cmp.Diff(figures{2}, s.recovery); diff != "" || s.unrecovered != 1 {
		t.Errorf("%d never right, want 1 (-want +got):\n%s", s.unrecovered, diff)
	}
}

func TestTheWorstAreOneForEachRun(t *testing.T) {
	var list []worst
	for i := range 3 * listed {
		list = keep(list, worst{run{"a", uint64(i % (listed + 2))}, 0, float64(i)})
	}
	if len(list) != listed || list[0].error != 3*listed-1 || list[listed-1].error != 2*listed {
		t.Errorf("%+v", list)
	}
}
