package rates

import (
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Pair is what is remembered of a group on one partition: the positions that it
// had committed at the polls of the last while. The zero Pair remembers nothing.
type Pair struct {
	commits history
	// changed is when the last change was seen, if moved is set. pending is since
	// when there has been something to commit: since the last change, or since
	// there was a lag at all; it is set if open is.
	changed, pending snapshot.Instant
	pauses           pauses
	steady           steady
	waiting          waiting
	work             work
	moved, open      bool
	// grown says that something has arrived since the position last changed.
	grown bool
	// resuming is at how many more commits the pair is seen to work again: see resumed.
	resuming uint8
	// lost is how many records at the position were gone at the last poll, and skipped how
	// many the group has gone past so since its history begins: the history is of what it
	// read, which is so much less than what it committed.
	lost, skipped int64
}

// resumed is how many commits it takes after a silence until rates tell how fast the pair
// works: the first commits what was done before it, or hardly anything.
const resumed = 2

// commitBytes bounds the history of a pair: it has about twenty commits, or all
// that the clock remembers.
const commitBytes = 96

// Position is where a group is on a partition in one poll.
type Position struct {
	// At is when the position was read.
	At snapshot.Instant
	// Committed is the next offset that the group would read. For a share group
	// it is how far it has come: the end less the lag.
	Committed int64
	// Oldest is the offset of the oldest unread record: the committed offset, or
	// the log's start where that is later; the start of a share group.
	Oldest int64
	// Lag is in offsets, 0 at least; End the end offset that it was computed from.
	Lag, End int64
}

// Estimate is what is estimated of a group on a partition. Times are in seconds.
type Estimate struct {
	// Drain is how fast the committed offset advances, in offsets per second.
	Drain Value
	// DrainSeconds is how long until the lag is 0 if both rates stay what they
	// are: 0 where it is, +Inf where it does not shrink. Unknown until that can be
	// told, and for a pair that kept up and now has far more lag than it was ever
	// seen to drain, until its next commit. DrainLow and DrainHigh enclose it; all
	// three are known or none is.
	DrainSeconds, DrainLow, DrainHigh Value
	// LagAge is how long the oldest unread record has been waiting; 0 when there
	// is none.
	LagAge Value
	// CommitAge is how long ago the committed offset was last seen to change, as
	// far as was watched: unknown until it was seen to change once.
	CommitAge Value
	// Processing is how long the owner takes for one offset, where there was a
	// backlog all the time; unknown elsewhere.
	Processing Value
	// Usual is the longest time that the pair usually leaves between two commits;
	// unknown until it was seen to. Waiting is for how long there has been something to
	// commit and nothing was, as far as was watched; 0 where there is nothing.
	Usual, Waiting Value
	// Resumed says that a commit ended a silence that was longer than usual, and too few
	// have come since: Drain is for the most part of the silence.
	Resumed bool
	// KeepsUp says that the lag is what its next commit takes in, or 0. Stopped says that
	// it has committed nothing for longer than it usually leaves between two; while that
	// is not known, for longer than any pair does.
	KeepsUp, Stopped bool
	// Still says that nothing was seen to arrive since the committed offset last changed, or
	// since it was first seen: what is unread, or was until retention removed it, may be
	// nothing that can be read, as markers and records of aborted transactions are.
	Still bool
}

// Remnant tells whether so many offsets at the group's position may be nothing that can be
// read, while they are there and when retention has removed them: the markers of
// transactions that ended at about the same time, or the records of a small one that was
// aborted. They are very few, and nothing has arrived since. Share groups pass these by
// themselves; of them it says nothing.
func (e *Estimate) Remnant(offsets int64) bool {
	const few = 10
	return e.Still && offsets <= few
}

// Observe takes in where the group is in this poll and returns what is estimated
// now. A position below the one before begins the history anew; by how many
// offsets it went back is rewound. The log must have been observed before it. A
// position that was seen in this poll already is only estimated again.
func (p *Pair) Observe(c *Clock, l *Log, at Position) (e Estimate, rewound int64) {
	if c.last == 0 || at.Committed < 0 {
		return Estimate{}, 0
	}
	rewound = p.see(c, at)
	if at.Lag <= 0 && l.arrival.known {
		return p.caughtUp(c, l, at), rewound
	}
	d := p.drain(c, l, at)
	t, keepsUp := d.time(c, l, at)
	if t.known {
		e.DrainSeconds, e.DrainLow, e.DrainHigh = Of(t.seconds), Of(t.low), Of(t.high)
	}
	drain := d.slope
	if keepsUp && !d.idle {
		drain = d.withLog(l.arrival)
	}
	if drain.known {
		e.Drain = Of(drain.perSecond)
	}
	if p.moved {
		e.CommitAge = Of(max(0, seconds(at.At.Sub(p.changed))))
	}
	e.LagAge = p.waiting.age(c, l, at)
	e.Processing = p.work.observe(at, d.rate())
	e.KeepsUp, e.Stopped = keepsUp, d.stopped
	p.silence(&e, at)
	return e, rewound
}

// caughtUp is what is estimated of a pair without lag: it drains what arrives, whatever
// it could.
func (p *Pair) caughtUp(c *Clock, l *Log, at Position) Estimate {
	none := Of(0)
	e := Estimate{Drain: none, DrainSeconds: none, DrainLow: none, DrainHigh: none, LagAge: none, KeepsUp: true}
	if _, idle := p.rests(c, l, at, p.pauses.usual()); !idle {
		e.Drain = Of(l.arrival.perSecond)
	}
	if p.moved {
		e.CommitAge = Of(max(0, seconds(at.At.Sub(p.changed))))
	}
	p.waiting = waiting{}
	p.work.observe(at, Rate{})
	p.silence(&e, at)
	return e
}

// silence is for how long the pair has committed nothing that it might, and what is
// usual.
func (p *Pair) silence(e *Estimate, at Position) {
	e.Waiting, e.Still, e.Resumed = Of(0), max(at.Lag, p.lost) > 0 && !p.grown, p.resuming > 0
	if p.open {
		e.Waiting = Of(max(0, seconds(at.At.Sub(p.pending))))
	}
	if usual := p.pauses.usual(); usual > 0 {
		e.Usual = Of(usual)
	}
}

// see takes in the position.
func (p *Pair) see(c *Clock, at Position) (rewound int64) {
	was, seen := p.Committed()
	if seen && at.Committed < was {
		rewound = was - at.Committed
		p.commits, p.steady, p.skipped = history{code: p.commits.code[:0]}, steady{}, 0
	}
	if seen && (rewound > 0 || at.Committed > was) {
		p.resuming = max(p.resuming, 1) - 1
		if rewound == 0 {
			p.skipped += min(p.lost, at.Committed-was)
			p.paused(c, at)
		}
		p.moved, p.changed, p.open, p.grown = true, at.At, false, false
	}
	// The work remembers the lag of when the position last changed, up to all ones.
	p.grown = p.grown || p.work.seen && p.work.committed == at.Committed && at.Lag > int64(p.work.lag)
	if at.Lag == 0 {
		p.open = false
	} else if !p.open {
		p.open, p.pending = true, at.At
	}
	p.lost = max(0, at.Oldest-at.Committed)
	if p.commits.poll != c.last {
		p.commits.add(c, p.reading(c, at), commitBytes)
	}
	return rewound
}

// reading is the position as it is remembered. When one was read that is no news need
// not be exact: that would take room, and push commits out of the history.
func (p *Pair) reading(c *Clock, at Position) snapshot.Reading {
	r := snapshot.Reading{Offset: at.Committed - p.skipped, At: at.At}
	usual := moment(c, c.last, p.commits.late)
	if r.Offset == p.commits.offset && max(gap(usual, r.At), gap(r.At, usual)) <= c.opts.Interval/8 {
		r.At = usual
	}
	return r
}

// paused takes in the pause that a commit ends. Where nothing was to be committed at the
// poll before, it lasted no longer than from there. Time in which no poll read the pair
// is no pause: it may have committed all the while.
func (p *Pair) paused(c *Clock, at Position) {
	since := p.pending
	if !p.open {
		since = p.commits.at(c)
	}
	// The begin of the pause before the first commit was not seen.
	unknown := p.open && !p.moved || !p.open && p.commits.poll+1 < c.last
	if unknown || !p.commits.known(c) {
		return
	}
	took := seconds(at.At.Sub(since))
	if usual := p.pauses.usual(); usual > 0 && took > limit(c, usual) {
		p.resuming = resumed
	}
	unread := seconds(at.At.Sub(p.commits.at(c))) - 2*c.interval()
	p.pauses.add(took-max(0, unread), float64(at.Committed-p.skipped-p.commits.offset)/max(took, c.interval()))
}

// Moved tells that another member owns the partition now: what was seen of the
// processing time was another's.
func (p *Pair) Moved() { p.work.moved() }

// Committed is the position that the pair was last seen at; false before it was seen
// once.
func (p *Pair) Committed() (offset int64, ok bool) {
	return p.commits.offset + p.skipped, p.commits.poll > 0
}
