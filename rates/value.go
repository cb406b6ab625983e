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

// powers are those of ten that a float64 holds exactly, as far as they are needed.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// rounded keeps six significant digits. It divides or multiplies by exact powers of
// ten, so that the result is the float64 nearest to the decimal number.
func rounded(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return math.Abs(v)
	}
	switch digits := decimals(v); {
	case digits >= 0 && digits < len(powers):
		return math.Round(v*powers[digits]) / powers[digits]
	case digits < 0 && -digits < len(powers):
		return math.Round(v/powers[-digits]) * powers[-digits]
	}
	return v // too small or too large to be an estimate of anything
}

// decimals is how many digits after the point make six significant ones; negative
// for numbers from a million on. The binary exponent tells it but for one.
func decimals(v float64) int {
	_, exponent := math.Frexp(v)
	tens := (exponent - 1) * 1233 >> 12 // times log10(2)
	if next := tens + 1; next >= 0 && next < len(powers) && v >= powers[next] || next < 0 && -next < len(powers) && v*powers[-next] >= 1 {
		tens = next
	}
	return 5 - tens
}
