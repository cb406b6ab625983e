package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/rates"
)

// picture is a pair over time, in panels below each other.
type picture struct {
	title  string
	since  float64 // where the axis of times begins, in seconds of the trace
	panels []panel
}

// pictureOf draws the samples of a pair in a trace. Its axis begins where the trace's
// times do, or with its first poll if they count from long before.
func pictureOf(title string, t trace.Trace, list []sample) picture {
	p := picture{title: fmt.Sprintf("%s (a poll every %s s)", title, moments(t.Header.Interval))}
	if begun := t.Polls[0].At; begun > t.Header.Interval {
		p.since = begun.Seconds()
	}
	p.panels = panels(list, p.since)
	return p
}

// truth tells whether there is a curve of it.
func (p picture) truth() bool {
	for _, of := range p.panels {
		for _, c := range of.curves {
			if c.truth && slices.ContainsFunc(c.values, func(v float64) bool { return !math.IsNaN(v) }) {
				return true
			}
		}
	}
	return false
}

// axis says what the axis of times shows.
func (p picture) axis() string {
	if p.since > 0 {
		return "minutes since " + strconv.FormatFloat(p.since, 'f', -1, 64) + " s of the trace"
	}
	return "minutes"
}

// panel is a diagram over time of one unit.
type panel struct {
	title, unit string
	times       []float64 // of the samples, in seconds since the axis begins
	curves      []curve
	// low and high are a band around the last curve; nil for none.
	low, high []float64
	log       bool // the scale
}

// curve has a value for each time: NaN where there is none, +Inf above all others.
type curve struct {
	name   string
	values []float64
	truth  bool
}

// heading names a panel, with its unit and scale.
func (p panel) heading() string {
	if p.log {
		return p.title + ", " + p.unit + ", on a logarithmic scale"
	}
	return p.title + ", " + p.unit
}

// panels show what was seen of a pair, what was estimated, and the truth if there is any.
func panels(list []sample, since float64) []panel {
	times := series(list, func(x sample) float64 { return x.at.Seconds() - since })
	of := func(get func(sample) rates.Value) []float64 {
		return series(list, func(x sample) float64 { return shown(get(x)) })
	}
	truth := func(get func(*trace.Truth) float64) []float64 {
		return series(list, func(x sample) float64 {
			if x.truth == nil {
				return math.NaN()
			}
			return get(x.truth)
		})
	}
	both := func(values, t []float64) []curve {
		return []curve{{"truth", t, true}, {"estimate", values, false}}
	}
	lag := series(list, func(x sample) float64 { return float64(x.lag) })
	return []panel{
		{title: "lag", unit: "offsets", times: times, curves: []curve{{"lag", lag, false}}},
		{title: "arrival rate", unit: "offsets/s", times: times,
			curves: both(of(sample.arrivalValue), truth(func(t *trace.Truth) float64 { return t.Arrival }))},
		{title: "drain rate", unit: "offsets/s", times: times,
			curves: both(of(func(x sample) rates.Value { return x.estimate.Drain }), truth(func(t *trace.Truth) float64 { return t.Drain }))},
		{title: "lag age", unit: "s", times: times,
			curves: both(of(func(x sample) rates.Value { return x.estimate.LagAge }), truth(func(t *trace.Truth) float64 { return t.Age }))},
		{title: "drain time", unit: "s", times: times, log: true,
			curves: both(of(func(x sample) rates.Value { return x.estimate.DrainSeconds }), truth(func(t *trace.Truth) float64 { return float64(t.ETA) })),
			low:    of(func(x sample) rates.Value { return x.estimate.DrainLow }),
			high:   of(func(x sample) rates.Value { return x.estimate.DrainHigh })},
	}
}

func series(list []sample, get func(sample) float64) []float64 {
	values := make([]float64, len(list))
	for i, x := range list {
		values[i] = get(x)
	}
	return values
}

func shown(v rates.Value) float64 {
	if got, ok := v.Get(); ok {
		return got
	}
	return math.NaN()
}

// top is the greatest finite value of all curves, at least 1.
func (p panel) top() float64 {
	most := 1.0
	for _, c := range p.curves {
		for _, v := range c.values {
			if !math.IsInf(v, 0) && v > most {
				most = v
			}
		}
	}
	return most
}

// height is where a value stands between the bottom, 0, and the top of the panel, 1;
// a logarithmic scale is one of v + 1, so that it has a 0.
func (p panel) height(v, top float64) float64 {
	if p.log {
		v, top = math.Log1p(v), math.Log1p(top)
	}
	return min(1, max(0, v/top))
}

// at is the value of a height.
func (p panel) at(height, top float64) float64 {
	if p.log {
		return math.Expm1(height * math.Log1p(top))
	}
	return height * top
}
