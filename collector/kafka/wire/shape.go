package wire

import (
	"errors"
	"fmt"
)

// kmsg allocates by counts that the sender chose: an array takes up to 16 times
// its bytes, arrays within arrays may each claim the rest of the frame, and
// every struct with an unknown tag gets a map, so that an answer may come
// to many times its size. So a body is walked before kmsg sees it, without allocating:
// all lengths and counts must fit, tagged fields are taken out, and what
// decoding will allocate must stay below a small multiple of what was sent.

// An answer may take unfold times its size plus unfoldFree in memory. Honest
// ones take up to 5 times their size, those with long names half of that.
const (
	unfold     = 8
	unfoldFree = 1 << 20
)

var (
	errBeyond  = errors.New("a length or count goes beyond the end")
	errUnfolds = fmt.Errorf("it would take more than %d times its size in memory", unfold)
)

// shape is how the values of one type lie on the wire, in one version.
type shape struct {
	parts    []part
	compact  bool // lengths are of KIP-482: a varint of one more
	least    int  // the fewest bytes on the wire of one value
	constant bool // every value has just as many
	memory   int  // bytes of one value in memory, without what it points to
	aliases  bool // a decoded value has bytes of the message itself; strings are copied
}

// part is one field, or several that follow each other and have a fixed size.
type part struct {
	kind kind
	size int    // fixed: bytes on the wire
	of   *shape // of an element of a list; of an optional value
}

type kind uint8

const (
	fixed        kind = iota
	text              // a string
	optionalText      // a string or null
	raw               // bytes, or null
	list              // an array, or null
	optional          // a byte that says whether a struct follows
	tags              // tagged fields, known ones too
)

// strip checks that b begins with a value of the shape and returns b without
// the value's tagged fields and without what follows, moved together in place.
// An error leaves b useless.
//
// What it refuses kmsg refuses too, but for errUnfolds; where it is content,
// kmsg may still find a null that must not be.
func (s *shape) strip(b []byte) ([]byte, error) {
	w := walk{b: b, compact: s.compact, limit: unfold*len(b) + unfoldFree}
	if err := w.value(s); err != nil {
		return nil, err
	}
	w.keep()
	return b[:w.kept], nil
}
