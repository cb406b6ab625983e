package collector

import (
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// The age of a group with a lag of a million was 0, since nothing told when the oldest
// record arrived, and another partition was caught up; and nothing told that.
func TestLagAgeIsAtLeast(t *testing.T) {
	const age, topic, one, complete = "group_lag_age_seconds g", "group_topic_lag_age_seconds g t", "group_partition_lag_age_seconds g t 0", "group_estimates_complete g"
	w := newStoryWith(Options{Publish: allFamilies})
	at := func(sec float64) []part {
		return parts(logOf("t", 1, ends(0, 1_000_000), ends(0, 1000)), kept("t"), groupOf("g", members(), commits(on("t", 5, 1000))))
	}
	shows(t, w.every(0, 0, at), map[string]float64{age: absent, topic: absent, one: absent, complete: 0})
	// The log's end was first read 0.2 s after the poll began.
	shows(t, w.every(10, 600, at), map[string]float64{age: 599.8, topic: 599.8, one: absent, complete: 0, "group_drain_seconds g": absent})
	shows(t, w.every(610, 3600, at), map[string]float64{age: 3599.8, topic: 3599.8, one: absent, complete: 0, "group_drain_seconds g": inf})
}

// Nothing told whether an age or a headroom is of everything.
func TestEstimatesComplete(t *testing.T) {
	caught, old := ends(0, 1_000_000), flow{100, 150, 18_000}
	bySize := func(s *snapshot.Snapshot) {
		s.Topics[0].Config = snapshot.Known(snapshot.TopicConfig{Delete: true, RetentionBytes: true})
	}
	for name, c := range map[string]struct {
		then     func(sec float64) []part
		complete float64
	}{
		"all is known": {func(sec float64) []part { return reads("g", "t", sec, old, flow{100, 100, 0}) }, 1},
		"nothing waits": {func(float64) []part {
			return parts(logOf("t", 1, caught), groupOf("g", members(), commits(on("t", 1_000_000))))
		}, 1},
		"no position": {func(float64) []part {
			return parts(logOf("t", 1, caught), groupOf("g", members(member("m", owns("t", 0))), commits()))
		}, 1},
		"nothing read": {func(float64) []part { return parts(logOf("t", 1, caught), groupOf("g", nothingKnown())) }, 0},
		"a partition unread": {func(sec float64) []part {
			end, done := old.at(sec)
			return parts(logOf("t", 1, ends(0, end), leaderless()), groupOf("g", members(), commits(on("t", done, done))))
		}, 0},
		"no speed of what deletes": {func(sec float64) []part { return append(reads("g", "t", sec, old), bySize) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStoryWith(Options{Publish: allFamilies})
			shows(t, w.every(0, 300, c.then), map[string]float64{"group_estimates_complete g": c.complete})
			shows(t, shownAt(w.v, w.v.Built.Add(testStale+1), w.rules), map[string]float64{"group_estimates_complete g": 0})
		})
	}
}

// Where the broker tells no lag of a share group's partition, the age of the others was
// called that of the whole, while group_estimates_complete said otherwise.
func TestAgeAtLeastOfAShareGroup(t *testing.T) {
	for name, c := range map[string]struct {
		second snapshot.Share
		want   bool
	}{"told": {position(100, 0), false}, "not told": {lagUnknown(100), true}} {
		w := newStory()
		g := w.poll(0, logOf("t", 1, ends(0, 100), ends(0, 100)),
			groupOf("g", members(member("m", owns("t", 0, 1))), shares(sharedOn("t", 1, position(100, 0), c.second)))).Groups[0]
		if got := g.AgeAtLeast(); got != c.want || g.Estimates.Complete == c.want {
			t.Errorf("%s: at least %v, complete %v", name, got, g.Estimates.Complete)
		}
	}
}
