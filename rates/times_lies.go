package rates

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const (
	// early is how far in the future a timestamp may be: clocks differ.
	early = time.Minute
	// late is how much older than its arrival a record may be: as long as a
	// producer tries to deliver it.
	late = 2 * time.Minute
)

// contradicts tells whether an answer cannot be true, given what polls saw.
func (l *Log) contradicts(c *Clock, p point) bool {
	if !p.none {
		from, to := l.arrived(c, p.offset)
		if gap(p.stamp, p.asked) < -late || gap(p.stamp, c.Now()) > early || p.stamp < add(from, -late) || p.stamp > add(to, late) {
			return true
		}
	}
	// What is before the answer is older than the question; unless it is deleted.
	if p.offset == 0 || l.starts.seen && p.offset <= l.starts.now.Offset {
		return false
	}
	from, _ := l.arrived(c, p.offset-1)
	return from > add(p.asked, late)
}

// arrived is between which moments an offset was passed, as far as polls saw.
func (l *Log) arrived(c *Clock, offset int64) (from, to snapshot.Instant) {
	before, after, ok := l.between(c, offset)
	if ok {
		return before.At, after.At
	}
	if last, ok := l.latest(c); ok && offset >= last.Offset {
		return last.At, math.MaxInt64
	}
	if first, ok := l.oldest(c); ok {
		return math.MinInt64, first.At
	}
	return math.MinInt64, math.MaxInt64
}
