package rates

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// times are what the broker told of when records arrived, from before the first poll.
type times struct{}

// Passed tells when the log end first passed an offset, which is when the record
// there arrived: at is the estimate, and within how far it may be off, either way.
// False where that is not known, and where the end has not passed it yet.
func (l *Log) Passed(c *Clock, offset int64) (at snapshot.Instant, within time.Duration, ok bool) {
	return 0, 0, false
}

// Ask tells at which moment the broker's log should be looked up to learn when an
// offset was passed: what it answers goes to Learn. False where it is known well
// enough (within the tolerance), or asking is of no use.
func (l *Log) Ask(c *Clock, offset int64, tolerance time.Duration) (at snapshot.Instant, ok bool) {
	return 0, false
}

// Learn takes in what the broker answered to a question about a moment: the first
// offset whose record has a timestamp at or after it, and that timestamp; or that
// there is none (found is false), so that the log had its present end by then.
func (l *Log) Learn(c *Clock, asked snapshot.Instant, found bool, offset int64, stamp snapshot.Instant) {
}

// Trusted tells whether the records' timestamps are believed. They are not once
// they contradict what polls saw, or each other.
func (l *Log) Trusted() bool { return true }
