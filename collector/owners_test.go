package collector

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// While a group rebalances its last known owners stand, for stale_after at
// most.
func TestOwners(t *testing.T) {
	logs := logOf("t", 1, ends(0, 10), ends(0, 10))
	did := commits(on("t", 5, 5))
	pairs := func(header, a, b string) string {
		return lines(header, "  t/0 committed commit=5 lag=5 lost=0"+a, "  t/1 committed commit=5 lag=5 lost=0"+b)
	}
	start := stage{0, parts(logs, groupOf("g", members(member("m1", owns("t", 0)), member("m2", owns("t", 1))), did)),
		pairs("g complete lag=10", " owner=m1", " owner=m2")}
	moving := groupOf("g", rebalancing(snapshot.Member{ID: "m1"}), did)
	stands := pairs("g complete lag=10", " owner=m1", " owner=m2")
	runStages(t, []staleCase{
		{"rebalance", "owners would flicker at every rebalance, or stand for ever", []stage{
			start,
			{10, parts(logs, moving), stands},
			{20, parts(logs, moving), stands},
			{30.1, parts(logs, moving), pairs("g complete lag=10", "", "")},
			{40, parts(logs, groupOf("g", members(member("m3", owns("t", 0, 1))), did)), pairs("g complete lag=10", " owner=m3", " owner=m3")},
		}},
		{"not described", "owners would go at the first refusal, or stand for ever", []stage{
			start,
			{10, parts(logs, groupOf("g", did)), pairs("g incomplete lag=10", " owner=m1", " owner=m2")},
			{30.1, parts(logs, groupOf("g", did)), pairs("g incomplete lag=10", "", "")},
		}},
		{"new member ids (fault 9)", "a partition would have two owners, or its lag a gap", []stage{
			start,
			{10, parts(logs, groupOf("g", members(member("m3", owns("t", 0)), member("m4", owns("t", 1))), did)),
				pairs("g complete lag=10", " owner=m3", " owner=m4")},
		}},
		{"one member leaves (fault 6)", "partitions would stay with a member that left", []stage{
			start,
			{10, parts(logs, groupOf("g", members(member("m1", owns("t", 0))), did)), pairs("g complete lag=10", " owner=m1", "")},
			{20, parts(logs, groupOf("g", members(), did)), pairs("g complete lag=10", "", "")},
		}},
		{"rebalance, then an outage", "owners of 50 s ago would be shown because the lag beside them is younger", []stage{
			start,
			{25, parts(logs, moving), stands},
			{50, nil, lines("g incomplete lag=10", "  t/0 committed commit=5 lag=5 lost=0 old", "  t/1 committed commit=5 lag=5 lost=0 old")},
		}},
		{"no leader, then an outage", "owners that were read 20 s ago would go with a lag that is older", []stage{
			start,
			{20, parts(logOf("t", 1, ends(0, 10), leaderless()), groupOf("g", members(member("m1", owns("t", 0, 1))), did)),
				lines("g incomplete lag=10", "  t/0 committed commit=5 lag=5 lost=0 owner=m1", "  t/1 committed commit=5 lag=5 lost=0 owner=m1 old")},
			{40, nil, lines("g incomplete lag=5", "  t/0 committed commit=5 lag=5 lost=0 owner=m1 old", "  t/1 unread owner=m1 old")},
		}},
		{"assignments that mean nothing", "an assignment would be believed that the snapshot says not to believe", []stage{
			{0, parts(logs, groupOf("g", rebalancing(member("m1", owns("t", 0))), did)), pairs("g complete lag=10", "", "")},
		}},
	})
}

// What a group owns and has not committed on stays through a rebalance too,
// when its members tell neither subscriptions nor assignments.
func TestUncommittedThroughRebalance(t *testing.T) {
	logs := logOf("t", 1, ends(0, 10))
	want := lines("g complete", "  t/0 uncommitted available=10 owner=m")
	runStages(t, []staleCase{{"rebalance", "a topic without commits would vanish at every rebalance", []stage{
		{0, parts(logs, groupOf("g", members(member("m", owns("t", 0))), commits())), want},
		{10, parts(logs, groupOf("g", rebalancing(snapshot.Member{ID: "m"}), commits())), want},
		{20, parts(logs, groupOf("g", members(member("m", owns("t", 0))), commits())), want},
	}}})
}

