package collector

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// flow is a partition with steady rates, in offsets per second.
type flow struct {
	in, out float64
	lag     int64 // at second 0
}

func (f flow) at(sec float64) (end, committed int64) {
	end = 1_000_000 + int64(f.in*sec)
	return end, 1_000_000 - f.lag + int64(f.out*sec)
}

// kept is what the settings of a topic say: records are deleted after a day.
func kept(name string) part {
	return func(s *snapshot.Snapshot) {
		for i := range s.Topics {
			if s.Topics[i].Name == name {
				s.Topics[i].Config = snapshot.Known(snapshot.TopicConfig{
					Delete: true, RetentionTime: snapshot.Known(24 * time.Hour), Remote: snapshot.Known(false),
				})
			}
		}
	}
}

// reads is a group of one member that reads all of a topic with such partitions.
func reads(group, topic string, sec float64, flows ...flow) []part {
	var logs []snapshot.Partition
	var offsets []int64
	var ids []int32
	for i, f := range flows {
		end, committed := f.at(sec)
		logs, offsets, ids = append(logs, ends(0, end)), append(offsets, committed), append(ids, int32(i))
	}
	return parts(logOf(topic, 1, logs...), kept(topic), groupOf(group, members(member("m", owns(topic, ids...))), commits(on(topic, offsets...))))
}

// every polls every ten seconds from one second to another.
func (w *story) every(from, to float64, at func(sec float64) []part) *View {
	for sec := from; sec <= to; sec += 10 {
		w.poll(sec, at(sec)...)
	}
	return w.v
}

// shows compares some of what is published; NaN is what is not. Of ages it compares
// hundredths of a second: a record arrived between two offsets.
func shows(t *testing.T, v *View, want map[string]float64) {
	t.Helper()
	all, got := published(v), map[string]float64{}
	for series, wanted := range want {
		n, ok := all[series]
		if !ok {
			n = math.NaN()
		}
		if got[series] = n; math.Abs(n-wanted) < 0.01 && (strings.Contains(series, "_age_") || strings.Contains(series, "_headroom_")) {
			got[series] = wanted
		}
	}
	same := cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("as of %v (-want +got):\n%s", v.Built.Sub(epoch), diff)
	}
}

var inf, absent = math.Inf(1), math.NaN()

// The worked numbers of the definitions, through the whole of a watcher to the page.
func TestWorkedNumbers(t *testing.T) {
	t.Run("120/s in, 100/s out: 1,200 more a minute, and never done", func(t *testing.T) {
		w := newStoryWith(Options{Publish: allFamilies})
		falling := func(sec float64) []part { return reads("g", "t", sec, flow{120, 100, 1000}) }
		before := published(w.every(0, 300, falling))["group_lag g"]
		v := w.every(310, 360, falling)
		if grown := published(v)["group_lag g"] - before; grown != 1200 {
			t.Errorf("the lag grew by %v in a minute", grown)
		}
		shows(t, v, map[string]float64{
			"partition_arrival_offsets_per_second t 0": 120, "group_topic_arrival_offsets_per_second g t": 120,
			"group_partition_drain_offsets_per_second g t 0": 100, "group_topic_drain_offsets_per_second g t": 100,
			"group_partition_drain_seconds g t 0": inf, "group_topic_drain_seconds g t": inf, "group_drain_seconds g": inf,
			"group_drain_high_seconds g": inf, "group_partition_processing_seconds g t 0": 0.01,
		})
	})
	t.Run("150/s out with 9,000 behind: net 30/s, 300 s", func(t *testing.T) {
		v := newStoryWith(Options{Publish: allFamilies}).every(0, 300, func(sec float64) []part {
			return reads("g", "t", sec, flow{120, 150, 18_000})
		})
		shows(t, v, map[string]float64{
			"group_lag g": 9000, "group_partition_drain_seconds g t 0": 300, "group_topic_drain_seconds g t": 300, "group_drain_seconds g": 300,
			"group_partition_lag_age_seconds g t 0": 75, "group_lag_age_seconds g": 75,
			"group_partition_retention_headroom_seconds g t 0": 86400 - 75, "group_topic_retention_headroom_seconds g t": 86400 - 75,
			"group_partition_commit_age_seconds g t 0": 0, "group_rewinds_total g": 0,
			// 120/s and 9,000 within 300 s, at 150/s for a member: 1 member.
			"group_members_needed g": 1,
		})
	})
}

// One slow partition hid inside the average of a healthy group: sums of rates and
// lags would say that it is done in a minute.
func TestOnePartitionThatFallsBehind(t *testing.T) {
	v := newStoryWith(Options{Publish: allFamilies}).every(0, 300, func(sec float64) []part {
		return reads("g", "t", sec, flow{100, 150, 30_000}, flow{100, 90, 2000}, flow{100, 100, 0})
	})
	shows(t, v, map[string]float64{
		"group_partition_drain_seconds g t 0": 300, "group_partition_drain_seconds g t 1": inf, "group_partition_drain_seconds g t 2": 0,
		"group_topic_drain_seconds g t": inf, "group_drain_seconds g": inf,
		"group_topic_arrival_offsets_per_second g t": 300, "group_topic_drain_offsets_per_second g t": 340,
		"group_partition_lag_age_seconds g t 2": 0,
	})
}

