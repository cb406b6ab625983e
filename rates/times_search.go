package rates

import (
	"math"
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
	half := middle(now, b.lo.At, b.hi.At, tolerance)
	at := b.guess(half, tolerance)
	at = min(max(at, add(b.lo.At, tolerance/2)), add(b.hi.At, -tolerance/2))
	if at != half && b.late(now, at, tolerance) {
		at = half
	}
	return at, b.lo.At < at && at < b.hi.At
}

// guess interpolates. Where the same bound moved again and again, it bisects; where
// the upper one is the same record each time, there was a pause before it, and the
// offset lies at the begin of that. Near a bound it goes beyond the offset, to move
// the other bound near it too.
func (b *bracket) guess(half snapshot.Instant, tolerance time.Duration) snapshot.Instant {
	width, share := b.width(), b.share()
	depth := max(b.lo.depth, b.hi.depth)
	aside := depth - min(b.lo.depth, b.hi.depth)
	near := (tolerance + tolerance/2) << min(2*max(aside, 1)-2, 16)
	switch {
	case b.upper != nil && b.upper.again == 2:
		return add(b.lo.At, tolerance+tolerance/2)
	case b.upper != nil && b.upper.again > 0 || aside > 2 || depth > 6 && depth%2 == 0:
		return half
	case share < 1.0/16:
		return add(b.lo.At, max(part(width, 2*share), near))
	case share > 15.0/16:
		return add(b.hi.At, -max(part(width, 2*(1-share)), near))
	}
	return add(b.lo.At, part(width, share))
}

// late tells whether a guess could make it impossible to find the record in time by
// bisecting what it leaves.
func (b *bracket) late(now, guess snapshot.Instant, tolerance time.Duration) bool {
	depth := int(max(b.lo.depth, b.hi.depth))
	return depth+1+max(halvings(now, b.lo.At, guess, tolerance), halvings(now, guess, b.hi.At, tolerance)) > maxAsks
}

// middle halves a bracket: by the logarithm of the age while its ends are far apart
// by that, which finds yesterday among ten years quickly, else by time.
func middle(now, lo, hi snapshot.Instant, tolerance time.Duration) snapshot.Instant {
	old, young := float64(gap(now, lo)), float64(max(gap(now, hi), tolerance))
	if old > 4*young && old > float64(7*24*time.Hour) {
		if at := add(now, -time.Duration(math.Sqrt(old*young))); lo < at && at < hi {
			return at
		}
	}
	return add(lo, gap(hi, lo)/2)
}

// halvings is how many answers narrow a bracket to the tolerance at worst.
func halvings(now, lo, hi snapshot.Instant, tolerance time.Duration) (n int) {
	for gap(hi, lo) > 2*tolerance && n < 64 {
		hi = middle(now, lo, hi, tolerance)
		n++
	}
	return n
}

// settle lets a bracket rest in which the offset is known well enough. If records
// came to the same upper point again and again, and there are very many in between,
// it first asks whether those all have one timestamp.
func (b *bracket) settle() (snapshot.Instant, bool) {
	if b.lower != nil {
		b.lower.depth = 0
	}
	if b.upper != nil {
		b.upper.depth = 0
	}
	if b.lower == nil || b.upper == nil || b.lower.none || b.upper.again < 3 || b.upper.again == settled ||
		b.width() <= sameStamp || b.upper.offset-b.lower.offset < oneStamp {
		return 0, false
	}
	b.upper.again = settled
	return add(b.lo.At, sameStamp-time.Millisecond), true
}
