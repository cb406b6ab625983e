package main

import (
	"math"
	"strconv"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// Units.
const (
	seconds   = units.Seconds
	count     = units.Short
	share     = units.PercentUnit
	perSecond = "offsets/s"
	offsets   = units.Short
	times     = "suffix: ×" // how many times the objective
	words     = "none"      // a number that a mapping puts into words
	fromNow   = units.DateTimeFromNow
)

// Colours by Grafana's names, which each theme has its own shade for.
const (
	red    = "red"
	orange = "orange"
	yellow = "yellow"
	green  = "green"
	blue   = "blue"
	plain  = "text"
	faint  = "transparent"
)

// A step is a threshold: from this value on, this colour.
type step struct {
	from   float64
	colour string
}

// below is the colour of what is below all steps.
func below(colour string) step { return step{math.Inf(-1), colour} }

func steps(list ...step) *dashboard.ThresholdsConfig {
	t := dashboard.NewThresholdsConfig()
	t.Mode = dashboard.ThresholdsModeAbsolute
	for _, s := range list {
		at := &s.from
		if math.IsInf(s.from, -1) {
			at = nil
		}
		t.Steps = append(t.Steps, dashboard.Threshold{Value: at, Color: s.colour})
	}
	return t
}

// Thresholds that several panels share. What is below all steps is also the colour of
// what is said where there is no data, which is no judgement.
var (
	// noneIsGood turns red with the first.
	noneIsGood = []step{below(plain), {0, green}, {1, red}}
	// noneIsBetter turns orange with the first.
	noneIsBetter = []step{below(plain), {0, green}, {1, orange}}
	// againstObjective is of an age as a multiple of the objective: late from 1
	// on; from 2 on it pages.
	againstObjective = []step{below(faint), {0.75, yellow}, {1, orange}, {2, red}}
	// headroom is of the seconds until unread records may be deleted.
	headroom = []step{below(plain), {0, red}, {3600, orange}, {6 * 3600, green}}
	// noJudgement colours nothing.
	noJudgement = []step{below(plain)}
)

// A meaning is what a value is shown as.
type meaning struct {
	text, colour string
}

func (m meaning) result(i int) dashboard.ValueMappingResult {
	r := dashboard.ValueMappingResult{Text: &m.text, Index: new(int32(i))}
	if m.colour != "" {
		r.Color = &m.colour
	}
	return r
}

// meanings maps numbers, from first on, to what they mean.
func meanings(first int, list ...meaning) dashboard.ValueMapping {
	m := dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: map[string]dashboard.ValueMappingResult{}}
	for i, l := range list {
		m.Options[strconv.Itoa(first+i)] = l.result(i)
	}
	return dashboard.ValueMapping{ValueMap: &m}
}

// textMeanings maps texts to others.
func textMeanings(texts []string, list []meaning) dashboard.ValueMapping {
	m := dashboard.ValueMap{Type: dashboard.MappingTypeValueToText, Options: map[string]dashboard.ValueMappingResult{}}
	for i, l := range list {
		m.Options[texts[i]] = l.result(i)
	}
	return dashboard.ValueMapping{ValueMap: &m}
}

// forever is what +Inf is clamped to before it is sent: a hundred years. JSON
// has no infinity, and charts and sorting make something of a number.
const forever = 100 * 365 * 24 * 3600

// never puts that into words; a drain time of 0 is that of a group that has
// caught up.
func never() []dashboard.ValueMapping {
	return []dashboard.ValueMapping{from(forever, meaning{"never", orange}), meanings(0, meaning{"caught up", green})}
}

// longer is for how long something has held that began before the shown time.
func longer() []dashboard.ValueMapping {
	return []dashboard.ValueMapping{from(forever, meaning{"all this time", ""})}
}

func from(least float64, m meaning) dashboard.ValueMapping {
	r := dashboard.RangeMap{Type: dashboard.MappingTypeRangeToText, Options: dashboard.DashboardRangeMapOptions{From: &least, Result: m.result(0)}}
	return dashboard.ValueMapping{RangeMap: &r}
}
