package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
)

// dense makes the answer that takes the most memory for its size: one list
// fills it with the smallest elements that there are.
type dense struct {
	size  int    // of the answer
	list  *shape // of the elements of that list
	tags  bool   // each struct has a tagged field
	claim bool   // it and the lists around it claim as much as could fit
}

// value appends a value that is, but for the list, as short as can be. Texts
// are empty, not null.
func (d *dense) value(dst []byte, s *shape) []byte {
	for _, p := range s.parts {
		switch {
		case p.kind == fixed:
			dst = append(dst, make([]byte, p.size)...)
		case p.kind == tags && d.tags:
			dst = append(dst, 1, 100, 0) // the tag 100, of no bytes
		case p.kind == tags:
			dst = append(dst, 0)
		case p.kind == optional && !d.leadsTo(p.of):
			dst = append(dst, 0xff)
		case p.kind == optional:
			dst = d.value(append(dst, 1), p.of)
		case p.kind == list && p.of == d.list:
			element := (&dense{tags: d.tags}).value(nil, p.of)
			n := (d.size - len(dst) - 200) / len(element)
			dst = append(appendCount(dst, s.compact, 4, d.count(dst, p.of, n)), bytes.Repeat(element, n)...)
		case p.kind == list && d.leadsTo(p.of):
			dst = d.value(appendCount(dst, s.compact, 4, d.count(dst, p.of, 1)), p.of)
		case p.kind == text || p.kind == optionalText:
			dst = appendCount(dst, s.compact, 2, 0)
		default:
			dst = appendCount(dst, s.compact, 4, 0)
		}
	}
	return dst
}

// count is how many elements a list says it has when there are n.
func (d *dense) count(dst []byte, of *shape, n int) int {
	if d.claim {
		return (d.size - len(dst) - 200) / of.least
	}
	return n
}

func (d *dense) leadsTo(s *shape) bool { return d.list != nil && slices.Contains(lists(s), d.list) }

// lists has the shapes of the elements of all lists within a shape.
func lists(s *shape) (all []*shape) {
	for _, p := range s.parts {
		if p.kind == list {
			all = append(all, p.of)
		}
		if p.of != nil {
			all = append(all, lists(p.of)...)
		}
	}
	return all
}

func appendCount(dst []byte, compact bool, wide, n int) []byte {
	switch {
	case compact:
		return binary.AppendUvarint(dst, uint64(n+1))
	case wide == 2:
		return binary.BigEndian.AppendUint16(dst, uint16(n))
	default:
		return binary.BigEndian.AppendUint32(dst, uint32(n))
	}
}

// Nothing that fits in a frame, true or not, takes more memory than is allowed.
func TestDenseAnswers(t *testing.T) {
	const size = 512 << 10
	tried, worst, refused := map[string]bool{}, 0.0, 0
	eachSpoken(t, func(t *testing.T, of kmsg.Response) {
		s := shapeOf(of)
		id := fmt.Sprint(of.Key(), described(s))
		if tried[id] { // in an earlier version
			return
		}
		tried[id] = true
		for i, l := range lists(s) {
			for _, d := range []dense{{claim: true, tags: s.compact}, {tags: s.compact}, {}} {
				d.size, d.list = size, l
				b := d.value(make([]byte, 0, size), s)
				b = append(b, make([]byte, size-len(b))...)
				into, err := another(of), error(nil)
				took := wiretest.Allocates(func() { err = strippedDecode(into, b) })
				if took > unfolded(size) {
					t.Errorf("list %d, %+v: %.1f times its size in memory", i, d, float64(took)/size)
				}
				switch {
				case errors.Is(err, errUnfolds):
					refused++
				case err != nil && !d.claim:
					t.Errorf("list %d, %+v: %v", i, d, err)
				default:
					worst = max(worst, float64(took)/size)
				}
			}
		}
	})
	t.Logf("of %d shapes, answers took at most %.1f times their size in memory; %d were refused for more", len(tried), worst, refused)
}

// described writes a shape in full.
func described(s *shape) string {
	text := fmt.Sprint(s.compact, s.least, s.memory)
	for _, p := range s.parts {
		text += fmt.Sprint(" ", p.kind, p.size)
		if p.of != nil {
			text += "(" + described(p.of) + ")"
		}
	}
	return text
}
