package main

import (
	"math"
	"testing"

	"github.com/lagwatch/lagwatch/internal/simulate"
)

// first are the samples of the first partition in a scenario.
func first(t *testing.T, scenario string, seed uint64) []sample {
	t.Helper()
	s, ok := simulate.Find(scenario)
	if !ok {
		t.Fatalf("no scenario %q", scenario)
	}
	all, _ := samples(s, seed)
	return all[pair{simulate.Group, place{simulate.Topic, 0}}]
}

// Fault 19: a constant lag on an idle topic was shown as caught up, or never drained.
func TestIdleTopicWithAConstantLag(t *testing.T) {
	list := first(t, "idle", 1)
	begun := list[0].at.Seconds()
	for i, x := range list {
		age, ok := x.estimate.LagAge.Get()
		if !ok || math.Abs(age-x.truth.Age) > 10 {
			t.Fatalf("at %.0f s the age is %v, want %v", x.at.Seconds(), age, x.truth.Age)
		}
		if i > 1 {
			before, _ := list[i-1].estimate.LagAge.Get()
			// What the broker's answers left open may be found out, and never more than that.
			if grown := age - before; grown < 0 || grown > 20 {
				t.Fatalf("at %.0f s the age has grown by %v", x.at.Seconds(), grown)
			}
		}
		if x.at.Seconds()-begun < 750 {
			continue
		}
		drain, ok := x.estimate.Drain.Get()
		if !ok || drain != 0 || !infinite(x.estimate.DrainSeconds) {
			t.Fatalf("at %.0f s drain %s, ETA %s; want 0 and +Inf", x.at.Seconds(), cell(x.estimate.Drain), cell(x.estimate.DrainSeconds))
		}
	}
}

// Fault 20: the ETA of a replay was that of whatever came before it.
func TestReplayFromTheEarliestOffset(t *testing.T) {
	for seed := range uint64(3) {
		for _, x := range first(t, "replay", seed+1) {
			// In the first two minutes there is not much to go by; a minute before the end the
			// lag is no more than what arrives between commits.
			if eta := float64(x.truth.ETA); x.truth.Polls > 12 && !math.IsInf(eta, 1) && eta > 60 {
				if got, ok := x.estimate.DrainSeconds.Get(); !ok || off(got, eta) > 0.2 {
					t.Errorf("seed %d, at %.0f s: ETA %s, want %.0f s", seed+1, x.at.Seconds(), cell(x.estimate.DrainSeconds), eta)
				}
			}
		}
	}
}

// Fault 21: while a burst was drained the ETA jumped about.
func TestBurstThenDrain(t *testing.T) {
	for seed := range uint64(3) {
		before := math.NaN()
		for _, x := range first(t, "hourly-burst", seed+1) {
			eta := float64(x.truth.ETA)
			if !settled(x.truth) || math.IsInf(eta, 1) || eta < 60 {
				before = math.NaN()
				continue
			}
			got, ok := x.estimate.DrainSeconds.Get()
			if !ok || got > before*1.1 {
				t.Errorf("seed %d, at %.0f s: ETA %s after %.0f s", seed+1, x.at.Seconds(), cell(x.estimate.DrainSeconds), before)
			}
			before = got
		}
	}
}

// Fault 22: a restart showed all that had ever been committed as drained at once.
func TestRestartOfTheExporter(t *testing.T) {
	for seed := range uint64(3) {
		restarts, ages := 0, ratio{}
		for _, x := range first(t, "restart", seed+1) {
			drain, known := x.estimate.Drain.Get()
			if x.truth.Polls == 1 && x.truth.Commits == 0 && !x.truth.KeepsUp {
				restarts++
				if known || !x.estimate.LagAge.Known() {
					t.Errorf("seed %d: in the first poll, at %.0f s, drain is %s, and age %s", seed+1, x.at.Seconds(), cell(x.estimate.Drain), cell(x.estimate.LagAge))
				}
			}
			if known && !x.truth.KeepsUp && drain > 1.5*x.truth.Drain {
				t.Errorf("seed %d, at %.0f s: drain %v, it is %v", seed+1, x.at.Seconds(), drain, x.truth.Drain)
			}
			age, ok := x.estimate.LagAge.Get()
			ages.count(ok)
			if ok && math.Abs(age-x.truth.Age) > 10.5 {
				t.Errorf("seed %d, at %.0f s: age %v, it is %v", seed+1, x.at.Seconds(), age, x.truth.Age)
			}
		}
		if restarts != 4 || ages.share() < 0.95 {
			t.Errorf("seed %d: %d first polls, want 4; the age is given in %s of polls", seed+1, restarts, percent(ages.share()))
		}
	}
}

// Fault 23: a reset was a negative drain rate, and nobody could tell that it had been.
func TestReset(t *testing.T) {
	for seed := range uint64(3) {
		rewinds, since := 0, 0
		for _, x := range first(t, "rewind", seed+1) {
			if x.rewound > 0 {
				rewinds++
				since = 0
			}
			since++
			drain, known := x.estimate.Drain.Get()
			if known && drain < 0 || known && rewinds > 0 && since == 1 {
				t.Errorf("seed %d, at %.0f s: drain %v", seed+1, x.at.Seconds(), drain)
			}
		}
		if rewinds != 1 {
			t.Errorf("seed %d: %d rewinds, want 1", seed+1, rewinds)
		}
	}
}
