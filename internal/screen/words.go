package screen

import (
	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/words"
)

// groupAge is the age of what has waited longest: "≥12 min" where that is not known
// of all that waits, unknown where nothing that waits has a known age.
func groupAge(g *collector.Group) string {
	switch s, _ := g.Estimates.LagAge.Get(); {
	case !g.AgeAtLeast():
		return words.Age(g.Estimates.LagAge)
	case s < 1:
		return words.Unknown
	}
	return "≥" + words.Age(g.Estimates.LagAge)
}

// catchesUp is how long until a group has caught up.
func catchesUp(e *collector.Estimates) string {
	return words.CatchesUp(e.DrainSeconds, e.DrainLow, e.DrainHigh)
}
