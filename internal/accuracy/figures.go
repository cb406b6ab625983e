package main

import (
	"math"
	"slices"
)

// figures are errors of one number.
type figures []float64

// quantile is the smallest of which a share is not above it; NaN if there are none.
func (f figures) quantile(share float64) float64 {
	if len(f) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(f))
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

func (f figures) worst() float64 { return f.quantile(1) }

// ratio is how often something was so.
type ratio struct{ so, of int }

func (r *ratio) count(so bool) {
	r.of++
	if so {
		r.so++
	}
}

func (r *ratio) add(o ratio) { r.so, r.of = r.so+o.so, r.of+o.of }

// share is NaN if there was nothing to count.
func (r ratio) share() float64 { return float64(r.so) / float64(r.of) }

// off is how far an estimate is from the truth, as a share of the truth; where that
// is 0, what is not 0 is wholly wrong.
func off(estimate, truth float64) float64 {
	switch {
	case estimate == truth:
		return 0
	case truth == 0:
		return 1
	}
	return math.Abs(estimate-truth) / truth
}
