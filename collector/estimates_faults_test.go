package collector

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Fault 15: a topic that was deleted and created again between two polls went on as
// the one before, with a negative rate, or a rewind that nobody made.
func TestEstimatesOfARecreatedTopic(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	w.every(0, 300, func(sec float64) []part { return reads("g", "t", sec, flow{120, 100, 1000}) })
	again := func(sec float64) []part {
		return parts(logOf("t", 2, ends(0, int64(10*(sec-300)))), groupOf("g", members(), commits(on("t", int64(10*(sec-305))))))
	}
	shows(t, w.poll(310, again(310)...), map[string]float64{
		"partition_arrival_offsets_per_second t 0": absent, "group_partition_drain_offsets_per_second g t 0": absent,
		"group_partition_commit_age_seconds g t 0": absent, "group_rewinds_total g": 0, "topic_recreated_total t": 1,
	})
	shows(t, w.every(320, 400, again), map[string]float64{
		"partition_arrival_offsets_per_second t 0": 10, "group_partition_drain_offsets_per_second g t 0": 10, "group_rewinds_total g": 0,
	})
}

// Fault 19: a topic on which nothing happens, 10 behind for an hour, looked as if it
// would soon be done, or its age stood still or was lost with the history.
func TestEstimatesOfAnIdleTopic(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	w.poll(0, reads("g", "t", 0, flow{lag: 0})...)
	for sec := 10.0; sec <= 3610; sec += 10 {
		v := w.poll(sec, logOf("t", 1, ends(0, 1_000_010)), groupOf("g", members(), commits(on("t", 1_000_000))))
		got := published(v)
		// The records came at some time in the ten seconds before the second poll.
		if age := got["group_lag_age_seconds g"]; math.Abs(age-(sec-5)) > 5 {
			t.Fatalf("%v s old after %v s", age, sec)
		}
		if left, ok := got["group_drain_seconds g"]; ok && !math.IsInf(left, 1) {
			t.Fatalf("done in %v s, after %v s", left, sec)
		}
	}
	shows(t, w.v, map[string]float64{
		"group_drain_seconds g": inf, "group_partition_drain_offsets_per_second g t 0": 0, "partition_arrival_offsets_per_second t 0": 0,
	})
}

// Fault 22: what the first poll after a start knows is no rate, and none of what
// follows is a spike.
func TestEstimatesAfterARestart(t *testing.T) {
	const from = 100_000
	at := func(sec float64) []part { return reads("g", "t", sec-from, flow{120, 150, 180_000}) }
	w := newStoryWith(Options{Publish: allFamilies})
	shows(t, w.poll(from, at(from)...), map[string]float64{
		"partition_arrival_offsets_per_second t 0": absent, "group_partition_drain_offsets_per_second g t 0": absent,
		"group_drain_seconds g": absent, "group_lag_age_seconds g": absent, "group_rewinds_total g": 0, "group_partition_lost_offsets_total g t 0": 0,
	})
	for sec := from + 10.0; sec <= from+300; sec += 10 {
		got := published(w.poll(sec, at(sec)...))
		for series, most := range map[string]float64{"partition_arrival_offsets_per_second t 0": 121, "group_partition_drain_offsets_per_second g t 0": 152} {
			if got[series] > most {
				t.Errorf("%v s after the start: %s = %v", sec-from, series, got[series])
			}
		}
	}
}

// Fault 23: a reset to the beginning was a drain of minus a million a second.
func TestEstimatesOfAReset(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	w.every(0, 300, func(sec float64) []part { return reads("g", "t", sec, flow{100, 100, 0}, flow{100, 100, 0}) })
	back := func(sec float64) []part {
		end, _ := flow{in: 100}.at(sec)
		from := int64(1000 * (sec - 310))
		return parts(logOf("t", 1, ends(0, end), ends(0, end)), groupOf("g", members(member("m", owns("t", 0, 1))), commits(on("t", from, from))))
	}
	shows(t, w.poll(310, back(310)...), map[string]float64{
		"group_rewinds_total g": 2, "group_partition_drain_offsets_per_second g t 0": absent, "group_drain_seconds g": absent,
	})
	// 1,030,000 + 100/s to read, at 1,000/s: 1,135 s later at 900/s net.
	v := w.every(320, 420, back)
	shows(t, v, map[string]float64{"group_rewinds_total g": 2, "group_partition_drain_offsets_per_second g t 0": 1000})
	if left, lag := published(v)["group_drain_seconds g"], published(v)["group_partition_lag g t 0"]; math.Abs(left-lag/900) > 1 {
		t.Errorf("%v s for %v offsets", left, lag)
	}
}

// Losing polls made rates of what was seen before and after as if no time had passed.
func TestEstimatesOverMissedPolls(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	steady := func(sec float64) []part { return reads("g", "t", sec, flow{120, 150, 18_000}) }
	for n := range 40 {
		if sec := float64(10 * n); n%3 == 1 || n%7 == 2 {
			w.fail(sec)
		} else {
			w.poll(sec, steady(sec)...)
		}
	}
	got := published(w.poll(400, steady(400)...))
	if in, out, left := got["partition_arrival_offsets_per_second t 0"], got["group_partition_drain_offsets_per_second g t 0"], got["group_drain_seconds g"]; math.Abs(in-120) > 0.1 || math.Abs(out-150) > 3 || math.Abs(left-200) > 20 {
		t.Errorf("%v/s in, %v/s out, %v s remaining; want 120, 150, 200", in, out, left)
	}
}

