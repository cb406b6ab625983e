package collector

import "testing"

// A share group that stands still while 1,000/s arrive seemed to commit in every poll,
// and was said to be soon done: its lag is read some milliseconds before the end, now
// fewer of them and now more than ever.
func TestShareGroupAtRest(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	at := func(sec float64) []part {
		end := int64(10_000 + 1000*sec)
		late := []int64{5, int64(5 + sec/48)}[int(sec/10)%2]
		start := min(end-5000, 10_000+500*30) // works for some time, then one record holds it
		return parts(logOf("t", 1, ends(0, end+late)), groupOf("g", members(member("m", owns("t", 0))), shares(sharedOn("t", 1, position(start, end-start)))))
	}
	w.every(0, 1200, at)
	shows(t, w.v, map[string]float64{
		"group_drain_seconds g": inf, "group_partition_drain_offsets_per_second g t 0": 0, "group_rewinds_total g": 0,
		"group_partition_commit_age_seconds g t 0": 1200 - 20,
	})
}

// What is done out of order, while one record holds the start back, is progress.
func TestShareGroupDoneOutOfOrder(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	shows(t, w.every(0, 600, func(sec float64) []part {
		end, done := flow{100, 120, 30_000}.at(sec)
		return parts(logOf("t", 1, ends(0, end)), groupOf("g", members(member("m", owns("t", 0))), shares(sharedOn("t", 1, position(900_000, end-done)))))
	}), map[string]float64{
		"group_partition_drain_offsets_per_second g t 0": 120, "group_drain_seconds g": 900, "group_partition_commit_age_seconds g t 0": 0,
	})
}
