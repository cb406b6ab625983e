package rates

import "math"

// remaining is how long until a lag is gone, in seconds.
type remaining struct {
	seconds, low, high float64
	known              bool
}

func never() remaining { return remaining{math.Inf(1), math.Inf(1), math.Inf(1), true} }

// time is how long until the lag of a pair is gone if it drains on like this and the
// log grows on like this; and whether it keeps up with the log.
func (p progress) time(c *Clock, l *Log, at Position) (r remaining, keepsUp bool) {
	if at.Lag <= 0 {
		return remaining{known: true}, true
	}
	if p.stopped {
		return never(), false
	}
	lag, in := float64(at.Lag), l.arrival
	net := netOf(p.slope, in)
	if p.keepsUp(c, l, at, net) {
		return p.nextCommit(c, lag, in), true
	}
	if !net.known || net.perSecond > 0 && net.below(likely) && p.young(c) {
		return remaining{}, false
	}
	return net.time(lag), false
}

// young tells whether the drain rate is what it is since a few commits or polls only:
// too few to say that the lag does not shrink.
func (p progress) young(c *Clock) bool { return p.first.ago < 6*max(p.usual, c.interval()) }

// withLog is the drain rate of a pair that keeps up with its log: what arrives is what
// it drains, and that is known better than from commits. Not if the two are certainly
// not the same, as when the last commits are of before.
func (p progress) withLog(in slope) slope {
	if net := netOf(p.slope, in); !net.known || net.certain() {
		return p.slope
	}
	return in
}

// netDrain is by how much faster a pair drains than its log grows.
type netDrain struct {
	perSecond, deviation float64
	known                bool
}

func netOf(out, in slope) netDrain {
	a, b := float64(out.deviation), float64(in.deviation)
	return netDrain{
		perSecond: out.perSecond - in.perSecond,
		deviation: math.Sqrt(a*a + b*b), // Hypot is slow, and a float32 is not too large for this
		known:     out.known && in.known,
	}
}

// below tells whether it is below so many of its deviations.
func (n netDrain) below(deviations float64) bool { return n.perSecond < deviations*n.deviation }

// certain tells whether it certainly differs from nothing.
func (n netDrain) certain() bool { return n.known && (n.below(-2.5) || !n.below(2.5)) }

// time is a number only if the lag shrinks by more than what cannot be seen.
func (n netDrain) time(lag float64) remaining {
	fast, slow := n.perSecond+seldom*n.deviation, n.perSecond-seldom*n.deviation
	r := remaining{seconds: math.Inf(1), low: math.Inf(1), high: math.Inf(1), known: true}
	if fast > 0 {
		r.low = lag / fast
	}
	if n.perSecond > 0 && !n.below(likely) {
		r.seconds = lag / n.perSecond
		if slow > 0 {
			r.high = lag / slow
		}
	}
	return r
}

// likely is by how many of its deviations a net drain differs from nothing where it
// is worth a number.
const likely = 1.8

// keepsUp tells whether the lag is only what has arrived since the last commit: it
// committed what had been in the log at the poll that had not seen the commit yet,
// and its lag did not change much while both rates were what they are; or it
// committed what had been there one usual time between commits before, and nothing
// says that the lag grows or shrinks.
func (p progress) keepsUp(c *Clock, l *Log, at Position, net netDrain) bool {
	if p.commits == 0 {
		return p.idle
	}
	sure := net.certain()
	if p.had(c, l, at, p.silent+min(p.apart, max(p.usual, c.interval()))+c.interval()/4) {
		return !sure || !p.drifts(c, l, at, net)
	}
	return !sure && p.usual > 0 && net.known && !net.below(-likely) && net.below(likely) &&
		p.had(c, l, at, p.silent+p.usual+c.interval())
}

// had tells whether what is committed is all that had been in the log so long ago.
func (p progress) had(c *Clock, l *Log, at Position, ago float64) bool {
	end, ok := l.ended(c, at.At-instants(ago))
	return ok && float64(at.Committed) >= end
}

// drifts tells whether the lag went where the net drain would take it: whether at both
// of the last two commits it differs from the one when the present rate began by more
// than a third of what arrives between two polls. At one it may: many records came at
// once, and the commit just before or after.
func (p progress) drifts(c *Clock, l *Log, at Position, net netDrain) bool {
	first, known := p.lagAt(c, l, at, p.first)
	last, _ := p.lagAt(c, l, at, p.last)
	before, _ := p.lagAt(c, l, at, p.before)
	much := 0.35 * p.apart * l.arrival.perSecond
	if net.perSecond < 0 {
		return !known || min(last, before)-first > much
	}
	return !known || first-max(last, before) > much
}

// lagAt is what was unread when a position was committed.
func (p progress) lagAt(c *Clock, l *Log, at Position, then place) (lag float64, ok bool) {
	end, ok := l.ended(c, at.At-instants(then.ago))
	return max(0, end-(float64(at.Committed)-then.below)), ok
}

// nextCommit is how long until the next commit, which leaves no lag. Unknown where the
// lag is far more than the pair was ever seen to drain in the time between two: it never
// had to show how fast it can.
func (p progress) nextCommit(c *Clock, lag float64, in slope) remaining {
	const far = 3
	rate, could := max(p.perSecond, in.perSecond), p.fastest
	if p.usual == 0 && !p.idle { // one commit: it took in what had arrived
		could = max(could, in.perSecond)
	}
	if !(rate > 0) || lag > far*could*(p.silent+p.usual+c.interval()) {
		return remaining{}
	}
	seconds := lag / rate
	high := p.usual + c.interval()
	if p.usual == 0 {
		high = max(high, seconds)
	}
	return remaining{min(seconds, high), 0, high, true}
}
