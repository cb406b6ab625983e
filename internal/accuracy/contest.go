package main

import "math"

// contestants are lagwatch and the alternatives.
const contestants = 1 + alternatives

// Which polls the ETAs of contestants are compared in: all in which a backlog is being
// worked off, those of them in which the rates are settled, and those in which all
// contestants give a number.
const (
	everywhere = iota
	whereSettled
	whereAllGive
	comparisons
)

var comparisonNames = [comparisons]string{
	"all polls in which the truth is a number; none given is 100 % off",
	"of these, where the rates are settled; none given is 100 % off",
	"of these, where all give a number",
}

// contest is the errors of each.
type contest [contestants]measured

// contest puts the alternatives beside lagwatch's own estimate.
func (s *score) contest(x sample) {
	says := [contestants]float64{shown(x.estimate.DrainSeconds)}
	copy(says[1:], x.others[:])
	truth, all := float64(x.truth.ETA), true
	for _, v := range says {
		all = all && given(v)
	}
	s.compared[everywhere].add(says, truth)
	if settled(x.truth) {
		s.compared[whereSettled].add(says, truth)
	}
	if settled(x.truth) && all {
		s.compared[whereAllGive].add(says, truth)
	}
}

func (c *contest) add(says [contestants]float64, truth float64) {
	for i, v := range says {
		err := 1.0
		if given(v) {
			err = off(v, truth)
		}
		c[i].given.count(given(v))
		c[i].errors = append(c[i].errors, err)
	}
}

// given tells whether an ETA is a time; +Inf is none where the truth is finite.
func given(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// times is by how much the best alternative is farther off than lagwatch.
func (c *contest) times(quantile float64) float64 {
	best := math.Inf(1)
	for _, m := range c[1:] {
		best = min(best, m.errors.quantile(quantile))
	}
	return best / c[0].errors.quantile(quantile)
}
