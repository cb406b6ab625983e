package screen

import (
	"testing"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// The screen counted partitions that do not exist, and those of a group of which nobody
// knows who owns what, as without an owner; the API did not.
func TestRemarkOfOwners(t *testing.T) {
	pairs := []collector.Pair{{State: collector.PairCommitted}, {State: collector.PairNoPartition}}
	for _, tt := range []struct {
		assigned bool
		want     string
	}{{true, "1 without owner"}, {false, ""}} {
		g := &collector.Group{Complete: true, Topics: []collector.GroupTopic{{Topic: "t", Pairs: pairs}},
			Members: snapshot.Known(snapshot.Members{Assigned: tt.assigned})}
		if got := remark(g); got != tt.want {
			t.Errorf("assigned %v: %q, want %q", tt.assigned, got, tt.want)
		}
	}
}
