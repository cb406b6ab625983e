package rates

import "math"

// Rate is how fast an offset advances, in offsets per second.
type Rate struct {
	// PerSecond is the estimate. Low and High enclose it: what else fits to what
	// was seen, 0 at least; High may be +Inf.
	PerSecond, Low, High float64
	// Known is false where too little was seen; then all else is 0.
	Known bool
}

// slope is a rate as it is kept: the estimate and its standard deviation.
type slope struct {
	perSecond float64
	deviation float32
	known     bool
}

// Of this many standard deviations an estimate is seldom off.
const seldom = 2.2

func (s slope) rate() Rate {
	if !s.known {
		return Rate{}
	}
	off := seldom * float64(s.deviation)
	return Rate{PerSecond: s.perSecond, Low: max(0, s.perSecond-off), High: s.perSecond + off, Known: true}
}

// slopeOf is a known slope, or an unknown one if it is no number.
func slopeOf(perSecond, variance float64) slope {
	s := slope{perSecond: perSecond, deviation: float32(math.Sqrt(variance)), known: true}
	if !(perSecond >= 0) || math.IsInf(perSecond, 0) || s.deviation != s.deviation {
		return slope{}
	}
	return s
}
