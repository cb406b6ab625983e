package main

import (
	"math"
	"sort"
)

// followAge holds an age to the time between the two polls between which the record
// arrived, and to the usual one where that was before the first.
func (s *score) followAge(of run, interval float64, list []sample) {
	for _, x := range list {
		unit := around(list, x.at.Seconds()-x.truth.Age, interval)
		if err, ok := s.age.add(x.estimate.LagAge, x.truth.Age, unit); ok {
			s.worstAge = keep(s.worstAge, worst{of, x.at, err})
		}
	}
}

// around is the time between the two polls around a moment, the usual one at least.
func around(list []sample, moment, interval float64) float64 {
	i := sort.Search(len(list), func(i int) bool { return list[i].at.Seconds() >= moment })
	if i == 0 || i == len(list) {
		return interval
	}
	return max(interval, list[i].at.Seconds()-list[i-1].at.Seconds())
}

// followCommitAge holds a commit age to the time between the polls around the commit.
func (s *score) followCommitAge(interval float64, list []sample) {
	for _, x := range list {
		if truth := x.truth.CommitAge; truth != nil {
			s.commitAge.add(x.estimate.CommitAge, *truth, around(list, x.at.Seconds()-*truth, interval))
		}
	}
}

// followHeadroom compares a headroom with when the record really goes.
func (s *score) followHeadroom(interval float64, list []sample) {
	for _, x := range list {
		if math.IsNaN(x.left) {
			continue
		}
		if _, ok := s.headroom.add(x.headroom, x.left, interval); ok {
			got, _ := x.headroom.Get()
			s.headroomLate = append(s.headroomLate, max(0, got-x.left)/interval)
		}
	}
}

// followFinite finds how long an ETA is finite while the lag does not shrink.
func (s *score) followFinite(of run, interval float64, list []sample) {
	finite := func(x sample) bool {
		return grows(x.truth) && x.estimate.DrainSeconds.Known() && !infinite(x.estimate.DrainSeconds)
	}
	s.finite = longest(list, &s.worstFinite, of, finite, s.finite)
	s.finiteSeen = longest(list, new([]worst), of, func(x sample) bool {
		return finite(x) && float64(x.lag) > x.truth.Arrival*(x.truth.Gap+interval)
	}, s.finiteSeen)
}

// followEndless finds how long an ETA is +Inf while the group keeps up, whether rates
// are settled or not. Before its first commit was seen nobody can tell that it does.
func (s *score) followEndless(of run, list []sample) {
	keeps := func(x sample) bool { return x.truth.KeepsUp && x.estimate.CommitAge.Known() }
	s.falseEndless = longest(list, &s.worstEndless, of, func(x sample) bool {
		return keeps(x) && infinite(x.estimate.DrainSeconds)
	}, s.falseEndless)
	for _, x := range list {
		if keeps(x) && x.lag > 0 {
			s.keepsEndless.count(infinite(x.estimate.DrainSeconds))
		}
	}
}

// longest is how many samples in succession are so, at least the longest before. The
// worst get each run's.
func longest(list []sample, worsts *[]worst, of run, so func(sample) bool, before int) int {
	length := 0
	for _, x := range list {
		if !so(x) {
			length = 0
			continue
		}
		length++
		before = max(before, length)
		*worsts = keep(*worsts, worst{of, x.at, float64(length)})
	}
	return before
}

// followChanges counts the polls from a change of rates, or from the first poll, to
// the first ETA that is right; where the truth is a time at all.
func (s *score) followChanges(list []sample) {
	waited := 0 // 0 when nothing is waited for
	end := func() {
		if waited >= enoughPolls {
			s.unrecovered++
		}
		waited = 0
	}
	for _, x := range list {
		eta := float64(x.truth.ETA)
		if x.truth.Polls <= 1 {
			end()
			waited = 1
		} else if waited > 0 {
			waited++
		}
		if math.IsInf(eta, 1) || x.truth.KeepsUp || x.lag == 0 {
			end()
			continue
		}
		if got, ok := x.estimate.DrainSeconds.Get(); waited > 0 && ok && off(got, eta) <= right {
			s.recovery = append(s.recovery, float64(waited))
			waited = 0
		}
	}
	end()
}
