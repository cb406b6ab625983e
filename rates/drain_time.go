package rates

import "math"

// remaining is how long until a lag is gone, in seconds.
type remaining struct {
	seconds, low, high float64
	known              bool
}

func never() remaining { return remaining{math.Inf(1), math.Inf(1), math.Inf(1), true} }

// time is how long until the lag of a pair is gone if it drains on like this and
// the log grows on like this.
func (p progress) time(c *Clock, l *Log, at Position) remaining {
	if at.Lag <= 0 {
		return remaining{known: true}
	}
	if p.stopped {
		return never()
	}
	lag, in := float64(at.Lag), l.arrival
	net := netOf(p.slope, in)
	if (!net.known || !net.below(-3) && net.below(3)) && p.keepsUp(c, l, at, net) {
		return p.nextCommit(c, lag, in)
	}
	if !net.known {
		return remaining{}
	}
	return net.time(lag)
}

// netDrain is by how much faster a pair drains than its log grows.
type netDrain struct {
	perSecond, deviation float64
	known                bool
}

func netOf(out, in slope) netDrain {
	return netDrain{
		perSecond: out.perSecond - in.perSecond,
		deviation: math.Hypot(float64(out.deviation), float64(in.deviation)),
		known:     out.known && in.known,
	}
}

// below tells whether it is below so many of its deviations.
func (n netDrain) below(deviations float64) bool { return n.perSecond < deviations*n.deviation }

// time is a number only if the lag shrinks by more than what cannot be seen.
func (n netDrain) time(lag float64) remaining {
	fast, slow := n.perSecond+seldom*n.deviation, n.perSecond-seldom*n.deviation
	r := remaining{seconds: math.Inf(1), low: math.Inf(1), high: math.Inf(1), known: true}
	if fast > 0 {
		r.low = lag / fast
	}
	if n.perSecond > 0 && !n.below(certain) {
		r.seconds = lag / n.perSecond
		if slow > 0 {
			r.high = lag / slow
		}
	}
	return r
}

// certain is by how many of its deviations a net drain differs from nothing.
const certain = 1.3

// keepsUp tells whether the lag is only what has arrived since the last commit: it
// committed what had been in the log at the poll that had not seen the commit yet;
// or what had been there one usual time between commits before, and the lag seems
// neither to grow nor to shrink.
func (p progress) keepsUp(c *Clock, l *Log, at Position, net netDrain) bool {
	if p.idle || p.commits == 0 {
		return p.idle
	}
	by := func(ago float64) bool {
		had, ok := l.reached(c, at.At-instants(ago))
		return ok && at.Committed >= had
	}
	if by(p.unseen) {
		return true
	}
	return p.usual > 0 && net.known && !net.below(-certain) && net.below(certain) && by(p.silent+p.usual+c.interval())
}

// nextCommit is how long until the next commit, which leaves no lag.
func (p progress) nextCommit(c *Clock, lag float64, in slope) remaining {
	rate := max(p.perSecond, in.perSecond)
	if !(rate > 0) {
		return remaining{}
	}
	seconds := lag / rate
	high := p.usual + c.interval()
	if p.usual == 0 {
		high = max(high, seconds)
	}
	return remaining{min(seconds, high), 0, high, true}
}