// An owner's fields come from its own member.
func TestOwnerFields(t *testing.T) {
	m := snapshot.Member{ID: "m", InstanceID: "i", ClientID: "c", Host: "h", Rack: "r", Assignment: []snapshot.TopicPartitions{owns("t", 0)}}
	v := newStory().poll(0, logOf("t", 1, ends(0, 1)), groupOf("g", members(m), commits()))
	want := []*Owner{{MemberID: "m", InstanceID: "i", ClientID: "c", Host: "h"}}
	if diff := cmp.Diff(want, ownersOf(theGroup(t, v, "g"), 0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// groupFacts are the group's own fields.
type groupFacts struct {
	Type                 snapshot.GroupType
	State                snapshot.GroupState
	Protocol, Assignor   string
	Generation, Members  int
	Idle                 int
	Coordinator          int32
	OwnersKnownAt, Since float64 // seconds; -1 never
}

func factsOfGroup(g *Group) groupFacts {
	f := groupFacts{
		Type: g.Type, State: g.State, Protocol: g.ProtocolType, Assignor: g.Assignor,
		Generation: int(g.Generation.Or(-1)), Members: -1, Idle: -1, Coordinator: g.Coordinator.Or(-1),
		OwnersKnownAt: -1, Since: -1,
	}
	if m, ok := g.Members.Get(); ok {
		f.Members = len(m.List)
		if n, ok := m.Idle(); ok {
			f.Idle = n
		}
	}
	if !g.OwnersAt.IsZero() {
		f.OwnersKnownAt = g.OwnersAt.Sub(epoch).Seconds()
	}
	if !g.ReadAt.IsZero() {
		f.Since = g.ReadAt.Sub(epoch).Seconds()
	}
	return f
}

// A group's own fields: what a poll does not tell stands as the last one told
// it, and its members go when they are too old.
func TestGroupFields(t *testing.T) {
	w := newStory()
	set := func(generation int32, assignor string) groupPart {
		return change(func(g *snapshot.Group) { g.Generation, g.Assignor = snapshot.Known(generation), assignor })
	}
	two := members(member("m1", owns("t", 0)), member("m2"))
	for _, s := range []struct {
		what string
		sec  float64
		part part
		want groupFacts
	}{
		{"stable", 0, groupOf("g", two, commits(), set(7, "range")),
			groupFacts{snapshot.TypeClassic, snapshot.StateStable, "consumer", "range", 7, 2, 1, 1, 0, 0.3}},
		{"rebalancing: the generation stands", 10, groupOf("g", rebalancing(snapshot.Member{ID: "m1"}), commits()),
			groupFacts{snapshot.TypeClassic, snapshot.StatePreparingRebalance, "consumer", "range", 7, 1, -1, 1, 0, 10.3}},
		{"stable again", 20, groupOf("g", two, commits(), set(8, "sticky")),
			groupFacts{snapshot.TypeClassic, snapshot.StateStable, "consumer", "sticky", 8, 2, 1, 1, 20, 20.3}},
		{"silent: only the coordinator is unknown at once", 30, groupOf("g", nothingKnown(), change(func(g *snapshot.Group) {
			g.Type, g.ProtocolType = snapshot.TypeUnknown, ""
		})), groupFacts{snapshot.TypeClassic, snapshot.StateStable, "consumer", "sticky", 8, 2, 1, -1, 20, 20.3}},
		{"silent for too long", 60, groupOf("g", nothingKnown()),
			groupFacts{snapshot.TypeClassic, snapshot.StateUnknown, "consumer", "sticky", -1, -1, -1, -1, 20, 20.3}},
		{"back, as a group of the new protocol", 70, groupOf("g", members(), commits(), change(func(g *snapshot.Group) {
			g.Type, g.State, g.Generation = snapshot.TypeConsumer, snapshot.StateEmpty, snapshot.Known(int32(2))
		})), groupFacts{snapshot.TypeConsumer, snapshot.StateEmpty, "consumer", "sticky", 2, 0, 0, 1, 70, 70.3}},
	} {
		v := w.poll(s.sec, logOf("t", 1, ends(0, 1)), s.part)
		if diff := cmp.Diff(s.want, factsOfGroup(theGroup(t, v, "g"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.what, diff)
		}
	}
}

// A group that is deleted and used again begins afresh.
func TestGroupReturns(t *testing.T) {
	w := newStory()
	w.poll(0, groupOf("g", members(), commits(), change(func(g *snapshot.Group) { g.Generation = snapshot.Known(int32(7)) })))
	w.poll(10)
	g := theGroup(t, w.poll(20, groupOf("g")), "g")
	if g.Generation.Known() || !g.ReadAt.IsZero() || g.Members.Known() {
		t.Errorf("the new group has the past of the old one: %+v", factsOfGroup(g))
	}
}

// ownersOf are the owners of a pair of the group's first topic.
func ownersOf(g *Group, pair int) []*Owner { return g.Owners(&g.Topics[0].Pairs[pair]) }

// A member says what it wants of its assignment. One that named a partition
// 8,000 times took 260 MiB for good.
func TestPartitionNamedOften(t *testing.T) {
	many := make([]int32, 100_000)
	v := newStory().poll(0, logOf("t", 1, ends(0, 10)), groupOf("g", members(member("m", owns("t", many...)), member("n", owns("t", 0, 0))), commits(on("t", 4))))
	g := theGroup(t, v, "g")
	if got := ownersOf(g, 0); len(got) != 2 || got[0].MemberID != "m" || got[1].MemberID != "n" {
		t.Errorf("%d owners", len(got))
	}
	if n := len(g.owned.lists); n != 4 { // nobody, m, n, both
		t.Errorf("%d lists of owners", n)
	}
}

// Partitions with the same owners share a list of them: a share group of many
// members took the square of that for each partition.
func TestOwnersShareLists(t *testing.T) {
	var list []snapshot.Member
	for _, id := range []string{"a", "b", "c", "d"} {
		list = append(list, member(id, owns("t", 0, 1, 2, 3, 4)))
	}
	o := newOwners(nobody, snapshot.Members{Assigned: true, List: list})
	if n := len(o.lists); n != 1+4+1 {
		t.Errorf("%d lists", n)
	}
	for _, p := range o.partitions("t") {
		if of := o.lists[p.owners]; len(of) != 4 || of[0].MemberID != "a" || of[3].MemberID != "d" {
			t.Errorf("partition %d has %d owners", p.partition, len(of))
		}
	}
}
