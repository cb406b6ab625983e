package collector

import "github.com/lagwatch/lagwatch/internal/snapshot"

// Quantity is an offset, or a number of offsets, that may be unknown: a
// [snapshot.Maybe] in half the room, since it is never negative. The zero Quantity
// is unknown.
type Quantity struct {
	above uint64 // by one more than the value
}

// quantity is a known one, or unknown if it is negative.
func quantity(n int64) Quantity { return Quantity{uint64(max(n, -1) + 1)} }

// quantityOf is known if m is.
func quantityOf(m snapshot.Maybe[int64]) Quantity { return quantity(m.Or(-1)) }

// Get returns the value and whether it is known; the value is 0 when it is not.
func (q Quantity) Get() (int64, bool) { return q.Or(0), q.Known() }

// Or returns the value, or fallback when it is unknown.
func (q Quantity) Or(fallback int64) int64 {
	if q.above == 0 {
		return fallback
	}
	return int64(q.above - 1)
}

// Known tells whether there is a value.
func (q Quantity) Known() bool { return q.above != 0 }

func (q Quantity) maybe() snapshot.Maybe[int64] {
	if n, ok := q.Get(); ok {
		return snapshot.Known(n)
	}
	return snapshot.Maybe[int64]{}
}
