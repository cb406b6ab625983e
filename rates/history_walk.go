package rates

import "github.com/lagwatch/lagwatch/internal/snapshot"

// walk goes through a history from its newest reading back. It stands on a stretch:
// an unbroken row of polls that all read the same offset.
type walk struct {
	c    *Clock
	code []byte
	// offset is that of the stretch; its readings came late milliseconds after
	// the polls of the numbers first to last began.
	offset      int64
	first, last uint32
	late        int32
}

// walk begins at the newest stretch. The history must be known.
func (h *history) walk(c *Clock) walk {
	w := walk{c: c, code: h.code, offset: h.offset, last: h.poll, late: h.late}
	w.since(h.run)
	return w
}

// since sets for how many polls before its last one the stretch had lasted.
func (w *walk) since(run uint32) { w.first = max(w.last-min(run, w.last), w.c.first) }

// begins is how many bytes of the history are older than the stretch.
func (w *walk) begins() int { return len(w.code) }

// next goes to the stretch before; false if there is none that is remembered.
func (w *walk) next() bool {
	if len(w.code) == 0 || w.first <= w.c.first {
		return false
	}
	v, rest := lastCode(w.code, len(w.code))
	last, late, run := w.first-1, w.late, uint32(0)
	offset := w.offset - int64(v>>1)
	for rest > 0 && w.code[rest-1]&1 == 1 {
		v, rest = lastCode(w.code, rest)
		switch v & 7 {
		case codeRun:
			run = uint32(v >> 3)
		case codeMissed:
			last -= min(uint32(v>>3), last)
		case codeLate:
			late -= unzigzag(v >> 3)
		}
	}
	if last < w.c.first {
		return false
	}
	w.code, w.offset, w.last, w.late = w.code[:rest], offset, last, late
	w.since(run)
	return true
}

// reading is what the poll of a number in the stretch read.
func (w *walk) reading(poll uint32) snapshot.Reading {
	return snapshot.Reading{Offset: w.offset, At: moment(w.c, poll, w.late)}
}

// begin is the first reading of the stretch, end the last.
func (w *walk) begin() snapshot.Reading { return w.reading(w.first) }
func (w *walk) end() snapshot.Reading   { return w.reading(w.last) }
