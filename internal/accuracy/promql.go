package main

import (
	"math"
	"time"
)

// rate is PromQL's rate() over a window that ends now, of the points in it; NaN where
// it gives nothing. A value below the one before is a counter that began again at 0.
//
// It extrapolates to both ends of the window, as Prometheus's extrapolatedRate
// (promql/functions.go, 3.x) does: all the way where the first or last point is
// nearer than 1.1 times the mean distance of points, else half of that distance; and
// not to before the moment at which the counter would have been 0.
func rate(points []point, now int64, window time.Duration) float64 {
	if len(points) < 2 {
		return math.NaN()
	}
	first, last := points[0], points[len(points)-1]
	increase := last.v - first.v
	for i, p := range points[1:] {
		if p.v < points[i].v {
			increase += points[i].v
		}
	}
	sampled := float64(last.t-first.t) / 1000
	mean := sampled / float64(len(points)-1)
	before := reach(float64(first.t-now+window.Milliseconds())/1000, mean)
	if increase > 0 && first.v >= 0 {
		before = min(before, sampled*(first.v/increase))
	}
	after := reach(float64(now-last.t)/1000, mean)
	return increase * ((sampled + before + after) / sampled) / window.Seconds()
}

// reach is how far beyond a point rate extrapolates to a border.
func reach(border, mean float64) float64 {
	if border >= mean*1.1 {
		return mean / 2
	}
	return border
}

// deriv is PromQL's deriv(): the slope of the least-squares line, per second; NaN
// for fewer than two points.
func deriv(points []point) float64 {
	if len(points) < 2 {
		return math.NaN()
	}
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		x, y := float64(p.t-points[0].t)/1000, p.v-points[0].v
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (sxy - sx*sy/n) / (sxx - sx*sx/n)
}