// A sum or a maximum over partitions of which one is unknown is unknown too, unless
// another one settles it; an age is at least what is known.
func TestEstimatesOfAPart(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	w.every(0, 300, func(sec float64) []part {
		return append(reads("g", "t", sec, flow{100, 150, 30_000}, flow{100, 150, 30_000}), logOf("new", 2))
	})
	v := w.poll(310, append(reads("g", "t", 310, flow{100, 150, 30_000}, flow{100, 150, 30_000}, flow{100, 150, 30_000}), logOf("new", 2))...)
	shows(t, v, map[string]float64{
		"group_partition_drain_seconds g t 0": 290, "group_partition_drain_seconds g t 2": absent, "group_drain_seconds g": absent,
		"group_drain_low_seconds g": absent, "group_drain_high_seconds g": absent, "group_topic_arrival_offsets_per_second g t": absent,
		"group_topic_drain_offsets_per_second g t": absent, "group_members_needed g": absent,
		"group_partition_lag_age_seconds g t 2": absent, "group_lag_age_seconds g": 145,
	})
}

// What could not be read keeps what was estimated, its ages growing, until it is too
// old, whether polls fail or only miss it. Nothing is fed to a history twice.
func TestEstimatesAge(t *testing.T) {
	draining := func(sec float64) []part { return reads("g", "t", sec, flow{120, 150, 18_000}) }
	for name, miss := range map[string]func(w *story, sec float64) *View{
		"failed polls":     func(w *story, sec float64) *View { return w.fail(sec) },
		"unread positions": func(w *story, sec float64) *View { return w.poll(sec, logOf("t", 1), groupOf("g", members())) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newStoryWith(Options{Publish: allFamilies})
			before := w.every(0, 300, draining)
			v := miss(w, 310)
			shows(t, v, map[string]float64{
				"group_partition_drain_seconds g t 0": 300, "group_drain_seconds g": 300, "group_partition_drain_offsets_per_second g t 0": 150,
				// As of the poll's end, a tenth of a second after the end was read.
				"group_partition_lag_age_seconds g t 0": 85.1, "group_lag_age_seconds g": 85.1, "group_partition_commit_age_seconds g t 0": 10.1,
				"group_partition_retention_headroom_seconds g t 0": 86314.9, "partition_arrival_offsets_per_second t 0": 120,
			})
			shows(t, miss(w, 330.1), map[string]float64{
				"group_partition_drain_seconds g t 0": absent, "group_drain_seconds g": absent, "group_partition_lag_age_seconds g t 0": absent,
				"group_lag_age_seconds g": absent, "group_topic_drain_seconds g t": absent, "group_partition_retention_headroom_seconds g t 0": absent,
				"group_partition_commit_age_seconds g t 0": absent, "partition_arrival_offsets_per_second t 0": absent, "group_members_needed g": absent,
				"group_rewinds_total g": 0,
			})
			again := published(w.poll(340, draining(340)...))
			if out, left := again["group_partition_drain_offsets_per_second g t 0"], again["group_drain_seconds g"]; math.Abs(out-150) > 1 || math.Abs(left-260) > 3 {
				t.Errorf("after that %v/s and %v s, want 150 and 260", out, left)
			}
			shows(t, before, map[string]float64{"group_drain_seconds g": 300, "group_lag_age_seconds g": 75})
		})
	}
}

// A view that no poll has renewed told for ever when a group would be done.
func TestEstimatesOfAnOldView(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	v := w.every(0, 300, func(sec float64) []part { return reads("g", "t", sec, flow{120, 150, 18_000}) })
	old := shownAt(v, v.Built.Add(testStale+time.Second), w.rules)
	shows(t, old, map[string]float64{
		"group_partition_drain_seconds g t 0": absent, "group_drain_seconds g": absent, "group_lag_age_seconds g": absent,
		"group_partition_lag_age_seconds g t 0": absent, "group_topic_lag_age_seconds g t": absent, "partition_arrival_offsets_per_second t 0": absent,
		"group_members_needed g": absent, "group_partition_lost_offsets_total g t 0": absent, "group_rewinds_total g": 0,
	})
	shows(t, v, map[string]float64{"group_drain_seconds g": 300, "group_lag_age_seconds g": 75})
}

// Detail is a matter of the page: sums are of everything all the same.
func TestEstimatesOfLoweredGroups(t *testing.T) {
	for _, d := range []Detail{DetailGroup, DetailTopic, DetailPartition} {
		v := newStoryWith(Options{Detail: func(string) Detail { return d }}).every(0, 300, func(sec float64) []part {
			return reads("g", "t", sec, flow{120, 150, 18_000})
		})
		shows(t, v, map[string]float64{"group_drain_seconds g": 300, "group_lag_age_seconds g": 75, "group_members_needed g": 1})
		if e := v.Groups[0].Topics[0].PairEstimates; len(e) != 1 || !e[0].Drain.Known() {
			t.Errorf("%s: the API has nothing to tell of partitions: %v", d, e)
		}
	}
}

// Series of a group say all that its partitions do when it is asked for less.
func TestEstimatedFamiliesByDefault(t *testing.T) {
	v := newStory().every(0, 300, func(sec float64) []part { return reads("g", "t", sec, flow{120, 150, 18_000}) })
	shows(t, v, map[string]float64{
		"partition_arrival_offsets_per_second t 0": 120, "group_partition_lag_age_seconds g t 0": 75,
		"group_partition_drain_seconds g t 0": absent, "group_partition_commit_age_seconds g t 0": absent,
		"group_topic_drain_seconds g t": 300,
	})
}
