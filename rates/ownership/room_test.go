package ownership

import (
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Three topics of ten partitions were said to keep thirty members busy, whoever dealt
// them out.
func TestRoomOf(t *testing.T) {
	const classic, consumer = snapshot.TypeClassic, snapshot.TypeConsumer
	three := []int{10, 10, 4}
	for _, tt := range []struct {
		name     string
		kind     snapshot.GroupType
		assignor string
		unlike   bool
		topics   []int
		want     Room
	}{
		{"one by one", classic, "cooperative-sticky", false, three, Room{24, 24, 24}},
		{"in turns", classic, "roundrobin", false, three, Room{24, 24, 24}},
		{"by the broker", consumer, "uniform", false, three, Room{24, 24, 24}},
		{"range, of one topic", classic, "range", false, []int{6}, Room{6, 6, 6}},
		{"range, of several", classic, "range", false, three, Room{10, 10, 24}},
		{"range, by the broker", consumer, "range", false, three, Room{10, 10, 24}},
		{"range, where members subscribe to different topics", classic, "range", true, three, Room{10, 24, 24}},
		{"Streams", snapshot.TypeStreams, "sticky", false, three, Room{10, 24, 24}},
		{"Streams, of the classic protocol", classic, "stream", false, three, Room{10, 24, 24}},
		{"somebody's own", classic, "by-rack", false, three, Room{0, 24, 24}},
		{"not told", classic, "", false, three, Room{0, 24, 24}},
		{"a share group", snapshot.TypeShare, "simple", false, three, Room{24, 24, 24}},
		{"no topic", classic, "range", false, nil, Room{}},
	} {
		if got := RoomOf(tt.kind, tt.assignor, !tt.unlike, tt.topics); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
