package rates

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// next is the moment to ask about next, strictly inside the bracket: first the
// begin of the log, then by interpolation as long as that works, else by bisection.
func (b *bracket) next(now snapshot.Instant, tolerance time.Duration) (snapshot.Instant, bool) {
	if !b.lo.known {
		first := add(now, -earliest)
		return first, first < b.hi.At
	}
	at := b.guess(tolerance)
	at = min(max(at, add(b.lo.At, tolerance/2)), add(b.hi.At, -tolerance/2))
	return at, b.lo.At < at && at < b.hi.At
}

// guess interpolates. Near a bound it goes beyond the offset, to move the other bound
// near it too, and farther each time that this fails. It bisects where the same bound
// moved again and again, and where moments led to the same record: there was a pause
// before that, and nothing is in proportion. But the offset may well be in the burst
// before the pause, so it looks there first. In the end it only bisects.
func (b *bracket) guess(tolerance time.Duration) snapshot.Instant {
	width, share, near := b.width(), b.share(), tolerance+tolerance/2
	depth := max(b.lo.depth, b.hi.depth)
	aside := depth - min(b.lo.depth, b.hi.depth)
	tail := share < 1.0/16 || share > 15.0/16
	farther := near << (3 * (min(max(aside, 1), 5) - 1))
	switch {
	case b.upper != nil && b.upper.again > 0 && b.lo.depth < b.hi.depth && depth <= 7:
		return add(b.lo.At, near)
	case b.upper != nil && b.upper.again > 0, aside > 2 && !tail, depth > patience:
		return add(b.lo.At, width/2)
	case !tail:
		return add(b.lo.At, part(width, share))
	case share < 0.5:
		return add(b.lo.At, max(part(width, 2*share), farther))
	}
	return add(b.hi.At, -max(part(width, 2*(1-share)), farther))
}

// settle lets a bracket rest in which the offset is known well enough, but for two
// questions. If nothing but polls bounds it above: is anything before the offset
// stamped with what was the future then? If moments led to the same record again and
// again, very many offsets later: do all before that have one timestamp?
func (b *bracket) settle() (snapshot.Instant, bool) {
	if b.upper == nil {
		return add(b.hi.At, late+time.Second), b.lower != nil
	}
	same := b.lower != nil && !b.lower.none && b.upper.again > 0
	if !same || b.width() <= sameStamp || b.upper.offset-b.lower.offset < oneStamp {
		return 0, false
	}
	return add(b.lo.At, b.width()/2), true
}
