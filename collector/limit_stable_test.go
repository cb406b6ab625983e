package collector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// crowd is a cluster of groups on ten partitions each, behind by as much as lag
// tells; those that absent names have no coordinator at the moment, and so a
// series less.
func crowd(groups int, lag func(group int) int64, absent func(group int) bool) []part {
	all := []part{logOf("t", 1, ends(0, 1_000_000), ends(0, 1_000_000), ends(0, 1_000_000), ends(0, 1_000_000), ends(0, 1_000_000),
		ends(0, 1_000_000), ends(0, 1_000_000), ends(0, 1_000_000), ends(0, 1_000_000), ends(0, 1_000_000))}
	for i := range groups {
		where := on("t", offsets(10, 1_000_000)...)
		for j := range where.Partitions {
			where.Partitions[j].Offset = snapshot.Known(int64(1_000_000))
		}
		where.Partitions[i%10].Offset = snapshot.Known(1_000_000 - lag(i))
		all = append(all, groupOf(fmt.Sprintf("group-%02d", i), members(member("m", owns("t", 0, 1, 2))), commits(where),
			change(func(g *snapshot.Group) {
				if absent(i) {
					g.Coordinator = snapshot.Maybe[int32]{}
				}
			})))
	}
	return all
}

// flips counts, by group, how often its detail has changed over some polls.
type flips map[string]int

func (f flips) add(before, v *View) {
	for i := range v.Groups {
		if g := previous(before.Groups, v.Groups[i].ID, groupID); g != nil && g.Detail != v.Groups[i].Detail {
			f[g.ID]++
		}
	}
}

func present(int) bool { return false }

// steady publishes what is there from the first poll on. What is estimated, and what
// that tells, comes later, so that a first poll has fewer series than the next; when a
// group rebalanced last does as well.
func steady(_, family string, byDefault bool) bool {
	for _, m := range slices.Concat(logRateRows, groupEstimateRows, groupOwnershipRows, conditionRows, groupTopicEstimateRows, pairEstimateRows) {
		if m.Name == family {
			return false
		}
	}
	return byDefault
}

// A series that came and went lowered and raised the same group poll after poll:
// each time a line in the log, and holes in the graphs of the group.
func TestLimitWhileSeriesComeAndGo(t *testing.T) {
	const groups = 40
	lag := func(i int) int64 { return int64(1000 * (i + 1)) }
	full := countSeries(newStory().poll(0, crowd(groups, lag, present)...))
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		most := full - groups*3 - r.IntN(200)
		w, changed := newStoryWith(Options{MaxSeries: most}), flips{}
		for n := range 50 {
			before := w.v
			changed.add(before, w.poll(float64(10*n), crowd(groups, lag, func(int) bool { return r.IntN(10) == 0 })...))
			if got := countSeries(w.v); got > most {
				t.Errorf("%d series, %d wanted", got, most)
			}
		}
		for group, n := range changed {
			if n > 1 {
				t.Errorf("seed %d: the detail of %s changed %d times in 50 polls", seed, group, n)
			}
		}
	}
}

