package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// A break whose text is no longer in the product breaks nothing.
func TestEveryBreakFitsTheProduct(t *testing.T) {
	names := map[string]bool{}
	for _, b := range slices.Concat(breaks, estimated) {
		if names[b.name] {
			t.Errorf("%s: the name is taken", b.name)
		}
		names[b.name] = true
		text, err := os.ReadFile("../../" + b.file)
		if err != nil {
			t.Error(err)
			continue
		}
		if n := strings.Count(string(text), b.old); n != 1 {
			t.Errorf("%s: its text stands in %s %d times, want once", b.name, b.file, n)
		}
		if b.old == b.new {
			t.Errorf("%s: changes nothing", b.name)
		}
	}
}
