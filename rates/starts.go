package rates

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// starts are what is remembered of where a log began. The start stands still and
// then jumps by a segment, so its speed is that from jump to jump; what was before
// the first jump that was seen says nothing.
type starts struct {
	now  snapshot.Reading
	seen bool
	*jumps
}

// jumps are the readings after some of the jumps of a start, and how many there
// were from the first to the last of them, and from the one in the middle. Most logs
// never need any.
type jumps struct {
	first, middle, last snapshot.Reading
	count, since        uint32
}

// startHistory is for how long jumps count, at least.
const startHistory = 30 * time.Minute

// observe takes in a reading that is later than the one before. A start that went
// back is that of another log.
func (s *starts) observe(r snapshot.Reading) {
	switch {
	case r.Offset < 0 || s.seen && r.At <= s.now.At:
		return
	case s.seen && r.Offset < s.now.Offset:
		s.jumps = nil
	case s.seen && r.Offset > s.now.Offset:
		s.jump(r)
	}
	s.now, s.seen = r, true
}

// jump takes in the first reading after a jump. Once the middle one is old, it
// becomes the first.
func (s *starts) jump(r snapshot.Reading) {
	if s.jumps == nil {
		s.jumps = &jumps{first: r, middle: r, last: r}
		return
	}
	j := s.jumps
	j.last = r
	j.count++
	j.since++
	if gap(r.At, j.middle.At) > startHistory {
		j.first, j.middle, j.count, j.since = j.middle, r, j.since, 0
	}
}

// rate is how fast records are deleted, in offsets per second; false until two jumps
// were seen. It falls while the next jump is overdue.
func (s *starts) rate(now snapshot.Instant) (perSecond float64, ok bool) {
	j := s.jumps
	if j == nil || j.count == 0 {
		return 0, false
	}
	took := gap(j.last.At, j.first.At)
	took += max(0, gap(now, j.last.At)-took/time.Duration(j.count))
	perSecond = (float64(j.last.Offset) - float64(j.first.Offset)) / max(took, 1).Seconds()
	return perSecond, perSecond > 0
}
