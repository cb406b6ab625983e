package main

import (
	"cmp"
	"slices"
)

// listed is how many of the worst are kept.
const listed = 8

// keep adds one to the worst, of which there is one for each run at most.
func keep(list []worst, w worst) []worst {
	if i := slices.IndexFunc(list, func(o worst) bool { return o.run == w.run }); i >= 0 {
		if list[i].error < w.error {
			list[i] = w
		}
	} else if len(list) < listed || list[len(list)-1].error < w.error {
		list = append(list, w)
	} else {
		return list
	}
	slices.SortStableFunc(list, func(a, b worst) int { return cmp.Compare(b.error, a.error) })
	return list[:min(len(list), listed)]
}

// merged is all scores in one.
func merged(list []*score) *score {
	sum := &score{}
	for _, s := range list {
		sum.merge(s)
	}
	return sum
}

func (s *score) merge(o *score) {
	s.arrival.merge(o.arrival)
	s.drain.merge(o.drain)
	s.age.merge(o.age)
	s.eta.merge(o.eta)
	s.early.merge(o.early)
	s.remaining = append(s.remaining, o.remaining...)
	s.bounds.add(o.bounds)
	s.keeps.add(o.keeps)
	s.keepsRight.add(o.keepsRight)
	s.keepsBounds.add(o.keepsBounds)
	s.endless.add(o.endless)
	s.finite = max(s.finite, o.finite)
	s.recovery = append(s.recovery, o.recovery...)
	s.unrecovered += o.unrecovered
	s.mergeOthers(o)
	for _, w := range o.worstETA {
		s.worstETA = keep(s.worstETA, w)
	}
	for _, w := range o.worstEarly {
		s.worstEarly = keep(s.worstEarly, w)
	}
	for _, w := range o.worstFinite {
		s.worstFinite = keep(s.worstFinite, w)
	}
}

func (m *measured) merge(o measured) {
	m.errors = append(m.errors, o.errors...)
	m.given.add(o.given)
}

func (s *score) mergeOthers(o *score) {
	s.ours = append(s.ours, o.ours...)
	s.oursSettled = append(s.oursSettled, o.oursSettled...)
	s.oursGiven.add(o.oursGiven)
	for i := range o.all {
		s.all[i] = append(s.all[i], o.all[i]...)
		s.allSettled[i] = append(s.allSettled[i], o.allSettled[i]...)
		s.othersGiven[i].add(o.othersGiven[i])
		s.both[i].ours = append(s.both[i].ours, o.both[i].ours...)
		s.both[i].theirs = append(s.both[i].theirs, o.both[i].theirs...)
	}
}
