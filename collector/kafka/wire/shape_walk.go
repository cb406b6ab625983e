package wire

import "math"

// walk is a way through the bytes of one message.
type walk struct {
	b       []byte
	at      int // how far it went
	kept    int // length of what stays, at the front of b
	from    int // what stays and was not moved yet: from here to at
	memory  int // what decoding allocates, so far
	limit   int // of memory
	compact bool
}

func (w *walk) value(s *shape) error {
	for i := range s.parts {
		p := &s.parts[i]
		var err error
		switch p.kind {
		case fixed:
			err = w.skip(p.size)
		case text, optionalText:
			err = w.text(p.kind == optionalText)
		case raw:
			err = w.skip(max(0, w.length(4)))
		case list:
			err = w.list(p.of)
		case optional:
			err = w.optional(p.of)
		case tags:
			err = w.tags()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tooLong stands for a length that cannot be read: no frame has that many bytes.
const tooLong = math.MaxInt32

// length reads how many bytes or elements follow, below 0 for null; wide is
// the size of a length that is not compact.
func (w *walk) length(wide int) int {
	b := w.b[w.at:]
	switch {
	case w.compact:
		n, ok := w.varint()
		if !ok {
			return tooLong
		}
		return int(n) - 1
	case len(b) < wide:
		return tooLong
	case wide == 2:
		w.at += 2
		return int(int16(b[0])<<8 | int16(b[1]))
	default:
		w.at += 4
		return int(int32(b[0])<<24 | int32(b[1])<<16 | int32(b[2])<<8 | int32(b[3]))
	}
}

// varint reads an unsigned number of up to 32 bits.
func (w *walk) varint() (n uint32, ok bool) {
	if w.at < len(w.b) && w.b[w.at] < 0x80 {
		w.at++
		return uint32(w.b[w.at-1]), true
	}
	for shift := 0; shift < 35 && w.at < len(w.b); shift += 7 {
		c := w.b[w.at]
		w.at++
		n |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return n, shift < 28 || c < 0x10
		}
	}
	return 0, false
}

func (w *walk) skip(n int) error {
	if n > len(w.b)-w.at {
		return errBeyond
	}
	w.at += n
	return nil
}

func (w *walk) text(optional bool) error {
	n := w.length(2)
	if n < 0 {
		return nil
	}
	if err := w.skip(n); err != nil {
		return err
	}
	memory := 0
	if n > 1 { // a string of one byte is not allocated
		memory = (n + 7) &^ 7
	}
	if optional { // the string's header is
		memory += 16
	}
	return w.take(memory)
}

func (w *walk) list(of *shape) error {
	n := int(int32(w.length(4))) // kmsg, too, takes what overflows for null
	if n <= 0 {
		return nil
	}
	if n > (len(w.b)-w.at)/of.least {
		return errBeyond
	}
	if err := w.take(n * of.memory); err != nil {
		return err
	}
	if of.constant {
		return w.skip(n * of.least)
	}
	for range n {
		if err := w.value(of); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) optional(of *shape) error {
	if err := w.skip(1); err != nil {
		return err
	}
	if w.b[w.at-1] == 0xff { // −1 is null
		return nil
	}
	if err := w.take(of.memory); err != nil {
		return err
	}
	return w.value(of)
}

func (w *walk) take(n int) error {
	if w.memory += n; w.memory > w.limit {
		return errUnfolds
	}
	return nil
}

// tags passes over tagged fields; if there are any, an empty list is kept.
func (w *walk) tags() error {
	start := w.at
	n, ok := w.varint()
	if n == 0 && ok {
		return nil
	}
	for ; ok && n > 0; n-- {
		var size uint32
		if _, ok = w.varint(); !ok {
			break
		}
		if size, ok = w.varint(); ok && w.skip(int(size)) != nil {
			ok = false
		}
	}
	if !ok {
		return errBeyond
	}
	end := w.at
	w.at = start
	w.keep()
	w.b[w.kept] = 0
	w.kept++
	w.at, w.from = end, end
	return nil
}

// keep moves what was passed since the last tags behind what is kept.
func (w *walk) keep() {
	if w.kept == w.from {
		w.kept = w.at
	} else {
		w.kept += copy(w.b[w.kept:], w.b[w.from:w.at])
	}
	w.from = w.at
}
