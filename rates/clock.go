package rates

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Options say how much is remembered.
type Options struct {
	// History is how far back polls are remembered.
	History time.Duration
	// Interval is the usual time between two polls.
	Interval time.Duration
}

// Clock is the column of the moments of polls, which the histories of a cluster
// share.
type Clock struct {
	opts Options
	now  snapshot.Instant
}

// NewClock returns a clock before its first poll.
func NewClock(o Options) *Clock { return &Clock{opts: o} }

// Begin begins a poll. A moment that is not after the one before begins nothing.
func (c *Clock) Begin(at snapshot.Instant) { c.now = max(c.now, at) }

// Now is when the last poll began.
func (c *Clock) Now() snapshot.Instant { return c.now }
