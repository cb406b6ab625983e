package rates

import "time"

// Retention is what a topic's config says of when records are deleted.
type Retention struct {
	// Delete says that its cleanup policy deletes at all.
	Delete bool
	// Time is retention.ms, 0 for none; Bytes says that retention.bytes is finite.
	Time  time.Duration
	Bytes bool
}

// Headroom is how long until the oldest unread record may be deleted, in seconds:
// 0 if records were lost since the poll before, or it could be at any moment;
// unknown when nothing is unread, nothing limits the log, or what it follows from
// is unknown.
func Headroom(c *Clock, l *Log, r Retention, p Position, e Estimate, lostNow bool) Value {
	return Value{}
}
