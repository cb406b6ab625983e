package rates

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Log is what is remembered of the log of one partition: where it ended at the
// polls of the last while, and what the broker told of its records' times before
// that. The zero Log remembers nothing. A topic that was deleted and created again
// begins with a new one.
type Log struct {
	ends    history
	since   steady
	arrival slope
	times   times
	starts  starts
}

// between tells between which two polls the end first passed an offset: at the last
// of those before, it had not. False where the history does not go back that far,
// and where the end has not passed it yet.
// Where it does not go back that far, after is the oldest reading all the same.
func (l *Log) between(c *Clock, offset int64) (before, after snapshot.Reading, ok bool) {
	if !l.ends.known(c) || l.ends.offset <= offset {
		return before, after, false
	}
	w := l.ends.walk(c)
	for w.offset > offset {
		after = w.begin()
		if !w.next() {
			return before, after, false
		}
	}
	return w.end(), after, true
}

// oldest is the first reading that is remembered.
func (l *Log) oldest(c *Clock) (r snapshot.Reading, ok bool) {
	if !l.ends.known(c) {
		return r, false
	}
	w := l.ends.walk(c)
	for w.next() {
	}
	return w.begin(), true
}

// latest is the last reading.
func (l *Log) latest(c *Clock) (r snapshot.Reading, ok bool) {
	if !l.ends.known(c) {
		return r, false
	}
	return snapshot.Reading{Offset: l.ends.offset, At: moment(c, l.ends.poll, l.ends.late)}, true
}

// ended is where the log ended at a moment, as if it had grown evenly between the
// polls around it. False where the history does not go back that far.
func (l *Log) ended(c *Clock, at snapshot.Instant) (offset float64, ok bool) {
	if !l.ends.known(c) {
		return 0, false
	}
	w := l.ends.walk(c)
	if w.end().At <= at {
		return float64(w.offset), true
	}
	var after snapshot.Reading
	for w.begin().At > at {
		after = w.begin()
		if !w.next() {
			return 0, false
		}
	}
	before := w.end()
	if before.At >= at {
		return float64(w.offset), true
	}
	part := float64(at.Sub(before.At)) / float64(after.At.Sub(before.At))
	return float64(before.Offset) + part*float64(after.Offset-before.Offset), true
}

// Observe takes in where the log ended in this poll. An end offset below the one
// before (the log was cut, or made anew) begins the history anew; one that was seen
// in this poll already changes nothing, and neither does one below 0.
func (l *Log) Observe(c *Clock, end snapshot.Reading) {
	if end.Offset < 0 || c.last == 0 || l.ends.poll == c.last {
		return
	}
	if end.Offset < l.ends.offset {
		l.ends, l.since, l.times = history{code: l.ends.code[:0]}, steady{}, times{}
	}
	l.ends.add(c, end, math.MaxInt32)
	l.times.expire(c)
	l.arrival = l.grows(c)
}

// Arrival is how fast the end offset advances now: as of the last poll that read it.
func (l *Log) Arrival(c *Clock) Rate { return l.arrival.rate() }

// Start takes in where the log begins. One that was read at the same moment as the
// one before changes nothing.
func (l *Log) Start(c *Clock, start snapshot.Reading) { l.starts.observe(start) }

// Watched is for how long polls have seen the log's end beyond an offset, as far as
// they are remembered: the record there is at least as old. 0 where the oldest of them
// had not seen it there.
func (l *Log) Watched(c *Clock, offset int64) time.Duration {
	first, ok := l.oldest(c)
	if !ok || first.Offset <= offset {
		return 0
	}
	return max(0, gap(c.Now(), first.At))
}
