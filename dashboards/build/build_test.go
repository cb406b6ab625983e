package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is committed is what this program writes, and nothing else.
func TestCommittedIsGenerated(t *testing.T) {
	committed, err := filepath.Glob("../*.json")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(committed), len(all()); got != want {
		t.Errorf("%d dashboards are committed, want %d", got, want)
	}
	for _, d := range all() {
		want, err := encode(d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("../" + *d.Uid + ".json")
		if err != nil {
			t.Errorf("%v: run make dashboards", err)
			continue
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s.json is not what is generated (run make dashboards; -committed +generated):\n%s", *d.Uid, diff)
		}
	}
}
