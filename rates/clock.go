package rates

import (
	"math/bits"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Options say how much is remembered: no more than the polls of that time if they are
// an interval apart, 16,384 at most.
type Options struct {
	// History is how far back polls are remembered; 30 minutes if it is 0. The last 16
	// are however long ago they were: of fewer little can be estimated.
	History time.Duration
	// Interval is the usual time between two polls; 10 seconds if it is 0.
	Interval time.Duration
}

// Bounds of the column: of few polls nothing can be estimated, and of more than one
// a second for some hours nothing better.
const minPolls, maxPolls = 16, 1 << 14

// Clock is the column of the moments of polls, which the histories of a cluster
// share: they say in which poll they saw something, in a byte or none, and the
// clock says when that was.
type Clock struct {
	opts Options
	// ring has the moments of the last polls, by their number, of which the
	// low bits count. Its length is a power of two.
	ring []snapshot.Instant
	// last is the number of the last poll, from 1; 0 before the first. first is
	// that of the oldest that is remembered.
	first, last uint32
	// steps counts how often the wall clock was set, again from 0 after 255.
	steps uint8
}

// NewClock returns a clock before its first poll.
func NewClock(o Options) *Clock {
	if o.History <= 0 {
		o.History = 30 * time.Minute
	}
	if o.Interval <= 0 {
		o.Interval = 10 * time.Second
	}
	polls := min(max(int64(o.History/o.Interval)+2, minPolls), maxPolls)
	return &Clock{opts: o, first: 1, ring: make([]snapshot.Instant, 1<<bits.Len64(uint64(polls-1)))}
}

// Begin begins a poll. A moment that is not after the one before begins nothing.
func (c *Clock) Begin(at snapshot.Instant) {
	if c.last > 0 && (at <= c.Now() || at.Sub(c.Now()) < 0) {
		return
	}
	c.last++
	c.ring[c.slot(c.last)] = at
	c.first = max(c.first, c.last-min(c.last-1, uint32(len(c.ring)-1)))
	for c.first < c.last && c.forgotten(c.first) {
		c.first++
	}
}

// forgotten tells whether a poll is: it is older than the history, and not one of the
// last few. What is negative is so long ago that nothing can hold it.
func (c *Clock) forgotten(poll uint32) bool {
	ago := c.Now().Sub(c.at(poll))
	return ago < 0 || ago > c.opts.History && c.last-poll >= minPolls
}

// Stepped tells that the wall clock was set since the poll before, to be called before
// the logs are observed. What was learned from timestamps is forgotten then, since it
// was compared with the wrong time: nobody is blamed for it.
func (c *Clock) Stepped() { c.steps++ }

// Now is when the last poll began; 0 before the first.
func (c *Clock) Now() snapshot.Instant { return c.at(c.last) }

// at is when a poll began that is remembered.
func (c *Clock) at(poll uint32) snapshot.Instant { return c.ring[c.slot(poll)] }

func (c *Clock) slot(poll uint32) uint32 { return poll & uint32(len(c.ring)-1) }

// interval is the usual time between two polls, in seconds.
func (c *Clock) interval() float64 { return c.opts.Interval.Seconds() }
