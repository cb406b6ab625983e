package collector

import (
	"math"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// A quantity says what a Maybe says.
func TestQuantity(t *testing.T) {
	for _, n := range []int64{0, 1, math.MaxInt64 - 1, math.MaxInt64} {
		for _, q := range []Quantity{quantity(n), quantityOf(snapshot.Known(n))} {
			if got, ok := q.Get(); got != n || !ok || q.Or(7) != n || !q.Known() || q.maybe() != snapshot.Known(n) {
				t.Errorf("%d is %d, known %v", n, got, ok)
			}
		}
	}
	for name, q := range map[string]Quantity{
		"zero": {}, "negative": quantity(-1), "the least": quantity(math.MinInt64), "unknown": quantityOf(snapshot.Maybe[int64]{}),
	} {
		if n, ok := q.Get(); n != 0 || ok || q.Or(7) != 7 || q.Known() || q.maybe().Known() {
			t.Errorf("%s: %d, known %v", name, n, ok)
		}
	}
}
