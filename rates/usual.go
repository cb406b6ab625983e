package rates

import "math"

// Usual is what was usual of a pair while it was not falling behind, in offsets per
// second: how fast its log grew, and how fast it drained; unknown before that was
// seen. It stands while the pair falls behind.
type Usual struct{ Arrival, Drain Value }

// Habit is what is remembered of a pair for its [Usual]: the means over the time in
// which it kept up, of which that of the last ten minutes counts most. It takes 16
// bytes. The zero Habit remembers nothing.
type Habit struct {
	arrival, drain float32
	poll           uint32 // the last in which it was observed
	watched        uint16 // seconds in which it kept up, as many as count
}

const (
	// habitual is the time constant of what is usual, in seconds; habitKnown is how
	// much must have been seen before anything is.
	habitual, habitKnown = 600, 60
)

// Observe takes in what a poll has shown of a pair and its log. Time between polls that
// did not see the pair counts for two intervals at most. A poll that was seen already
// brings nothing.
func (h *Habit) Observe(c *Clock, l *Log, e *Estimate) {
	before := h.poll
	if h.poll = c.last; before == c.last || before == 0 || !e.KeepsUp || !l.arrival.known {
		return
	}
	in := l.arrival.perSecond
	out, ok := e.Drain.Get()
	if !ok || in > math.MaxFloat32 || out > math.MaxFloat32 {
		return
	}
	took := 2 * c.interval()
	if before >= c.first {
		took = min(took, seconds(c.Now().Sub(c.at(before))))
	}
	h.add(float32(in), float32(out), took)
}

// add takes in rates that lasted for some seconds.
func (h *Habit) add(in, out float32, took float64) {
	seen := min(float64(h.watched)+max(took, 1), habitual)
	weight := float32(min(1, max(took, 1)/seen))
	h.arrival += (in - h.arrival) * weight
	h.drain += (out - h.drain) * weight
	h.watched = uint16(math.Round(seen))
}

// Usual is what is usual.
func (h *Habit) Usual() Usual {
	if h.watched < habitKnown {
		return Usual{}
	}
	return Usual{Arrival: Of(float64(h.arrival)), Drain: Of(float64(h.drain))}
}
