package wire

import (
	"cmp"
	"slices"
	"sync"
)

// buffers are those of answers that have been decoded and keep nothing of them,
// for answers to come. Safe for concurrent use; a nil one has none.
type buffers struct {
	mu   sync.Mutex
	free [][]byte
}

// What is kept: a buffer for each of a few exchanges at a time.
const (
	mostBuffers = 4
	mostKept    = 8 << 20 // bytes of one
)

// get returns the smallest that is large enough, nil if there is none.
func (b *buffers) get(size int) []byte {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, buf := range b.free {
		if cap(buf) >= size && (best < 0 || cap(buf) < cap(b.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	buf := b.free[best]
	b.free = slices.Delete(b.free, best, best+1)
	return buf
}

// put takes a buffer, and lets go of the smallest where there are too many.
func (b *buffers) put(buf []byte) {
	if b == nil || cap(buf) > mostKept {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, buf[:0])
	slices.SortFunc(b.free, func(x, y []byte) int { return cmp.Compare(cap(y), cap(x)) })
	b.free = b.free[:min(len(b.free), mostBuffers)]
}
