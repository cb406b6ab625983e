package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lagwatch/lagwatch/rates"
)

// groupScore is how far the ETAs of groups of several pairs were from the truth, which is
// the maximum over their pairs. The rates of all pairs are settled.
type groupScore struct {
	eta          measured // of what catches up
	endless      ratio    // a pair grows: +Inf was said
	keepsEndless ratio    // all keep up, with lag: +Inf was said
}

func (g *groupScore) merge(o groupScore) {
	g.eta.merge(o.eta)
	g.endless.add(o.endless)
	g.keepsEndless.add(o.keepsEndless)
}

// groups are the samples of each group with several pairs, by poll; of those polls only
// that read all of its pairs, so that every maximum is one over the same.
func groups(all map[pair][]sample) [][][]sample {
	pairs := map[string]int{}
	for p := range all {
		pairs[p.group]++
	}
	polls := map[string]map[int][]sample{}
	for _, p := range inOrder(all) {
		if pairs[p.group] < 2 {
			continue
		}
		if polls[p.group] == nil {
			polls[p.group] = map[int][]sample{}
		}
		for _, x := range all[p] {
			polls[p.group][x.poll] = append(polls[p.group][x.poll], x)
		}
	}
	var list [][][]sample
	for _, group := range sortedKeys(polls) {
		var of [][]sample
		for _, n := range sortedKeys(polls[group]) {
			if whole := polls[group][n]; len(whole) == pairs[group] {
				of = append(of, whole)
			}
		}
		list = append(list, of)
	}
	return list
}

// addGroup takes in the polls of a group.
func (s *score) addGroup(polls [][]sample) {
	for _, pairs := range polls {
		if !slices.ContainsFunc(pairs, func(x sample) bool { return !settled(x.truth) }) {
			s.group.add(pairs)
		}
	}
}

// add takes in the pairs of a group in one poll, whose rates are all settled.
func (g *groupScore) add(pairs []sample) {
	got, ok := groupETA(pairs)
	truth, growing, keeps, lag := 0.0, false, true, int64(0)
	for _, x := range pairs {
		truth = max(truth, float64(x.truth.ETA))
		growing = growing || math.IsInf(float64(x.truth.ETA), 1) && grows(x.truth)
		keeps, lag = keeps && x.truth.KeepsUp, lag+x.lag
	}
	switch {
	case growing:
		g.endless.count(ok && math.IsInf(got, 1))
	case math.IsInf(truth, 1): // by less than what makes a difference
	case keeps && lag > 0:
		g.keepsEndless.count(ok && math.IsInf(got, 1))
	case truth > 0:
		g.eta.add(known(got, ok), truth, truth)
	}
}

// groupETA is the maximum over pairs, by the collector's rule: +Inf if one has that,
// else unknown if one that lags is.
func groupETA(pairs []sample) (most float64, ok bool) {
	unknown := false
	for _, x := range pairs {
		v, known := x.estimate.DrainSeconds.Get()
		most, unknown = max(most, v), unknown || !known && x.lag > 0
	}
	return most, !unknown || math.IsInf(most, 1)
}

func known(v float64, ok bool) rates.Value {
	if !ok {
		return rates.Value{}
	}
	return rates.Of(v)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
