package snapshot

import (
	"sync/atomic"
	"time"
)

// Instant is a moment on the clock of this process: nanoseconds, of which only
// differences mean something. It goes on evenly when somebody sets the system's
// clock, and, unlike a time.Time, has no pointer in it: there are some for each
// partition.
type Instant int64

// clockStart has the monotonic clock in it. It is long ago, so that the zero
// Instant is.
var clockStart = time.Now().Add(-50 * 365 * 24 * time.Hour)

// ahead is by how much the clock of instants has been advanced.
var ahead atomic.Int64

// InstantOf is the moment of a time that time.Now returned in this process.
func InstantOf(t time.Time) Instant { return Instant(t.Sub(clockStart)) + Instant(ahead.Load()) }

// Advance lets time pass at once, for all instants of this process. It is for
// measurements, which do not wait from one poll to the next as long as is usual.
func Advance(by time.Duration) { ahead.Add(int64(by)) }

// Sub returns how much later i is than o.
func (i Instant) Sub(o Instant) time.Duration { return time.Duration(i - o) }
