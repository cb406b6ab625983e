package kafka

import (
	"slices"
	"testing"
)

// An honest answer in which one number was replaced and whose end was cut off
// or grown is decoded as kmsg would, or refused, and costs no more than its
// size allows. The fuzzer need not find out what an answer looks like.
func FuzzLyingAnswer(f *testing.F) {
	for n := range spokenResponses() {
		f.Add(uint16(n), uint64(n), uint32(7*n), []byte{0x7f, 0xff, 0xff, 0xff}, uint32(1<<20))
	}
	f.Add(uint16(3), uint64(1), uint32(9), []byte{0xff, 0xff, 0xff, 0xff, 0x07}, uint32(40))
	f.Fuzz(func(t *testing.T, n uint16, seed uint64, at uint32, lie []byte, size uint32) {
		all := spokenResponses()
		of := all[int(n)%len(all)]
		sent := another(of)
		newFiller(seed).response(sent)
		b := sent.AppendTo(nil)
		from := int(at) % len(b)
		b = slices.Replace(b, from, min(len(b), from+len(lie)), lie...)
		if size := int(size % (4 << 20)); size < len(b) {
			b = b[:size]
		} else {
			b = append(b, make([]byte, size-len(b))...)
		}
		into, walked := another(of), slices.Clone(b)
		if took := allocates(func() { _ = strippedDecode(into, walked) }); took > unfolded(len(b)) {
			t.Errorf("%d bytes for %d", took, len(b))
		}
		sameVerdict(t, of, b)
	})
}
