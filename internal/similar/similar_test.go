package similar

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	groups := []string{"", "a", "audit", "order-fulfilment", "orders", "orders", "Orders-EU", "payments", strings.Repeat("orders", 100)}
	for _, tt := range []struct {
		name string
		n    int
		want []string
	}{
		{"order", 5, []string{"orders", "Orders-EU", "order-fulfilment"}},
		{"order", 1, []string{"orders"}},
		{"ORDRES", 5, []string{"orders"}},
		{"paymnets", 5, []string{"payments"}},
		{"orders-eu-2", 5, []string{"Orders-EU", "orders"}},
		{"shipping", 5, nil},
		{"x", 5, nil},  // every name of one letter was like it,
		{"or", 5, nil}, // and every name with these two in it
		{"A", 5, []string{"a"}},
		{"", 5, nil},
		{strings.Repeat("o", 301), 5, nil},
	} {
		if d := cmp.Diff(tt.want, Names(tt.name, groups, tt.n)); d != "" {
			t.Errorf("%q (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}} {
		if got := Distance(tt.a, tt.b); got != tt.want || Distance(tt.b, tt.a) != got {
			t.Errorf("%q, %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
