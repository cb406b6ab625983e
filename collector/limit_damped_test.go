package collector

import "testing"

// Of six groups whose lags went up and down from poll to poll another was lowered
// in each: a line in the log, and holes in the graphs of both.
func TestLimitWhileLagsAlternate(t *testing.T) {
	const groups, polls = 6, 100
	for _, c := range []struct {
		name  string
		every int // polls from one high lag of a group to its next
	}{
		{"every other poll", 2}, {"every third", 3}, {"every sixth", 6},
	} {
		lags := func(n int) func(int) int64 {
			return func(i int) int64 {
				if (n+i)%c.every == 0 {
					return 3600
				}
				return 40
			}
		}
		w, changed := newStory(), flips{}
		w.rules.maxSeries = countSeries(w.poll(0, crowd(groups, lags(0), present)...)) - 1
		for n := range polls {
			before := w.v
			changed.add(before, w.poll(float64(10+10*n), crowd(groups, lags(n), present)...))
			if w.v.lowered == 0 {
				t.Fatalf("%s: none is lowered in poll %d", c.name, n)
			}
		}
		total := 0
		for _, n := range changed {
			total += n
		}
		if total > 2*c.every {
			t.Errorf("%s: details changed %d times in %d polls: %v", c.name, total, polls, changed)
		}
	}
}

// A lag that has fallen for good is believed after some tens of polls, and one
// that has grown at once.
func TestLimitFollowsForGood(t *testing.T) {
	const groups, fallen = 4, 3
	lag := []int64{1000, 5000, 6000, 100_000}
	all := func() []part { return crowd(groups, func(i int) int64 { return lag[i] }, present) }
	w := newStoryWith(Options{Publish: steady})
	w.rules.maxSeries = countSeries(w.poll(0, all()...)) - 1
	w.poll(10, all()...)
	lowered := func() string { return firstWith(w.v, true) }
	if lowered() != "group-00" || w.v.lowered != 1 {
		t.Fatalf("%d groups are lowered, %s first", w.v.lowered, lowered())
	}
	lag[fallen] = 0
	n := 0
	for ; lowered() != "group-03" && n < 200; n++ {
		w.poll(float64(20+10*n), all()...)
	}
	if want := []int{20, 60}; n < want[0] || n > want[1] {
		t.Errorf("the group that has caught up is lowered after %d polls, want %d to %d", n, want[0], want[1])
	}
	lag[fallen] = 1_000_000
	if w.poll(5000, all()...); lowered() == "group-03" {
		t.Error("the group with the most lag is lowered")
	}
}

// While nothing can be read of a group its rank stands: afterwards it is what it
// was before, and not one that has caught up.
func TestRankOfUnknownLag(t *testing.T) {
	dark := func() []part {
		return parts(logOf("t", 1, leaderless()), groupOf("g", members(), commits(on("t", 10))))
	}
	lit := func(end int64) []part {
		return parts(logOf("t", 1, ends(0, end)), groupOf("g", members(), commits(on("t", 10))))
	}
	w := newStory()
	rank := func(v *View) int64 { return theGroup(t, v, "g").rank }
	if got := rank(w.poll(0, lit(1010)...)); got != 1000 {
		t.Errorf("rank %d at first", got)
	}
	if got := rank(w.poll(10, lit(20)...)); got != 900 {
		t.Errorf("rank %d after the lag has fallen", got)
	}
	for n := range 50 {
		w.poll(float64(1000+10*n), dark()...)
	}
	if g := theGroup(t, w.v, "g"); g.Lag.Known() || g.rank != 900 {
		t.Errorf("rank %d, lag %v while it is unknown", g.rank, g.Lag)
	}
	for n := range 100 {
		w.poll(float64(2000+10*n), lit(20)...)
	}
	if got := rank(w.v); got != 10 {
		t.Errorf("rank %d long after, want the lag", got)
	}
	if got := rank(w.poll(5000, lit(1<<63-1)...)); got != 1<<63-11 {
		t.Errorf("rank %d of the greatest lag", got)
	}
	if got := rank(w.poll(5010, lit(20)...)); got < 1<<62 {
		t.Errorf("rank %d after the greatest lag", got)
	}
}
