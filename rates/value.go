package rates

import "math"

// Value is a finite number or +Inf, at least 0, that may be unknown; it takes 8
// bytes and has no pointer. The zero Value is unknown. A known one is rounded to
// six significant digits, which is more than any estimate is worth.
type Value struct{ bits uint64 }

// Of is a known value; unknown for NaN and what is below 0.
func Of(v float64) Value {
	if math.IsNaN(v) || v < 0 {
		return Value{}
	}
	return Value{math.Float64bits(rounded(v)) + 1}
}

// Get returns the number, and whether it is known.
func (v Value) Get() (float64, bool) {
	if v.bits == 0 {
		return 0, false
	}
	return math.Float64frombits(v.bits - 1), true
}

// Known tells whether there is a number.
func (v Value) Known() bool { return v.bits != 0 }

// rounded keeps six significant digits.
func rounded(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return math.Abs(v)
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(v)))
	if r := math.Round(v*scale) / scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return v // too small or too large to be scaled
}
