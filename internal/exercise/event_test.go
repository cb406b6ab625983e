package exercise

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Orders are where Kafka's hash puts their keys, two on each partition.
func TestOrdersAreOnTheirPartitions(t *testing.T) {
	hash := kgo.StickyKeyPartitioner(nil).ForTopic("any")
	for p, keys := range orders {
		for _, key := range keys {
			if at := hash.Partition(&kgo.Record{Key: []byte(key)}, partitions); at != p {
				t.Errorf("%s is on partition %d, want %d", key, at, p)
			}
		}
	}
	for _, key := range followed {
		if !leads(key) {
			t.Errorf("%s, which is followed, has no slow worker", key)
		}
	}
}

func TestOperationsAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range append(batch(1, 7), withdrawn(4)...) {
		if seen[e.Operation] {
			t.Errorf("%s twice", e.Operation)
		}
		seen[e.Operation] = true
	}
	if len(seen) != 7*2*partitions+partitions {
		t.Errorf("%d operations", len(seen))
	}
}

func TestEventsSurviveTheLog(t *testing.T) {
	want := at("order-17", 5, 1, 42)
	got, err := parseEvent([]byte(want.Key), want.value(), 1, 42)
	if err != nil || want.Stage != "Cancelled" {
		t.Fatal(want, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := parseEvent([]byte("order-17"), []byte("{"), 1, 42); err == nil {
		t.Error("half an event was taken")
	}
}
