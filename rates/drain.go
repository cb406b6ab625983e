package rates

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// progress is what the commits of a pair tell of how fast it drains.
type progress struct {
	slope
	// usual is the longest time that this pair usually leaves between commits, in
	// seconds; 0 while it is not known.
	usual float64
	// silent is for how many seconds no commit has been seen, and apart how long
	// before the last one a poll had not seen it yet.
	silent, apart float64
	// ago and below are when and how far below the present position the commit
	// was with which the drain rate became what it is.
	ago, below float64
	// commits is how many were seen.
	commits int
	// stopped says that there has been something to commit and no commit for
	// longer than usual; idle that there was none because there was nothing.
	stopped, idle bool
}

// drain estimates how fast a pair drains. One that commits nothing drains nothing,
// as soon as that is longer than it usually leaves between commits.
func (p *Pair) drain(c *Clock, at Position) progress {
	d := draining(c, &p.commits)
	d.usual = p.pauses.usual()
	limit := d.usual*1.2 + 1.5*c.interval()
	if d.usual == 0 {
		limit = max(5*60, 12*c.interval())
	}
	d.stopped = p.open && at.At.Sub(p.pending).Seconds() > limit
	d.idle = !d.stopped && p.moved && at.At.Sub(p.changed).Seconds() > limit
	if d.stopped || d.idle {
		d.slope = slope{known: true}
	}
	return d
}

// instants is a time in seconds on the clock of instants.
func instants(seconds float64) snapshot.Instant {
	return snapshot.Instant(seconds * float64(time.Second))
}

// draining estimates how fast commits advance, from those that were seen.
func draining(c *Clock, h *history) progress {
	var k knots
	p := k.commits(c, h)
	if k.n < 2 {
		return p
	}
	seen := k.ago
	k.date()
	m := k.recent()
	p.ago, p.below = seen[m], k.below[m]
	p.slope = k.fit(m)
	return p
}

// commits makes a knot of each commit that was seen: when that was, and in unsure
// how long before a poll had not seen it yet.
func (k *knots) commits(c *Clock, h *history) (p progress) {
	w := h.walk(c)
	now := w.end()
	for newer := w; w.next(); newer = w {
		if w.offset == newer.offset {
			continue
		}
		seen := newer.begin().At
		ago, apart := now.At.Sub(seen).Seconds(), seen.Sub(w.end().At).Seconds()
		if k.n == 0 {
			p.silent, p.apart = ago, apart
		}
		if !k.add(ago, float64(now.Offset-newer.offset), max(0, apart)) {
			break
		}
	}
	p.commits = k.n
	return p
}

// date sets for each commit when it was probably made: between the poll that saw it
// and the one before, and if commits are more frequent than polls, nearer to the
// first.
func (k *knots) date() {
	n := min(k.n-1, 16)
	usual := (k.ago[n] - k.ago[0]) / float64(n)
	for i := range k.n {
		apart := min(k.unsure[i], usual)
		k.ago[i] += apart / 2
		k.unsure[i] = apart * apart / 12
	}
}

// fit is the slope of the line that fits best to the knots up to one.
func (k *knots) fit(m int) slope {
	if m == 1 {
		return slopeOf(k.rate(0, 1), k.spread(0, 1))
	}
	var meanAgo, meanBelow, unsure float64
	for i := range m + 1 {
		meanAgo += k.ago[i]
		meanBelow += k.below[i]
		unsure += k.unsure[i]
	}
	n := float64(m + 1)
	meanAgo, meanBelow, unsure = meanAgo/n, meanBelow/n, unsure/n
	var aa, ab float64
	for i := range m + 1 {
		a := k.ago[i] - meanAgo
		aa += a * a
		ab += a * (k.below[i] - meanBelow)
	}
	r, t := ab/aa, k.ago[m]-k.ago[0]
	return slopeOf(r, 2*r*r*unsure/(t*t)+k.noise*math.Abs(r)*1.2/t+1/(t*t))
}
