package snapshot

import "reflect"

// Maybe is a value that may be unknown. The zero Maybe is unknown.
type Maybe[T any] struct {
	value T
	known bool
}

// Known returns a Maybe that holds v.
func Known[T any](v T) Maybe[T] { return Maybe[T]{value: v, known: true} }

// Get returns the value and whether it is known; the value is the zero value
// when it is not.
func (m Maybe[T]) Get() (T, bool) { return m.value, m.known }

// Or returns the value, or fallback when it is unknown.
func (m Maybe[T]) Or(fallback T) T {
	if m.known {
		return m.value
	}
	return fallback
}

// Known tells whether there is a value.
func (m Maybe[T]) Known() bool { return m.known }

// Equal tells whether both are unknown, or both known with equal values. It
// is there for comparisons in tests.
func (m Maybe[T]) Equal(o Maybe[T]) bool { return m.known == o.known && equal(m.value, o.value) }

func equal[T any](a, b T) bool { return reflect.DeepEqual(a, b) }
