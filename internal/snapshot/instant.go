package snapshot

import "time"

// Instant is a moment on the clock of this process: nanoseconds, of which only
// differences mean something. It goes on evenly when somebody sets the system's
// clock, and, unlike a time.Time, has no pointer in it: there are some for each
// partition.
type Instant int64

// clockStart has the monotonic clock in it. It is long ago, so that the zero
// Instant is.
var clockStart = time.Now().Add(-50 * 365 * 24 * time.Hour)

// InstantOf is the moment of a time that time.Now returned in this process.
func InstantOf(t time.Time) Instant { return Instant(t.Sub(clockStart)) }

// Sub returns how much later i is than o.
func (i Instant) Sub(o Instant) time.Duration { return time.Duration(i - o) }
