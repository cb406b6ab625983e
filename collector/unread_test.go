package collector

import (
	"math"
	"testing"
)

// four are as many partitions of a topic, on the same flow; only the first can be read
// if so told.
func four(sec float64, f flow, whole bool, m groupPart) []part {
	end, c := f.at(sec)
	c = min(c, end-9)
	logs := logOf("t", 1, ends(0, end), leaderless(), leaderless(), leaderless())
	if whole {
		logs = logOf("t", 1, ends(0, end), ends(0, end), ends(0, end), ends(0, end))
	}
	return parts(logs, kept("t"), groupOf("g", m, commits(on("t", c, c, c, c))))
}

// Partitions without a leader left the sums: 360/s became 90/s, and four members that
// were needed one.
func TestUnreadPartitionsAreInTheSums(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	four := func(sec float64) []part {
		return four(sec, flow{90, 100, 5000}, sec <= 700, members(member("a", owns("t", 0)), member("b", owns("t", 1)), member("c", owns("t", 2)), member("d", owns("t", 3))))
	}
	const arrival, drain, needed = "group_topic_arrival_offsets_per_second g t", "group_topic_drain_offsets_per_second g t", "group_members_needed g"
	shows(t, w.every(0, 700, four), map[string]float64{arrival: 360, drain: 360, needed: 4})
	shows(t, w.every(710, 720, four), map[string]float64{arrival: 360, drain: 360, needed: 4}) // as they were
	shows(t, w.every(730, 800, four), map[string]float64{arrival: absent, drain: absent, needed: absent})
}

// What a share group has to do was taken for nothing while the broker did not tell its
// lag: one member was enough.
func TestMembersNeededWithoutALag(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	at := func(sec float64) []part {
		end, done := flow{90, 100, 500_000}.at(sec)
		where := position(done, end-done)
		if sec > 300 {
			where = lagUnknown(done)
		}
		return parts(logOf("t", 1, ends(0, end)), groupOf("g", members(member("a", owns("t", 0))), shares(sharedOn("t", 1, where))))
	}
	if _, ok := published(w.every(0, 300, at))["group_members_needed g"]; !ok {
		t.Fatal("never known")
	}
	shows(t, w.every(310, 400, at), map[string]float64{"group_members_needed g": absent})
}

// A member that drained four partitions was taken for one that can drain a quarter of
// it, once three could not be read, and four were said to be needed.
func TestCapacityOfUnreadPartitions(t *testing.T) {
	w := newStoryWith(Options{Publish: allFamilies})
	for sec := 0.0; sec <= 700; sec += 10 {
		v := w.poll(sec, four(sec, flow{80, 100, 20_000}, sec <= 300 || sec > 350, members(member("m", owns("t", 0, 1, 2, 3))))...)
		if one := v.Groups[0].capacity.perMember; sec >= 300 && math.Abs(one-400) > 4 {
			t.Errorf("at %v s: a member can do %v/s, want 400", sec, one)
		}
	}
}
