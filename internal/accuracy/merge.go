package main

import (
	"cmp"
	"slices"
)

// listed is how many of the worst are kept.
const listed = 8

// keep adds some to the worst, of which there is one for each run at most.
func keep(list []worst, more ...worst) []worst {
	for _, w := range more {
		list = with(list, w)
	}
	return list
}

func with(list []worst, w worst) []worst {
	if i := slices.IndexFunc(list, func(o worst) bool { return o.run == w.run }); i >= 0 {
		if list[i].error >= w.error {
			return list
		}
		list[i] = w
	} else if len(list) < listed {
		list = append(list, w)
	} else if last := &list[listed-1]; last.error < w.error {
		*last = w
	} else {
		return list
	}
	slices.SortStableFunc(list, func(a, b worst) int { return cmp.Compare(b.error, a.error) })
	return list
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
	s.endless.add(o.endless)
	s.keepsEndless.add(o.keepsEndless)
	s.processing.merge(o.processing)
	s.idleProcessing.add(o.idleProcessing)
	s.commitAge.merge(o.commitAge)
	s.headroom.merge(o.headroom)
	s.headroomLate = append(s.headroomLate, o.headroomLate...)
	s.group.merge(o.group)
	s.falseEndless = max(s.falseEndless, o.falseEndless)
	s.finite, s.finiteSeen = max(s.finite, o.finite), max(s.finiteSeen, o.finiteSeen)
	s.recovery = append(s.recovery, o.recovery...)
	s.unrecovered += o.unrecovered
	for i := range s.compared {
		for k := range s.compared[i] {
			s.compared[i][k].merge(o.compared[i][k])
		}
	}
	s.worstETA = keep(s.worstETA, o.worstETA...)
	s.worstEarly = keep(s.worstEarly, o.worstEarly...)
	s.worstFinite = keep(s.worstFinite, o.worstFinite...)
	s.worstEndless = keep(s.worstEndless, o.worstEndless...)
	s.worstAge = keep(s.worstAge, o.worstAge...)
}

func (m *measured) merge(o measured) {
	m.errors = append(m.errors, o.errors...)
	m.given.add(o.given)
}
