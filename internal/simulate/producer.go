package simulate

import (
	"math"
	"math/rand/v2"
)

// Curve is a value that changes with time, which is in seconds since the start.
type Curve func(t float64) float64

// Constant is always the same.
func Constant(v float64) Curve { return func(float64) float64 { return v } }

// Change is a value from a moment on.
type Change struct{ From, To float64 }

// Steps is first until the first change.
func Steps(first float64, changes ...Change) Curve {
	return func(t float64) float64 {
		v := first
		for _, c := range changes {
			if t >= c.From {
				v = c.To
			}
		}
		return v
	}
}

// Wave goes up and down around mean, by a share of it.
func Wave(mean, share, period, phase float64) Curve {
	return func(t float64) float64 {
		return mean * (1 + share*math.Sin(2*math.Pi*(t/period+phase)))
	}
}

// Bursts is high for a while at the beginning of each period, else low.
func Bursts(low, high, period, while, first float64) Curve {
	return func(t float64) float64 {
		if t >= first && math.Mod(t-first, period) < while {
			return high
		}
		return low
	}
}

// Producer fills the log of one partition.
type Producer struct {
	// Rate is in records per second.
	Rate Curve
	// Batch is how many records arrive together, at random moments: 1 is Poisson,
	// 0 an even flow.
	Batch int
}

// arrive tells how many records arrive in a step at a rate; rest carries the parts of
// records of an even flow.
func (p Producer) arrive(r *rand.Rand, rate float64, rest *float64) int64 {
	if p.Batch > 0 {
		return poisson(r, rate*step/float64(p.Batch)) * int64(p.Batch)
	}
	*rest += rate * step
	// What is missing to a whole one by the sum's own rounding is not missing.
	n := math.Floor(*rest + 1e-6)
	*rest -= n
	return int64(n)
}

// poisson draws from the distribution by counting; where counting is long the
// normal distribution is as good.
func poisson(r *rand.Rand, mean float64) int64 {
	if mean > 30 {
		return max(0, int64(math.Round(mean+math.Sqrt(mean)*r.NormFloat64())))
	}
	n := int64(0)
	for left, p := math.Exp(-mean), r.Float64(); p > left; n++ {
		p *= r.Float64()
	}
	return n
}
