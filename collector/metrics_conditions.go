package collector

import (
	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// conditionRows are of why groups lag.
var conditionRows = []Metric{
	{Name: "group_condition", Kind: Gauge, more: []string{"condition"}, upTo: int(diagnosis.Conditions),
		Help:    "Whether a condition holds of the group: 1 it does, 0 it was evaluated and does not. Several may hold; the page on conditions says what each means, in the order of their importance. An expected group that does not exist has no other series than this, with commits_vanished.",
		Unknown: "Absent where it cannot be evaluated, as when what it follows from could not be read for stale_after.",
		group:   func(g *Group, s *series) { emitConditions(&g.Diagnosis, s) },
		missing: func(g *MissingGroup, s *series) { emitConditions(&g.Diagnosis, s) }},
}

// conditionLabels are made once.
var conditionLabels = func() (list [diagnosis.Conditions]*page.Labels) {
	for c := range diagnosis.Conditions {
		list[c] = page.NewLabels("condition", c.String())
	}
	return list
}()

func emitConditions(d *diagnosis.Diagnosis, s *series) {
	for c, v := range d.Verdicts {
		if v != diagnosis.Unknown {
			s.with(conditionLabels[c], truth(v == diagnosis.Holds))
		}
	}
}
