package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Nothing is sent that was not meant to be.
func TestSpoken(t *testing.T) {
	newest := map[kmsg.Key]int16{}
	for key, s := range spoken {
		newest[key] = s.max
	}
	if diff := cmp.Diff(wiretest.Newest, newest); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The version of a request is the highest of both sides; where there is none,
// nothing is sent.
func TestHighest(t *testing.T) {
	for _, test := range []struct {
		theirs span
		want   int16
		ok     bool
	}{
		{span{0, 5}, 5, true}, {span{0, 9}, 5, true}, {span{3, 4}, 4, true}, {span{6, 9}, 0, false}, {span{-2, -1}, 0, false},
	} {
		v, err := versions{int16(kmsg.ListGroups): test.theirs}.highest(int16(kmsg.ListGroups))
		if v != test.want || (err == nil) != test.ok || err != nil && ReasonOf(err) != snapshot.ReasonUnsupported {
			t.Errorf("%v: %d, %v", test.theirs, v, err)
		}
	}
	if _, err := (versions{10: {0, 5}}).highest(10); err == nil {
		t.Error("FindCoordinator may be sent")
	}
	if _, err := (versions{}).highest(int16(kmsg.ListGroups)); err == nil {
		t.Error("a request that the broker lacks may be sent")
	}
}
