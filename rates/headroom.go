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

// Limited tells whether records are deleted by age or by size.
func (r Retention) Limited() bool { return r.Delete && (r.Time > 0 || r.Bytes) }

// Headroom is how long until the oldest unread record may be deleted, in seconds:
// 0 if records were lost since the poll before, or it could be at any moment;
// unknown when nothing is unread, nothing limits the log, or what it follows from
// is unknown.
//
// Where both limits are set it is the nearer of those known. It is the earliest
// moment: Kafka deletes whole segments, once the youngest record in one is too old.
// Where the policy does not delete, nothing is lost: compaction moves the start too.
func Headroom(c *Clock, l *Log, r Retention, p Position, e Estimate, lostNow bool) Value {
	switch {
	case !r.Limited():
		return Value{}
	case lostNow:
		return Of(0)
	case p.Lag <= 0:
		return Value{}
	}
	return nearer(byTime(r, e), byBytes(c, l, r, p, e))
}

// byTime is what retention.ms leaves of the record's time.
func byTime(r Retention, e Estimate) Value {
	age, ok := e.LagAge.Get()
	if !ok || r.Time <= 0 {
		return Value{}
	}
	return Of(max(0, r.Time.Seconds()-age))
}

// byBytes is how long the start of the log takes to come to the record. An application
// that deletes what it has read loses nothing.
func byBytes(c *Clock, l *Log, r Retention, p Position, e Estimate) Value {
	start := l.starts.now.Offset
	if !r.Bytes || !l.starts.seen || purged(c, l, p, e) {
		return Value{}
	}
	perSecond, ok := l.starts.rate(c.Now())
	if !ok {
		return Value{}
	}
	return Of(max(0, float64(p.Oldest)-float64(start)) / perSecond)
}

// purged tells whether the log begins exactly where the group is because those who
// read moved it there: it came there with the last commit or later. A group that began
// there came later than the start.
func purged(c *Clock, l *Log, p Position, e Estimate) bool {
	since, ok := e.CommitAge.Get()
	if !ok || l.starts.jumps == nil || l.starts.now.Offset != p.Committed {
		return false
	}
	// Starts may be read a poll before the commit is.
	return gap(p.At, l.starts.last.At) <= time.Duration((since+c.interval())*float64(time.Second))
}

// nearer is the smaller of what is known.
func nearer(a, b Value) Value {
	x, ok := a.Get()
	if y, known := b.Get(); !ok || known && y < x {
		return b
	}
	return a
}
