package rates

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// bound is one end of a bracket: the log ended at Offset by At, not later (the
// upper), or not earlier (the lower).
type bound struct {
	snapshot.Reading
	// depth is that of the point it comes from, 0 for what polls saw.
	depth uint8
	known bool
}

// bracket encloses when the log end passed an offset. The upper bound is always
// known.
type bracket struct {
	lo, hi bound
	// polled says that polls saw both bounds, one after the other.
	polled       bool
	lower, upper *point
	offset       int64
}

const (
	// earliest is how long ago a question is asked first: any record is found.
	earliest = 10 * 365 * 24 * time.Hour
	// patience is how many answers of one poll are interpolated between. Each one
	// more halves the bracket.
	patience = 4
	// sameStamp is as near as two moments can be told apart: timestamps are in
	// milliseconds, and questions too.
	sameStamp = 3 * time.Millisecond
)

// bracket is what encloses an offset; false where the end has not passed it yet,
// and where nothing is known. Polls that missed none enclose it well enough.
func (l *Log) bracket(c *Clock, offset int64) (b bracket, ok bool) {
	b.offset = offset
	before, after, ok := l.between(c, offset)
	if ok {
		b.lo, b.hi, b.polled = bound{Reading: before, known: true}, bound{Reading: after, known: true}, true
		if b.width() <= 2*c.opts.Interval {
			return b, true
		}
	} else {
		if after.Offset <= max(offset, 0) { // not passed yet, or nothing is known
			return b, false
		}
		b.hi = bound{Reading: after, known: true}
	}
	if l.times.memory != nil {
		b.narrow(l.times.points)
	}
	return b, true
}

// narrow takes in what points say, within what polls say.
func (b *bracket) narrow(ps points) {
	lower, upper := ps.around(b.offset)
	if lower != nil && lower.offset == b.offset && !lower.none {
		at := min(lower.stamp, b.hi.At)
		b.raise(bound{Reading: snapshot.Reading{Offset: b.offset, At: at}, known: true})
		b.hi.At, b.polled = b.lo.At, false
		b.lower, b.upper = lower, lower
		return
	}
	b.upper = upper
	if upper != nil && upper.asked < b.hi.At {
		at := upper.asked
		if b.polled {
			at = max(at, b.lo.At)
		}
		b.hi = bound{Reading: snapshot.Reading{Offset: upper.offset, At: at}, depth: upper.depth, known: true}
		b.polled = false
	}
	if lower != nil && b.raise(bound{Reading: snapshot.Reading{Offset: lower.offset, At: lower.stamp}, depth: lower.depth, known: true}) {
		b.lower, b.polled = lower, false
	}
}

// raise takes in another lower bound, if it is a later one.
func (b *bracket) raise(lo bound) bool {
	if !lo.known || b.lo.known && lo.At <= b.lo.At {
		return false
	}
	lo.At = min(lo.At, b.hi.At)
	b.lo = lo
	return true
}

// width is the time between the bounds.
func (b *bracket) width() time.Duration {
	if !b.lo.known {
		return math.MaxInt64
	}
	return max(0, gap(b.hi.At, b.lo.At))
}

// share is where the offset lies between those of the bounds, from 0 to 1.
func (b *bracket) share() float64 {
	whole := float64(b.hi.Offset) - float64(b.lo.Offset)
	if !(whole > 0) {
		return 0.5
	}
	return min(max((float64(b.offset)-float64(b.lo.Offset)+0.5)/whole, 0), 1)
}

// middle is the estimate in the bracket, and how far it may be off: in proportion
// to the offsets between two polls, and the very middle elsewhere.
func (b *bracket) middle(offset int64) (at snapshot.Instant, within time.Duration) {
	share := 0.5
	if b.polled {
		share = b.share()
	}
	at = add(b.lo.At, part(b.width(), share))
	return at, max(gap(at, b.lo.At), gap(b.hi.At, at))
}

// part is a share of a duration, rounded down.
func part(d time.Duration, share float64) time.Duration {
	if p := float64(d) * share; p < float64(d) {
		return time.Duration(p)
	}
	return d
}