// Lags that walk about, and overtake each other by less than twice, change
// nothing; one that is overtaken by more does.
func TestLimitWhileLagsWalk(t *testing.T) {
	const groups = 40
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		lags := make([]float64, groups)
		for i := range lags {
			lags[i] = 10_000
		}
		lag := func(i int) int64 { return int64(lags[i]) }
		w, changed := newStoryWith(Options{Publish: steady}), flips{}
		full := countSeries(w.poll(0, crowd(groups, lag, present)...))
		w.rules.maxSeries = full * 3 / 4
		first := w.poll(10, crowd(groups, lag, present)...)
		overtook := 0
		for n := range 100 {
			before := w.v
			for i := range lags {
				was := lags[i] < lags[0]
				lags[i] = min(14_000, max(7_000, lags[i]*(0.8+0.4*r.Float64())))
				if was != (lags[i] < lags[0]) {
					overtook++
				}
			}
			changed.add(before, w.poll(float64(20+10*n), crowd(groups, lag, present)...))
		}
		if len(changed) > 0 || overtook < 100 || first.lowered == 0 {
			t.Errorf("seed %d: %d of %d groups lowered, changes %v, %d times overtaken", seed, first.lowered, groups, changed, overtook)
		}
		least, shown := lowest(w.v), highest(w.v)
		lags[indexOf(least)], lags[indexOf(shown)] = 29_000, 7_000 // twice of all that are shown, and less than half of all that are not
		for i := range lags {
			if i != indexOf(least) && i != indexOf(shown) {
				lags[i] = 14_100
			}
		}
		v := w.v
		for n := range 8 { // until a lag of 14,000 counts as 7,000
			v = w.poll(float64(5000+10*n), crowd(groups, lag, present)...)
		}
		if theGroup(t, v, least).Detail != DetailPartition || theGroup(t, v, shown).Detail == DetailPartition {
			t.Errorf("seed %d: %s has the most lag by far and %s the least, and they did not change places", seed, least, shown)
		}
	}
}

// lowest is a group that is lowered, and highest one that is not.
func lowest(v *View) string  { return firstWith(v, true) }
func highest(v *View) string { return firstWith(v, false) }

func firstWith(v *View, lowered bool) string {
	for i := range v.Groups {
		if g := &v.Groups[i]; lowered == (g.Detail < g.shown.detail) {
			return g.ID
		}
	}
	return ""
}

func indexOf(group string) (i int) {
	fmt.Sscanf(group, "group-%02d", &i)
	return i
}

// A group that was lowered is raised when that leaves a twentieth of what groups
// may have, and not by a series before.
func TestLimitRaises(t *testing.T) {
	const groups = 20
	lag := func(i int) int64 { return int64(1000 * (i + 1)) }
	w := newStoryWith(Options{Publish: steady})
	full := w.poll(0, crowd(groups, lag, present)...)
	others := countOthers(full)
	ofGroups := countSeries(full) - others
	enough := 0
	for enough-enough/20 < ofGroups {
		enough++
	}
	for _, c := range []struct{ room, lowered int }{
		{ofGroups, 0}, {ofGroups - 1, 2}, {ofGroups, 2}, {enough - 1, 1}, {enough, 0}, {ofGroups, 0}, {ofGroups - 1, 2}, {0, groups}, {enough, 0},
	} {
		w.rules.maxSeries = others + c.room
		if v := w.poll(20, crowd(groups, lag, present)...); v.lowered != c.lowered {
			t.Errorf("room for %d series of %d: %d groups are lowered, want %d", c.room, ofGroups, v.lowered, c.lowered)
		}
	}
}

// Nobody knows whether a group with an unknown lag is the one that matters: it
// is the last to be lowered, though one that is 0 behind comes first.
func TestLimitOfUnknownLag(t *testing.T) {
	all := parts(logOf("t", 1, ends(0, 9), ends(0, 9), ends(0, 9)), logOf("dark", 2, leaderless(), leaderless(), leaderless()),
		groupOf("behind", members(), commits(on("t", 1, 1, 1))),
		groupOf("caught-up", members(), commits(on("t", 9, 9, 9))),
		groupOf("unknown", members(), commits(on("dark", 1, 1, 1))))
	full := newStory().poll(0, all...)
	if theGroup(t, full, "unknown").Lag.Known() {
		t.Fatal("the lag is known")
	}
	var order []string
	for most := countSeries(full); most > 0 && len(order) < 3; most-- {
		v := newStoryWith(Options{MaxSeries: most}).poll(0, all...)
		for i := range v.Groups {
			if g := &v.Groups[i]; g.Detail < DetailPartition && !slices.Contains(order, g.ID) {
				order = append(order, g.ID)
			}
		}
	}
	if diff := cmp.Diff([]string{"caught-up", "behind", "unknown"}, order); diff != "" {
		t.Errorf("lowered in this order (-want +got):\n%s", diff)
	}
}
