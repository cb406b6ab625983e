package collector

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

func numbered(generation int32) groupPart {
	return change(func(g *snapshot.Group) { g.Generation = snapshot.Known(generation) })
}

func typed(t snapshot.GroupType, s snapshot.GroupState) groupPart {
	return change(func(g *snapshot.Group) { g.Type, g.State = t, s })
}

// ownershipStory is what a few polls see of groups whose partitions change hands.
func ownershipStory() *View {
	w := newStory()
	log := logOf("t", 1, ends(0, 100), ends(0, 100))
	both, one, other := member("a", owns("t", 0, 1)), member("a", owns("t", 0)), member("b", owns("t", 1))
	empty := typed(snapshot.TypeConsumer, snapshot.StateEmpty)
	w.poll(0, log,
		groupOf("classic", members(both), commits(on("t", 50, 50)), numbered(7)),
		groupOf("plain", members(one, other), commits(on("t", 50, 50))),
		groupOf("next", members(both), commits(on("t", 50, 50)), typed(snapshot.TypeConsumer, snapshot.StateStable), numbered(3)),
		groupOf("reset", members(), commits(on("t", 50, 50)), empty, numbered(5)))
	w.poll(10, log,
		groupOf("classic", rebalancing(both, member("b")), commits(on("t", 50, 50))),
		groupOf("plain", rebalancing(one, other), commits(on("t", 50, 50))),
		groupOf("next", members(one, member("b")), commits(on("t", 50, 50)), typed(snapshot.TypeConsumer, snapshot.StateReconciling), numbered(4)),
		groupOf("reset", members(), commits(on("t", 20, 20)), empty, numbered(5)))
	return w.poll(20, log,
		groupOf("classic", members(one, other), commits(on("t", 50, 50)), numbered(9)),
		groupOf("plain", members(both), commits(on("t", 50, 50))),
		groupOf("next", members(one, other), commits(on("t", 50, 50)), typed(snapshot.TypeConsumer, snapshot.StateStable), numbered(4)),
		groupOf("reset", members(), commits(on("t", 20, 100)), empty, numbered(5)))
}

// What a group's counters and rounds are after a story.
type followed struct {
	Generation, Epoch, Observed, Moved uint64
	Unstable                           time.Duration
	Rounds                             []ownership.Round
	Current                            bool
}

func followedOf(g *Group) followed {
	r := g.Ownership.Rebalances
	return followed{r[ownership.Generation], r[ownership.Epoch], r[ownership.Observed], g.Ownership.Moved, g.Ownership.Unstable, g.Rounds, g.OwnersCurrent}
}

