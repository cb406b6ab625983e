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
const seldom = 2

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

// arrival estimates how fast a log grows: over the polls for which it has been
// growing like this, what came in them by how long they took.
func arrival(c *Clock, ends *history) slope {
	var k knots
	k.polls(c, ends)
	if k.n < 2 {
		return slope{}
	}
	m := k.recent()
	return slopeOf(k.rate(0, m), k.spread(0, m))
}

// polls makes a knot of each reading of a history; of older ones of fewer and fewer,
// since it is not to the poll when a rate began that lasted that long.
func (k *knots) polls(c *Clock, h *history) {
	w := h.walk(c)
	now := w.end()
	next, room := w.last, uint32(1)
	for more := true; more && k.n < len(k.ago); more = w.next() {
		for poll := min(next, w.last); poll >= w.first && poll > 0; poll = next {
			at := w.reading(poll)
			if !k.add(now.At.Sub(at.At).Seconds(), float64(now.Offset-at.Offset), 0) {
				break
			}
			if room = 1; k.n >= dense {
				room = 2 << ((k.n - dense) / (dense / 2))
			}
			if poll <= room {
				return
			}
			next = poll - room
		}
	}
}
