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
	// fastest is how much it drained between two commits, the most of late, in offsets
	// per second; 0 while it is not known.
	fastest float64
	// last and before are the last two commits, first is when the drain rate had
	// become what it is.
	last, before, first place
	// commits is how many were looked at.
	commits int
	// stopped says that there has been something to commit and no commit for
	// longer than usual; idle that there was none because there was nothing.
	stopped, idle bool
}

// silence is for how many seconds a pair may commit nothing of which it is not known how
// long it usually leaves between commits: some commit every ten minutes.
const silence = 12 * 60

// place is how many seconds ago a position was how far below the present one.
type place struct{ ago, below float64 }

// drain estimates how fast a pair drains. One that commits nothing drains nothing,
// as soon as that is longer than it usually leaves between commits, or records between
// each other: of one that comes now and then, the next may be waited for.
func (p *Pair) drain(c *Clock, l *Log, at Position) progress {
	d := p.drains(c)
	d.usual, d.fastest = p.pauses.usual(), float64(p.pauses.fastest)
	d.stopped, d.idle = p.rests(c, l, at, d.usual)
	if d.slope.known {
		d.fastest = max(d.fastest, d.slope.perSecond)
	}
	if d.stopped || d.idle {
		d.slope = slope{known: true}
	}
	return d
}

// rests tells whether a pair has committed nothing for longer than usual, though there
// was something to commit or because there was nothing.
func (p *Pair) rests(c *Clock, l *Log, at Position, usual float64) (stopped, idle bool) {
	most := limit(c, usual)
	stopped = p.open && seconds(at.At.Sub(p.pending)) > most
	if in := l.arrival.perSecond; in > 0 {
		most = max(most, 3/in)
	}
	return stopped, !stopped && p.moved && seconds(at.At.Sub(p.changed)) > most
}

// limit is for how many seconds a pair with a usual pause may commit nothing.
func limit(c *Clock, usual float64) float64 {
	if usual == 0 {
		return max(silence, 12*c.interval())
	}
	return usual*1.2 + 1.5*c.interval()
}

// drains estimates how fast commits advance, from those that were seen.
func (p *Pair) drains(c *Clock) progress {
	k := knots{ofCommits: true}
	s := p.steady.slope(c, &p.commits, &k)
	d := progress{slope: s, commits: k.n, silent: k.silent, apart: k.apart}
	if s.known {
		ago, below := p.steady.far(c, &p.commits)
		d.first = place{ago, below}
		d.last, d.before = place{k.ago[0], k.below[0]}, place{k.ago[1], k.below[1]}
	}
	return d
}

// seconds is a time as a number.
func seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// instants is a time in seconds on the clock of instants.
func instants(seconds float64) snapshot.Instant {
	return snapshot.Instant(math.Round(seconds * float64(time.Second)))
}

// commits makes a knot of each commit that was seen.
func (k *knots) commits(c *Clock, h *history, most int) {
	w := h.walk(c)
	now, newer, seen := w.end(), w.offset, w.begin().At
	for k.n < most && w.next() {
		if w.offset != newer {
			apart := max(0, seconds(seen.Sub(w.end().At)))
			k.add(seconds(now.At.Sub(seen)), float64(now.Offset-newer), apart)
		}
		newer, seen = w.offset, w.begin().At
	}
	if k.n > 0 {
		k.silent, k.apart = k.ago[0], k.unsure[0]
		k.date()
	}
}

// date sets for each commit when it was probably made: between the poll that saw it
// and the one before, and if commits are more frequent than polls, nearer to the
// first.
func (k *knots) date() {
	n := min(k.n-1, fewKnots-1)
	usual := (k.ago[n] - k.ago[0]) / float64(max(n, 1))
	for i := range k.n {
		apart := k.unsure[i]
		if n > 0 {
			apart = min(apart, usual)
		}
		k.ago[i] += apart / 2
		k.unsure[i] = apart * apart / 12
	}
}
