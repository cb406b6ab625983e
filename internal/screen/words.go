package screen

import (
	"fmt"
	"math"
	"strconv"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/rates"
)

// longest is the greatest number of a unit that is written out.
const longest = 9999

// units are those of times, each with the seconds below which it is used.
var units = [...]struct {
	name           string
	seconds, below float64
}{{"s", 1, 120}, {"min", 60, 2 * 3600}, {"h", 3600, 48 * 3600}, {"d", 86400, math.Inf(1)}}

// unitOf is the index of the unit for so many seconds.
func unitOf(seconds float64) int {
	i := 0
	for seconds >= units[i].below {
		i++
	}
	return i
}

// age is how long something has been waiting, never more than it has: "3 s",
// "12 min", "5 h 20 min", "2 d 3 h". Only what has not waited at all is "0 s".
func age(v rates.Value) string {
	s, ok := v.Get()
	switch {
	case !ok:
		return unknown
	case s > 0 && s < 1:
		return "<1 s"
	}
	i := unitOf(s)
	u := units[i]
	n := math.Floor(s / u.seconds)
	switch {
	case n > longest:
		return fmt.Sprintf(">%d %s", longest, u.name)
	case i < 2: // seconds and minutes are exact enough alone
		return fmt.Sprintf("%.0f %s", n, u.name)
	}
	rest := math.Floor((s - n*u.seconds) / units[i-1].seconds)
	return fmt.Sprintf("%.0f %s %.0f %s", n, u.name, rest, units[i-1].name)
}

// groupAge is the age of what has waited longest: "≥12 min" where that is not known
// of all that waits, unknown where nothing that waits has a known age.
func groupAge(g *collector.Group) string {
	partly := false
	for _, t := range g.Topics {
		for _, p := range t.Pairs {
			partly = partly || !p.LagAge.Known() && (p.Lag.Or(0) > 0 || p.State == collector.PairUnread)
		}
	}
	switch s, _ := g.Estimates.LagAge.Get(); {
	case !partly:
		return age(g.Estimates.LagAge)
	case s < 1:
		return unknown
	}
	return "≥" + age(g.Estimates.LagAge)
}

// catchesUp is how long until a group has caught up, with the bounds in the same
// unit, rounded outwards: "5 min (4–7)", or "5 min (≥4)" where no upper one is
// known. "never" is as long as the rates are what they are. A group that keeps up
// is only behind by what its next commit takes in: its lower bound is 0.
func catchesUp(e *collector.Estimates) string {
	s, ok := e.DrainSeconds.Get()
	low, _ := e.DrainLow.Get()
	high, _ := e.DrainHigh.Get()
	switch {
	case !ok:
		return unknown
	case s == 0:
		return "caught up"
	case math.IsInf(s, 1):
		return "never"
	case low == 0:
		return "keeps up"
	}
	u := units[unitOf(s)]
	n := max(1, math.Round(s/u.seconds))
	if n > longest {
		return fmt.Sprintf(">%d %s", longest, u.name)
	}
	return fmt.Sprintf("%.0f %s%s", n, u.name, bounds(n, math.Floor(low/u.seconds), math.Ceil(high/u.seconds)))
}

// bounds are those of a number, nothing where both are the number itself.
func bounds(n, low, high float64) string {
	switch {
	case low == n && high == n:
		return ""
	case high > longest:
		return fmt.Sprintf(" (≥%.0f)", low)
	}
	return fmt.Sprintf(" (%.0f–%.0f)", low, high)
}

// rate is a number of offsets per second. Only what stands still is "0".
func rate(v rates.Value) string {
	n, ok := v.Get()
	switch {
	case !ok:
		return unknown
	case n == 0:
		return "0"
	case n < 0.1:
		return "<0.1"
	case n < 9.95:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}
