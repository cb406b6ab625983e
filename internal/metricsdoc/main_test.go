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

// What has to be asked for, and what a lower detail leaves out, is marked.
func TestPublished(t *testing.T) {
	want := map[string]string{
		"lagwatch_build_info":                    "always",
		"lagwatch_up":                            "by default",
		"lagwatch_group_lag":                     "by default",
		"lagwatch_group_detail_lowered":          "always, for lowered groups",
		"lagwatch_group_topic_lag":               "by default, from detail topic on",
		"lagwatch_group_partition_lag":           "by default, from detail partition on",
		"lagwatch_group_partition_lost_offsets":  "if included, from detail partition on",
		"lagwatch_group_drain_seconds":           "by default",
		"lagwatch_group_partition_drain_seconds": "if included, from detail partition on",
	}
	got := map[string]string{}
	for _, m := range collector.Metrics() {
		if _, ok := want[m.Name]; ok {
			got[m.Name] = published(m)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