func TestOwnershipInTheView(t *testing.T) {
	v := ownershipStory()
	seen := func(sec float64) time.Time { return tenths(at(sec), 3) }
	want := map[string]followed{
		"classic": {Generation: 2, Moved: 1, Unstable: 10 * time.Second, Current: true, Rounds: []ownership.Round{
			{At: seen(20), Source: ownership.Generation, Count: 2, Generation: snapshot.Known(int32(9)), Moved: 1, Joined: 1}}},
		"plain": {Observed: 1, Moved: 1, Unstable: 10 * time.Second, Current: true, Rounds: []ownership.Round{
			{At: seen(20), Source: ownership.Observed, Count: 1, Moved: 1, Left: 1}}},
		"next": {Epoch: 1, Moved: 1, Unstable: 10 * time.Second, Current: true, Rounds: []ownership.Round{
			{At: seen(10), Source: ownership.Epoch, Count: 1, Generation: snapshot.Known(int32(4)), Moved: 1, Joined: 1}}},
		"reset": {Current: true},
	}
	for id, want := range want {
		if diff := cmp.Diff(want, followedOf(theGroup(t, v, id))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	shows(t, v, map[string]float64{
		"group_rebalances_total classic generation": 2, "group_rebalances_total classic observed": 0, "group_rebalances_total classic epoch": absent,
		"group_rebalances_total next epoch": 1, "group_rebalances_total next generation": absent,
		"group_last_rebalance_timestamp_seconds next":  float64(epoch.Unix()) + 20.3, // b was handed its partition then
		"group_last_rebalance_timestamp_seconds reset": absent,
		"group_unstable_seconds_total classic":         10, "group_generation classic": 9,
		"group_rewinds_total reset": 2, "group_skips_total reset": 0, "group_skips_total plain": 0,
	})
}

// A poll that reads nothing, or no members, changes no count and keeps the owners, as
// last known ones; rounds that it missed count at the next.
func TestOwnershipThroughMissedPolls(t *testing.T) {
	log := logOf("t", 1, ends(0, 100), ends(0, 100))
	seen := func(generation int32, list ...snapshot.Member) part {
		return groupOf("g", members(list...), commits(on("t", 50, 50)), numbered(generation))
	}
	both := member("a", owns("t", 0, 1))
	for _, tt := range []struct {
		name string
		miss func(w *story) *View
	}{
		{"failed", func(w *story) *View { return w.fail(10) }},
		{"failed for longer than stale_after", func(w *story) *View {
			for sec := 10.0; sec < 70; sec += 10 {
				w.fail(sec)
			}
			return w.v
		}},
		{"members unknown", func(w *story) *View {
			return w.poll(10, log, groupOf("g", commits(on("t", 50, 50))))
		}},
		{"nothing known while the coordinator moves", func(w *story) *View {
			return w.poll(10, log, groupOf("g", nothingKnown()))
		}},
		{"a topic that cannot be read", func(w *story) *View {
			return w.poll(10, logOf("t", 1), groupOf("g", commits(on("t", 50, 50))))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newStory()
			w.poll(0, log, seen(3, both))
			if v := tt.miss(w); v.Groups[0].OwnersCurrent || v.Groups[0].Ownership != (ownership.Totals{}) || v.Groups[0].Rounds != nil {
				t.Errorf("counted where nothing was seen: %+v", followedOf(&v.Groups[0]))
			}
			got := followedOf(&w.poll(70, log, seen(5, member("a", owns("t", 0)), member("b", owns("t", 1)))).Groups[0])
			if got.Rounds = nil; !cmp.Equal(got, followed{Generation: 2, Moved: 1, Current: true}) {
				t.Errorf("afterwards %+v", got)
			}
			got = followedOf(&w.fail(80).Groups[0])
			if got.Generation != 2 || got.Moved != 1 || len(got.Rounds) != 1 || got.Current {
				t.Errorf("after a failed poll %+v", got)
			}
		})
	}
}

// Counters go with the group, and begin with 0 when it is there again, as they do
// after a restart.
func TestOwnershipGoesWithTheGroup(t *testing.T) {
	w := newStory()
	seen := func(generation int32) part { return groupOf("g", members(), numbered(generation)) }
	w.poll(0, seen(3))
	if got := w.poll(10, seen(4)).Groups[0].Ownership.Rebalances[ownership.Generation]; got != 1 {
		t.Fatalf("%d rounds", got)
	}
	w.poll(20)
	g := w.poll(30, seen(9)).Groups[0]
	if g.Ownership != (ownership.Totals{}) || g.Rounds != nil || !g.LastRound.IsZero() {
		t.Errorf("a group that is new has counted %+v", followedOf(&g))
	}
}

// A topic that is created anew, or gains partitions, moves those only whose owner is
// another.
func TestOwnershipOfARecreatedTopic(t *testing.T) {
	w := newStory()
	see := func(sec float64, id byte, logs int, list ...snapshot.Member) *Group {
		l := make([]snapshot.Partition, logs)
		for i := range l {
			l[i] = ends(0, 10)
		}
		return &w.poll(sec, logOf("t", id, l...), groupOf("g", members(list...), commits(), numbered(int32(sec)))).Groups[0]
	}
	see(0, 1, 3, member("a", owns("t", 0, 1)), member("b", owns("t", 2)))
	g := see(10, 2, 2, member("a", owns("t", 0)), member("b", owns("t", 1)))
	if g.Ownership.Moved != 1 {
		t.Errorf("moved %d partitions, want the one that b took over", g.Ownership.Moved)
	}
	g = see(20, 2, 4, member("a", owns("t", 0, 2)), member("b", owns("t", 1, 3)))
	if g.Ownership.Moved != 2 { // 2 was b's once
		t.Errorf("moved %d partitions", g.Ownership.Moved)
	}
}

// A static member that restarts with another id keeps what it has.
func TestOwnershipOfStaticMembers(t *testing.T) {
	w := newStory()
	log := logOf("t", 1, ends(0, 100))
	static := func(id string) snapshot.Member {
		m := member(id, owns("t", 0))
		m.InstanceID = "one"
		return m
	}
	w.poll(0, log, groupOf("g", members(static("a")), commits()))
	g := w.poll(10, log, groupOf("g", members(static("b")), commits())).Groups[0]
	if o := g.Owners(&g.Topics[0].Pairs[0]); g.Ownership != (ownership.Totals{}) || len(o) != 1 || o[0].InstanceID != "one" || o[0].MemberID != "b" {
		t.Errorf("owners %v, counted %+v", o, followedOf(&g))
	}
}

func assigning(assignor string) groupPart {
	return change(func(g *snapshot.Group) { g.Assignor = assignor })
}

// Unowned partitions and members beyond the partition count.
func TestUnownedAndSurplus(t *testing.T) {
	log := parts(logOf("t", 1, ends(0, 100), ends(0, 100)), logOf("u", 2, ends(0, 10)))
	type counts struct {
		Unowned, Surplus int
		Known            bool
	}
	for _, tt := range []struct {
		name  string
		parts []groupPart
		want  counts
	}{
		{"all owned", []groupPart{members(member("a", owns("t", 0, 1)))}, counts{0, 0, true}},
		{"one left", []groupPart{members(member("a", owns("t", 0)))}, counts{1, 0, true}},
		{"commits where nobody subscribes", []groupPart{members(member("a", owns("t", 0, 1))), commits(on("u", 5))}, counts{1, 0, true}},
		{"a commit where there is no partition", []groupPart{members(member("a", owns("t", 0, 1))), commits(on("t", 1, 1, 1))}, counts{0, 0, true}},
		{"more members than partitions", []groupPart{members(member("a", owns("t", 0)), member("b", owns("t", 1)), member("c")), commits(on("u", 5))}, counts{1, 1, true}},
		{"range keeps as many busy as the largest topic has partitions", []groupPart{assigning("range"), members(member("a", owns("t", 0), owns("u", 0)), member("b", owns("t", 1), owns("u")), member("c", owns("t"), owns("u")))}, counts{0, 1, true}},
		{"others one for each partition", []groupPart{assigning("uniform"), members(member("a", owns("t", 0), owns("u")), member("b", owns("t", 1), owns("u")), member("c", owns("t"), owns("u", 0)))}, counts{0, 0, true}},
		{"in a share group any number of members", []groupPart{members(member("a", owns("u", 0)), member("b", owns("u", 0))),
			typed(snapshot.TypeShare, snapshot.StateStable)}, counts{0, 0, true}},
		{"rebalancing", []groupPart{rebalancing(member("a"), member("b"))}, counts{}},
		{"members unknown", nil, counts{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parts := append([]groupPart{commits()}, tt.parts...)
			g := newStory().poll(0, append(log, groupOf("g", parts...))...).Groups[0]
			unowned, ok := g.Unowned()
			surplus, okToo := g.Surplus()
			if got := (counts{unowned, surplus, ok}); ok != okToo || got != tt.want {
				t.Errorf("%+v, %v; want %+v", got, okToo, tt.want)
			}
		})
	}
}

// After a group was made one of another protocol, the number of the one before was
// shown as the new one's.
func TestGenerationOfAnotherType(t *testing.T) {
	w := newStory()
	consumer := typed(snapshot.TypeConsumer, snapshot.StateStable)
	w.poll(0, groupOf("g", members(member("a"), member("b")), consumer, numbered(7)))
	v := w.poll(10, groupOf("g", members(member("a"))))
	shows(t, v, map[string]float64{"group_generation g": absent, "group_rebalances_total g generation": 0})
	v = w.poll(20, groupOf("g", members(member("a"), member("c")), numbered(10)))
	shows(t, v, map[string]float64{"group_generation g": 10, "group_rebalances_total g generation": 3, "group_rebalances_total g observed": 0})
	v = w.poll(30, groupOf("g", members(member("a"), member("c")), consumer, numbered(11)))
	shows(t, v, map[string]float64{"group_generation g": 11, "group_rebalances_total g epoch": 1, "group_rebalances_total g generation": 3})
}
