package main

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// alternatives is how many there are: what users do who have lag and offsets only.
const alternatives = 3

var alternativeNames = [alternatives]string{
	"`lag / -deriv(lag[5m])`",
	"`lag / (rate(committed[5m]) - rate(end[5m]))`",
	"least squares over 20 lags",
}

const (
	window = 5 * time.Minute
	fit    = 20 // lag samples
)

// point is a sample of a series, with its time in milliseconds, as Prometheus has it.
type point struct {
	t int64
	v float64
}

// scrapes is what a Prometheus that scrapes once after each poll has of a pair.
type scrapes struct{ lag, committed, end []point }

// scrape takes in a poll and returns what each alternative says now.
func (s *scrapes) scrape(at trace.Moment, lag, committed, end int64) [alternatives]float64 {
	now := time.Duration(at).Milliseconds()
	keep := now - window.Milliseconds()
	s.lag = append(s.lag, point{now, float64(lag)})
	s.committed = within(append(s.committed, point{now, float64(committed)}), keep)
	s.end = within(append(s.end, point{now, float64(end)}), keep)
	last := s.lag[max(0, len(s.lag)-fit):]
	drained, arrived := rate(s.committed, now, window), rate(s.end, now, window)
	says := [alternatives]float64{
		float64(lag) / -deriv(within(s.lag, keep)),
		float64(lag) / (drained - arrived),
		float64(lag) / -deriv(last),
	}
	if len(s.lag) > 1000 {
		s.lag = append([]point(nil), s.lag[len(s.lag)-500:]...)
	}
	for i := range says {
		says[i] = answer(says[i], lag)
	}
	return says
}

// answer makes of a quotient what a person reads from it: a time is 0 or more, and
// without lag there is nothing to wait for.
func answer(v float64, lag int64) float64 {
	switch {
	case lag == 0:
		return 0
	case v < 0 || math.IsInf(v, 0):
		return math.Inf(1) // the lag grows, or stays
	}
	return v
}

// within drops what is not after a moment: a range selector is open on the left.
func within(points []point, after int64) []point {
	for len(points) > 0 && points[0].t <= after {
		points = points[1:]
	}
	return points
}
