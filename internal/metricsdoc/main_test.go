package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
)

func TestReferenceIsWhatTheTableSays(t *testing.T) {
	got, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(render(collector.Metrics()), string(got)); diff != "" {
		t.Errorf("docs/metrics.md is not what `make docs` makes (-want +got):\n%s", diff)
	}
}
