package collector

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// losses is a group on a log, of which the start moves.
type losses struct {
	*story
	t      *testing.T
	config snapshot.TopicConfig
}

func newLosses(t *testing.T, c snapshot.TopicConfig) *losses {
	return &losses{newStoryWith(Options{Publish: allFamilies}), t, c}
}

// sees polls, and compares what was lost, and whether no headroom is left for that.
func (l *losses) sees(sec float64, start, committed, total int64, now bool) {
	l.t.Helper()
	config := func(s *snapshot.Snapshot) { s.Topics[0].Config = snapshot.Known(l.config) }
	end := 10_000 + int64(sec)
	got := published(l.poll(sec, logOf("t", 1, ends(start, end)), config, groupOf("g", members(), commits(on("t", committed)))))
	if n := got["group_partition_lost_offsets_total g t 0"]; n != float64(total) {
		l.t.Errorf("at %v s: %v lost, want %d", sec, n, total)
	}
	if left, ok := got["group_partition_retention_headroom_seconds g t 0"]; (ok && left == 0) != now {
		l.t.Errorf("at %v s: headroom %v, %v; lost now: %v", sec, left, ok, now)
	}
}

var aDay = snapshot.TopicConfig{Delete: true, RetentionTime: snapshot.Known(24 * time.Hour)}

// Retention that overtakes a group is counted by how far, once the next poll finds the
// group behind it, and leaves no headroom in that poll.
func TestLost(t *testing.T) {
	l := newLosses(t, aDay)
	l.sees(0, 500, 100, 0, false) // from before it was watched
	l.sees(10, 500, 100, 0, false)
	l.sees(20, 800, 100, 0, false)
	l.sees(30, 800, 100, 300, true)
	l.sees(40, 900, 850, 300, false)
	l.sees(50, 900, 880, 320, true)    // 30 of these 50 were read
	l.sees(60, 950, 1200, 320, false)  // what is deleted was read
	l.sees(70, 1500, 1200, 320, false) // 300 not read
	l.sees(80, 1500, 1100, 620, true)  // nor by one that goes back
}

// Purges of Kafka Streams were counted as losses for good: the application commits and
// deletes what it has read after the poll has read the commit, and before the start.
func TestPurgedIsNotLost(t *testing.T) {
	l := newLosses(t, snapshot.TopicConfig{Delete: true})
	for i := range int64(30) {
		committed, purged := 100*(i+1), int64(50)
		if i%5 == 3 {
			purged = -40
		}
		l.sees(float64(10*i), committed-purged, committed, 0, false)
	}
}

// Where the policy only compacts, a start that moves deletes nothing unread.
func TestCompactedIsNotLost(t *testing.T) {
	l := newLosses(t, snapshot.TopicConfig{})
	for i := range int64(5) {
		l.sees(float64(10*i), 1000*i, 100, 0, false)
	}
}

// A group that retention overtakes jumps to the log's start and goes on, all between
// two polls: where the records were due, they are lost all the same.
func TestJumpedIsLost(t *testing.T) {
	l := newLosses(t, snapshot.TopicConfig{Delete: true, RetentionTime: snapshot.Known(time.Minute)})
	for sec := 0.0; sec <= 60; sec += 10 {
		l.sees(sec, 0, 10_001, 0, false)
	}
	l.sees(70, 0, 10_001, 0, true) // any moment
	l.sees(80, 10_021, 10_001, 0, false)
	l.sees(90, 10_021, 10_050, 20, true)
	l.sees(100, 10_021, 10_070, 20, false)
}
