package exercise

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffers(t *testing.T) {
	sight := func(change func(*Sight)) Sight {
		s := Sight{State: "stable", Rebalances: 4, Moved: 3, Members: known(2, true), Generation: known(int32(3), true), Partitions: []PartitionSight{
			{0, "a", known(int64(2), true), known(int64(6), true), known(int64(4), true)},
			{1, "b", nil, known(int64(0), true), known(int64(0), true)},
		}}
		change(&s)
		return s
	}
	since := &rounds{rebalances: 2, moved: 2, generation: 1, least: 1, most: 2}
	know := truth{
		rounds: since, members: 2, generation: 3, owners: map[int32]string{0: "a", 1: "b"},
		committed: map[int32]int64{0: 2}, ends: map[int32]int64{0: 6, 1: 0},
	}
	for _, tt := range []struct {
		name string
		Sight
		want []string
	}{
		{"the same", sight(func(*Sight) {}), nil},
		{"a rebalance", sight(func(s *Sight) { s.State, s.Generation = "preparing_rebalance", nil }),
			[]string{"state: lagwatch preparing_rebalance, consumers stable", "generation: lagwatch ?, consumers 3"}},
		{"a member more", sight(func(s *Sight) { *s.Members = 3 }), []string{"members: lagwatch 3, consumers 2"}},
		{"a rebalance less", sight(func(s *Sight) { s.Rebalances-- }), []string{"rebalances: lagwatch 1, consumers 2"}},
		{"a partition that moved on the way", sight(func(s *Sight) { s.Moved++ }), nil},
		{"a partition that did not move", sight(func(s *Sight) { s.Moved += 2 }), []string{"moved: lagwatch 3, consumers 1 to 2"}},
		{"no partition moved", sight(func(s *Sight) { s.Moved-- }), []string{"moved: lagwatch 0, consumers 1 to 2"}},
		{"another owner", sight(func(s *Sight) { s.Partitions[0].Owner = "b" }), []string{"owner of partition 0: lagwatch b, consumers a"}},
		{"no owner", sight(func(s *Sight) { s.Partitions[1].Owner = "" }), []string{"owner of partition 1: lagwatch nobody, consumers b"}},
		{"an older position", sight(func(s *Sight) {
			s.Partitions[0].Committed, s.Partitions[0].Lag = known(int64(1), true), known(int64(5), true)
		}),
			[]string{"committed of partition 0: lagwatch 1, consumers 2", "lag of partition 0: lagwatch 5, consumers 4"}},
		{"no position", sight(func(s *Sight) { s.Partitions[0].Committed = nil }), []string{"committed of partition 0: lagwatch ?, consumers 2"}},
		{"a position out of nothing", sight(func(s *Sight) { s.Partitions[1].Committed = known(int64(0), true) }), []string{"committed of partition 1: lagwatch 0, consumers ?"}},
		{"an older end", sight(func(s *Sight) { s.Partitions[0].End = known(int64(5), true) }), []string{"end of partition 0: lagwatch 5, consumers 6"}},
		{"a partition less", sight(func(s *Sight) { s.Partitions = s.Partitions[:1] }), []string{"partitions: lagwatch 1, consumers 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, know.differs(tt.Sight)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A partition that nobody owns for a while was handed over when somebody else does; one
// that comes back to its owner was not.
func TestFollow(t *testing.T) {
	owned := func(owner string, committed int64) Sight {
		return Sight{Partitions: []PartitionSight{{Partition: 3, Owner: owner, Committed: known(committed, committed >= 0)}}}
	}
	w := &watch{last: map[int32]PartitionSight{}}
	for _, s := range []Sight{owned("", -1), owned("a", -1), owned("", -1), owned("a", 4), owned("", 5), owned("b", 5), owned("b", 9), owned("c", 12)} {
		w.follow(s)
	}
	got, n := w.since(0)
	want := []Handover{{3, "a", "b", known(int64(5), true)}, {3, "b", "c", known(int64(9), true)}}
	if d := cmp.Diff(want, got); d != "" || n != 2 {
		t.Errorf("%d (-want +got):\n%s", n, d)
	}
}