// set returns a time as if somebody had set the system's clock in between: its wall
// clock differs, and the monotonic one goes on.
func set(t time.Time, by time.Duration) time.Time {
	if t.Round(0) == t {
		panic("this time has no monotonic clock")
	}
	*(*uint64)(unsafe.Pointer(&t)) += uint64(by/time.Second) << 30 // the layout of time.Time
	return t
}

// A system clock that was set made ages of hours, or rates of nothing.
func TestEstimatesWhileTheClockIsSet(t *testing.T) {
	began := time.Now()
	for name, by := range map[string]time.Duration{"forward": 3 * time.Hour, "back": -3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newStoryWith(Options{Publish: allFamilies})
			for sec := 0.0; sec <= 300; sec += 10 {
				s := poll(sec, reads("g", "t", sec, flow{120, 150, 18_000})...)
				real := func(at time.Time) time.Time {
					at = began.Add(at.Sub(epoch))
					if sec > 150 {
						at = set(at, by)
					}
					return at
				}
				s.Started, s.Finished = real(s.Started), real(s.Finished)
				for i := range s.Topics {
					for j := range s.Topics[i].Partitions {
						p := &s.Topics[i].Partitions[j]
						end, _ := p.End.Get()
						end.At = snapshot.InstantOf(real(timeOf(end.At)))
						p.Start, p.End = snapshot.Known(snapshot.Reading{At: end.At}), snapshot.Known(end)
					}
				}
				c, _ := s.Groups[0].Commits.Get()
				c.At = real(c.At)
				s.Groups[0].Commits = snapshot.Known(c)
				w.take(s, nil)
			}
			shows(t, w.v, map[string]float64{
				"partition_arrival_offsets_per_second t 0": 120, "group_partition_drain_offsets_per_second g t 0": 150,
				"group_drain_seconds g": 300, "group_lag_age_seconds g": 75,
			})
		})
	}
}

// The histories of groups and topics that came and went stayed in memory.
func TestHistoriesGoWithWhatTheyAreOf(t *testing.T) {
	w := newStory()
	all := func(sec float64) []part {
		return append(reads("g", "t", sec, flow{120, 150, 18_000}), reads("h", "u", sec, flow{120, 150, 18_000})...)
	}
	w.every(0, 50, all)
	pairs := weak.Make(theGroup(t, w.v, "h").Topics[0].history)
	logs := weak.Make(theTopic(t, w.v, "u").history)
	kept := weak.Make(theGroup(t, w.v, "g").Topics[0].history)
	w.every(60, 70, func(sec float64) []part { return reads("g", "t", sec, flow{120, 150, 18_000}) })
	runtime.GC()
	if pairs.Value() != nil || logs.Value() != nil {
		t.Error("a group and a topic are gone, and their histories are not")
	}
	if kept.Value() == nil {
		t.Error("the history of a group that is there is gone")
	}
	runtime.KeepAlive(w)
}

// The same of a watcher that polls by itself, at uneven times.
func TestEstimatesThroughAWatcher(t *testing.T) {
	began := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // as clocks in a bubble do
	poller := pollFunc(func(context.Context) (*snapshot.Snapshot, error) {
		return poll(time.Since(epoch).Seconds(), reads("g", "t", time.Since(began).Seconds(), flow{120, 150, 18_000})...), nil
	})
	inBubble(t, poller, func(t *testing.T, w *Watcher) {
		time.Sleep(300 * time.Second)
		got := published(w.View())
		if in, out := got["partition_arrival_offsets_per_second t 0"], got["group_topic_drain_offsets_per_second g t"]; math.Abs(in-120) > 0.2 || math.Abs(out-150) > 0.5 {
			t.Errorf("%v/s in, %v/s out; want 120 and 150", in, out)
		}
		if left, lag := got["group_drain_seconds g"], got["group_lag g"]; math.Abs(left-lag/30) > 5 {
			t.Errorf("%v s for %v offsets; want %v", left, lag, lag/30)
		}
	})
}

// A share group that does nothing went back and forth by what arrives between the
// reading of its lag and that of the log's end, and every time back was a rewind.
func TestEstimatesOfAShareGroup(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	shared := change(func(g *snapshot.Group) { g.Type = snapshot.TypeShare })
	at := func(sec float64, start, lag int64) *View {
		end := int64(10_000 + 100*sec)
		return w.poll(sec, logOf("t", 1, ends(0, end)), groupOf("g", members(), shares(sharedOn("t", 1, position(start, lag))), shared))
	}
	for n := range 30 {
		sec := float64(10 * n)
		at(sec, 5000, int64(5000+100*sec)-int64(n*37%100)) // read up to a second before
	}
	shows(t, w.v, map[string]float64{
		"group_rewinds_total g": 0, "group_drain_seconds g": inf,
		"partition_arrival_offsets_per_second t 0": 100, "group_partition_lost_offsets_total g t 0": absent,
	})
	if out := published(w.v)["group_topic_drain_offsets_per_second g t"]; out > 0.5 {
		t.Errorf("drains %v/s", out)
	}
	shows(t, at(300, 1000, 39_000), map[string]float64{"group_rewinds_total g": 1})
}
