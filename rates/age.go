package rates

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// waiting is what a pair remembers of when its oldest unread record arrived, for when
// the log's history does not go back that far any more.
type waiting struct {
	// offset is that of the record, arrived when it did.
	offset  int64
	arrived snapshot.Instant
	// within is how far arrived may be off, in milliseconds.
	within uint32
	source source
	// before says that offset is older than all that polls remember, which it stays.
	// It had arrived then when arrived says, or earlier.
	before bool
	// steps is the clock's when it was learned.
	steps uint8
}

// source is who told when a record arrived.
type source uint8

const (
	fromNobody source = iota
	fromPolls         // it is certain, however wide
	fromBroker        // it is as good as the timestamps
)

// age is how long the record at the oldest unread offset has been waiting at a moment,
// in seconds; 0 when there is none. The moment is when the end of the log was read.
//
// What is known stays known for as long as the group does not move, however long
// ago it was; unless it came from timestamps that turn out to lie, or the wall clock was
// set since. Unknown where it may be off by more than a poll's interval, except between two polls.
func (w *waiting) age(c *Clock, l *Log, at Position) Value {
	if at.Lag <= 0 {
		*w = waiting{}
		return Of(0)
	}
	if w.source == fromBroker && (!l.Trusted() || w.steps != c.steps) {
		*w = waiting{}
	}
	if !w.precise(at.Oldest, c.worth()) && !w.hopeless(l, at.Oldest) {
		w.learn(c, l, at.Oldest)
	}
	if !w.knows(at.Oldest, c.worth()) {
		return Value{}
	}
	now := at.At
	if end, ok := l.latest(c); ok {
		now = max(now, end.At)
	}
	return Of(max(0, gap(now, w.arrived)).Seconds())
}

// learn takes in what the log knows of an offset. What is known of one before it
// bounds it.
func (w *waiting) learn(c *Clock, l *Log, offset int64) {
	b, ok := l.bracket(c, offset)
	if !ok {
		return
	}
	v := waiting{offset: offset, source: fromBroker, steps: c.steps}
	if b.polled {
		v.source = fromPolls
	}
	b.raise(w.least(offset))
	if !b.lo.known {
		if w.source == fromNobody {
			seen := b.hi.At
			if w.before && offset <= w.offset {
				seen = min(seen, w.arrived)
			}
			*w = waiting{offset: offset, before: true, arrived: seen}
		}
		return
	}
	var within time.Duration
	v.arrived, within = b.middle(offset)
	v.within = uint32(min(within/time.Millisecond, math.MaxUint32))
	if w.source == fromNobody || v.knows(offset, c.worth()) {
		*w = v
	}
}

// least is the earliest moment at which an offset can have been passed: nothing where
// it is before the one remembered.
func (w *waiting) least(offset int64) bound {
	if w.source == fromNobody || offset < w.offset {
		return bound{}
	}
	at := add(w.arrived, -time.Duration(w.within)*time.Millisecond)
	return bound{Reading: snapshot.Reading{Offset: w.offset, At: at}, known: true}
}

// hopeless tells that an offset was looked for in vain, and nobody learned anything
// since. Looking for it costs a walk through all of the history.
func (w *waiting) hopeless(l *Log, offset int64) bool {
	return w.before && w.offset == offset && l.times.memory == nil
}

// knows tells whether anything is known of when an offset was passed that is worth
// telling.
func (w *waiting) knows(offset int64, tolerance time.Duration) bool {
	return w.offset == offset && w.source == fromPolls || w.precise(offset, tolerance)
}

// precise tells whether it is known within the tolerance, or between two polls none
// of which was missed.
func (w *waiting) precise(offset int64, tolerance time.Duration) bool {
	if w.source == fromPolls {
		tolerance *= 2
	}
	return w.offset == offset && w.source != fromNobody && time.Duration(w.within)*time.Millisecond <= tolerance
}

// Ask tells at which moment the broker's log should be looked up to learn when the
// oldest unread record of a group arrived, as [Log.Ask] does, to be called for every
// pair with lag, whether its age is known or not. What the pair remembers is not
// asked for again, unlike there.
func (p *Pair) Ask(c *Clock, l *Log, at Position, tolerance time.Duration) (snapshot.Instant, bool) {
	return p.waiting.ask(c, l, at, tolerance)
}

// ask is [Pair.Ask].
func (w *waiting) ask(c *Clock, l *Log, at Position, tolerance time.Duration) (snapshot.Instant, bool) {
	switch {
	case at.Lag <= 0 || !l.believable(c):
		return 0, false
	case !w.precise(at.Oldest, min(tolerance, c.worth())):
		return l.ask(c, at.Oldest, tolerance, w.least(at.Oldest))
	case w.source == fromBroker:
		return l.check(c)
	}
	return 0, false
}

// Watched is for how long polls have seen that the oldest unread record was there,
// as far as is remembered; 0 where nothing tells. What the pair remembers of it is not looked
// for, which would cost a walk through all of the log's history in every poll.
func (p *Pair) Watched(c *Clock, l *Log, oldest int64) time.Duration {
	if w := &p.waiting; w.before && w.offset == oldest {
		return max(0, gap(c.Now(), w.arrived))
	}
	return l.Watched(c, oldest)
}

// worth is within how much a timestamp has to tell when a record arrived: less than the
// interval between polls, since the moments of polls are not remembered exactly.
func (c *Clock) worth() time.Duration { return c.opts.Interval - c.opts.Interval/16 }
