package rates

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// history is a series of readings of an offset that never goes back: its value at
// each poll that read it, as far back as the clock remembers, or as its bytes
// suffice. Readings that see no change take no room. The zero history is empty.
type history struct {
	// code has all readings but the last: see history_code.go.
	code []byte
	// offset is what the last reading saw, poll the number of the poll that made
	// it (0: none was), run at how many polls immediately before it the offset
	// was seen to be the same. late is by how many milliseconds it came after
	// the poll had begun.
	offset    int64
	poll, run uint32
	late      int32
}

// add takes in what this poll read. The offset must not be below the last one, and
// the poll not have been added yet. Of the code no more than a limit of bytes is
// kept.
func (h *history) add(c *Clock, r snapshot.Reading, limit int) {
	late := h.lateness(c, r.At)
	if h.poll == 0 {
		*h = history{code: h.code[:0], offset: r.Offset, poll: c.last, late: late}
		return
	}
	if missed := c.last - h.poll - 1; missed > 0 || late != h.late || r.Offset != h.offset {
		h.step(c, r.Offset, missed, late, limit)
		h.offset, h.run, h.late = r.Offset, 0, late
	} else {
		h.run++
	}
	h.poll = c.last
}

// step writes down how the last reading was left.
func (h *history) step(c *Clock, to int64, missed uint32, late int32, limit int) {
	var room [maxCode]byte
	code := room[:0]
	if h.run > 0 {
		code = appendCode(code, uint64(h.run)<<3|codeRun)
	}
	if missed > 0 {
		code = appendCode(code, uint64(missed)<<3|codeMissed)
	}
	if late != h.late {
		code = appendCode(code, zigzag(late-h.late)<<3|codeLate)
	}
	code = appendCode(code, uint64(to-h.offset)<<1)
	h.reserve(c, len(code), limit)
	h.code = append(h.code, code...)
}

// lateness is how long after the beginning of the poll a reading came. It stays
// what it was unless it differs by what would be seen in a rate: a hundredth of
// the interval. Nothing was read before what was read before it.
func (h *history) lateness(c *Clock, at snapshot.Instant) int32 {
	const limit = float64(24 * time.Hour / time.Millisecond)
	ms := (float64(at) - float64(c.Now())) / float64(time.Millisecond)
	late := int32(min(max(ms, -limit), limit))
	if h.poll == 0 {
		return late
	}
	if tolerated := int32(c.opts.Interval / time.Millisecond / 128); max(late-h.late, h.late-late) <= tolerated {
		late = h.late
	}
	if h.poll >= c.first {
		ahead := c.at(h.poll).Sub(c.Now())/time.Millisecond + time.Duration(h.late)
		late = max(late, int32(max(ahead, -time.Duration(limit))))
	}
	return late
}

// at is when the last reading was made; its poll must be remembered.
func (h *history) at(c *Clock) snapshot.Instant { return moment(c, h.poll, h.late) }

// known tells whether there is a reading that the clock remembers.
func (h *history) known(c *Clock) bool { return h.poll >= c.first && h.poll > 0 }

func moment(c *Clock, poll uint32, late int32) snapshot.Instant {
	return c.at(poll) + snapshot.Instant(late)*snapshot.Instant(time.Millisecond)
}

// reserve makes room for n more bytes: it forgets what the clock does not remember
// any more, grows while it may, and then forgets the oldest readings. It leaves
// some room, so that this happens seldom.
func (h *history) reserve(c *Clock, n, limit int) {
	if len(h.code)+n <= min(cap(h.code), limit) {
		return
	}
	h.cut(c, limit)
	spare := max(n, len(h.code)/8)
	if len(h.code)+spare > min(cap(h.code), limit) && cap(h.code) < limit {
		grown := slices.Grow([]byte(nil), min(max(len(h.code)+n, len(h.code)*5/4, 16), limit))
		h.code = append(grown, h.code...)
	}
	if len(h.code)+n > limit {
		h.cut(c, limit-max(n, limit/4))
	}
}

// cut forgets all but so many bytes of the newest readings, and what the clock
// does not remember.
func (h *history) cut(c *Clock, keep int) {
	w := h.walk(c)
	from := w.begins()
	for w.next() && len(h.code)-w.begins() <= keep {
		from = w.begins()
	}
	h.code = h.code[:copy(h.code, h.code[from:])]
}
