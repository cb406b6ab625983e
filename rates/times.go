package rates

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// times are what the broker told of when records arrived, for what polls did not
// see. Most logs never need any: nil until something was learned.
//
// A broker asked about a moment answers with the first offset whose record has a
// timestamp at or after it. So everything before that offset is older than the
// moment, even where timestamps are out of order; what lies at and after it is taken
// to be as old as its timestamp at most. Two such points enclose when an offset
// between them was passed.
type times struct{ *memory }

// memory is what was learned about one log.
type memory struct {
	points points
	// used is when something was learned last, checked when the timestamps were last
	// compared with what polls saw.
	used, checked snapshot.Instant
	// lied is set while the timestamps are not believed: from then on, for an hour.
	lied  bool
	since snapshot.Instant
	// doubts counts answers that took an earlier one back. Records that were deleted
	// in between explain a few.
	doubts uint8
	// steps is the clock's when all this was learned.
	steps uint8
}

const (
	// grudge is how long timestamps that lied are not believed. What lied may be
	// deleted by then.
	grudge = time.Hour
	// idle is how long points are kept that nobody needs. Ages that pairs remember
	// rely on them: they are checked more often than that.
	idle = 2 * checkEvery
	// checkEvery is how often timestamps that ages rely on are compared with what
	// polls saw, and checkAfter how long those must have watched: in the middle of
	// that, both what is older and what is younger is off by more than late.
	checkEvery, checkAfter = 10 * time.Minute, 2*late + time.Minute
	// maxDoubts is how often answers may take earlier ones back.
	maxDoubts = 8
)

// Passed tells when the log end first passed an offset, which is when the record
// there arrived: at is the estimate, and within how far it may be off, either way.
// False where that is not known, and where the end has not passed it yet.
//
// What polls saw comes first. Before that, and where polls were missed, the
// timestamps count that the broker told. Records that all have one timestamp
// arrived at that moment, as far as anybody knows; but where those are more than
// come at once (see [Log.Trusted]), it is not believed.
func (l *Log) Passed(c *Clock, offset int64) (at snapshot.Instant, within time.Duration, ok bool) {
	b, ok := l.bracket(c, offset)
	if !ok || !b.lo.known {
		return 0, 0, false
	}
	at, within = b.middle(offset)
	return at, within, true
}

// Ask tells at which moment the broker's log should be looked up to learn when an
// offset was passed: what it answers goes to Learn. False where it is known well
// enough (within the tolerance), or asking is of no use.
//
// It converges: about five answers are enough where records came evenly, and each
// answer narrows what is known. Now and then it asks about a moment that polls saw,
// to find timestamps that lie, and does so before anything is learned where it can; so
// it is to be called for known ages too. It changes nothing: unless something is
// learned, it asks the same again.
func (l *Log) Ask(c *Clock, offset int64, tolerance time.Duration) (at snapshot.Instant, ok bool) {
	return l.ask(c, offset, tolerance, bound{})
}

// ask is Ask where it is known besides that the offset was not passed before least.
func (l *Log) ask(c *Clock, offset int64, tolerance time.Duration, least bound) (snapshot.Instant, bool) {
	tolerance = max(min(tolerance, c.worth()), 2*time.Millisecond)
	if !l.believable(c) {
		return 0, false
	}
	b, ok := l.bracket(c, offset)
	if !ok || b.polled && b.width() <= 2*tolerance {
		return 0, false
	}
	if at, ok := l.check(c); ok {
		return at, true
	}
	b.raise(least)
	if b.lo.known && b.width() <= 2*tolerance {
		return b.settle()
	}
	return b.next(c.Now(), tolerance)
}

// check is a moment in the middle of what polls saw, from time to time, if the log
// grew: the answer to it is known.
func (l *Log) check(c *Clock) (snapshot.Instant, bool) {
	if m := l.times.memory; m != nil && !m.lied && gap(c.Now(), m.checked) < checkEvery {
		return 0, false
	}
	first, ok1 := l.oldest(c)
	last, ok2 := l.latest(c)
	if !ok1 || !ok2 || gap(last.At, first.At) < checkAfter || last.Offset-first.Offset < 2 {
		return 0, false
	}
	before, _, ok := l.between(c, first.Offset+(last.Offset-first.Offset)/2)
	return before.At, ok
}

// Learn takes in what the broker answered to a question about a moment: the first
// offset whose record has a timestamp at or after it, and that timestamp; or that
// there is none (found is false), so that the log had its present end by then.
func (l *Log) Learn(c *Clock, asked snapshot.Instant, found bool, offset int64, stamp snapshot.Instant) {
	last, ok := l.latest(c)
	if !ok || !l.believable(c) || found && offset < 0 {
		return
	}
	at, checks := l.check(c)
	l.times.begin(c)
	if checks && at == asked {
		l.times.checked = c.Now()
	}
	p := point{asked: asked, stamp: stamp, offset: offset}
	if !found {
		p = point{asked: asked, stamp: asked, offset: l.times.points.end(last.Offset), none: true}
	}
	lies := l.contradicts(c, p)
	p.stamp = max(p.stamp, p.asked)
	if lies || l.times.take(p) {
		*l.times.memory = memory{lied: true, since: c.Now(), steps: c.steps}
	}
}

// Trusted tells whether the records' timestamps are believed. They are not once
// they contradict what polls saw, or each other: a timestamp more than a minute in
// the future; more than two minutes away from when polls saw its record arrive, or
// records arriving that are older; an answer that an earlier one excludes; ten
// thousand offsets or more with one timestamp, which is more than a batch holds. All
// that was learned is dropped then, and an hour later the timestamps get another
// chance.
func (l *Log) Trusted() bool { return l.times.memory == nil || !l.times.lied }

// believable is Trusted, or a lie that is long ago.
func (l *Log) believable(c *Clock) bool {
	return l.Trusted() || gap(c.Now(), l.times.since) >= grudge
}

// begin makes room for an answer. Searches begin anew in each poll.
func (t *times) begin(c *Clock) {
	if t.memory == nil || t.lied {
		t.memory = &memory{steps: c.steps}
	}
	if t.used != c.Now() {
		for i := range t.points {
			t.points[i].depth = 0
		}
	}
	t.used = c.Now()
}

// expire forgets points that nobody needs, and what the wall clock no longer agrees
// with.
func (t *times) expire(c *Clock) {
	if t.memory != nil && (t.steps != c.steps || !t.lied && gap(c.Now(), t.used) > idle) {
		t.memory = nil
	}
}

// gap is how much later a is than b. What a Duration cannot hold is the longest.
func gap(a, b snapshot.Instant) time.Duration {
	d := a.Sub(b)
	switch {
	case a > b && d < 0:
		return math.MaxInt64
	case a < b && d >= 0:
		return math.MinInt64
	}
	return d
}

// add is an instant later or earlier, at most as far as an Instant goes.
func add(at snapshot.Instant, d time.Duration) snapshot.Instant {
	sum := at + snapshot.Instant(d)
	switch {
	case d > 0 && sum < at:
		return math.MaxInt64
	case d < 0 && sum > at:
		return math.MinInt64
	}
	return sum
}
