package collector

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// stage is one poll of a story and what is known after it.
type stage struct {
	sec   float64
	parts []part // nil: the poll fails
	want  string
}

type staleCase struct {
	name, wrong string
	stages      []stage
}

func runStages(t *testing.T, cases []staleCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newStory()
			for _, s := range c.stages {
				if s.parts == nil {
					w.fail(s.sec)
				} else {
					w.poll(s.sec, s.parts...)
				}
				if diff := cmp.Diff(s.want, tell(w.v)); diff != "" {
					t.Errorf("after the poll at %v s: %s (-want +got):\n%s", s.sec, c.wrong, diff)
				}
			}
		})
	}
}

func parts(p ...part) []part { return p }

// What cannot be renewed keeps its last pair for 30 s, and the group is
// incomplete from the first miss.
func TestPartsThatCannotBeRead(t *testing.T) {
	log0 := logOf("orders", 1, ends(0, 100), ends(0, 100))
	noLeader := logOf("orders", 1, ends(0, 110), leaderless())
	group := groupOf("g", members(), commits(on("orders", 90, 80)))
	later := groupOf("g", members(), commits(on("orders", 95, 85)))
	runStages(t, []staleCase{
		{"partition without a leader (fault 12)", "old lag would be shown as fresh, or for ever; or a known commit hidden", []stage{
			{0, parts(log0, group), lines("g complete lag=30", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 committed commit=80 lag=20 lost=0")},
			{10, parts(noLeader, later), lines("g incomplete lag=35", "  orders/0 committed commit=95 lag=15 lost=0", "  orders/1 committed commit=85 lag=20 lost=0 old")},
			{20, parts(noLeader, later), lines("g incomplete lag=35", "  orders/0 committed commit=95 lag=15 lost=0", "  orders/1 committed commit=85 lag=20 lost=0 old")},
			{30, parts(noLeader, later), lines("g incomplete lag=15", "  orders/0 committed commit=95 lag=15 lost=0", "  orders/1 unread commit=85 old")},
			{40, parts(noLeader, later), lines("g incomplete lag=15", "  orders/0 committed commit=95 lag=15 lost=0", "  orders/1 unread commit=85 old")},
			{50, parts(log0, later), lines("g complete lag=20", "  orders/0 committed commit=95 lag=5 lost=0", "  orders/1 committed commit=85 lag=15 lost=0")},
		}},
		{"commits that cannot be read", "a group would lose its lag at once, or keep it for ever", []stage{
			{0, parts(log0, group), lines("g complete lag=30", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 committed commit=80 lag=20 lost=0")},
			{10, parts(log0, groupOf("g", members())), lines("g incomplete lag=30", "  orders/0 committed commit=90 lag=10 lost=0 old", "  orders/1 committed commit=80 lag=20 lost=0 old")},
			{30, parts(log0, groupOf("g", members())), lines("g incomplete", "  orders/0 unread old", "  orders/1 unread old")},
			{40, parts(log0, later), lines("g complete lag=20", "  orders/0 committed commit=95 lag=5 lost=0", "  orders/1 committed commit=85 lag=15 lost=0")},
		}},
		{"one commit that cannot be read", "an error would look like a position that is gone", []stage{
			{0, parts(log0, group), lines("g complete lag=30", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 committed commit=80 lag=20 lost=0")},
			{10, parts(log0, groupOf("g", members(), commits(on("orders", 95, unread)))), lines("g incomplete lag=25", "  orders/0 committed commit=95 lag=5 lost=0", "  orders/1 committed commit=80 lag=20 lost=0 old")},
			{30, parts(log0, groupOf("g", members(), commits(on("orders", 95, unread)))), lines("g incomplete lag=5", "  orders/0 committed commit=95 lag=5 lost=0", "  orders/1 unread old")},
		}},
		{"topic that cannot be read", "a topic that turned unreadable would look deleted", []stage{
			{0, parts(log0, group), lines("g complete lag=30", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 committed commit=80 lag=20 lost=0")},
			{10, parts(logOf("orders", 1), later), lines("g incomplete lag=30", "  orders/0 committed commit=95 lag=10 lost=0 old", "  orders/1 committed commit=85 lag=20 lost=0 old")},
			{30, parts(logOf("orders", 1), later), lines("g incomplete", "  orders/0 unread commit=95 old", "  orders/1 unread commit=85 old")},
		}},
		{"group that nobody tells of", "the group would vanish with its coordinator, or stay as it was for ever", []stage{
			{0, parts(log0, group), lines("g complete lag=30", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 committed commit=80 lag=20 lost=0")},
			{10, parts(log0, groupOf("g", nothingKnown())), lines("g incomplete lag=30", "  orders/0 committed commit=90 lag=10 lost=0 old", "  orders/1 committed commit=80 lag=20 lost=0 old")},
			{30, parts(log0, groupOf("g", nothingKnown())), lines("g incomplete", "  orders/0 unread old", "  orders/1 unread old")},
		}},
		{"the position is gone", "a deleted position would go on as lag", []stage{
			{0, parts(log0, group), lines("g complete lag=30", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 committed commit=80 lag=20 lost=0")},
			{10, parts(log0, groupOf("g", members(), commits(on("orders", 90)))), lines("g complete lag=10", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 uncommitted available=100")},
			{20, parts(log0, groupOf("g", members(), commits())), lines("g complete")},
		}},
		{"uncommitted partition without a leader", "what there is to read would vanish at the first miss, or an unread log count as renewed", []stage{
			{0, parts(log0, groupOf("g", members(), commits(on("orders", 90)))), lines("g complete lag=10", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 uncommitted available=100")},
			{10, parts(noLeader, groupOf("g", members(), commits(on("orders", 90)))), lines("g incomplete lag=20", "  orders/0 committed commit=90 lag=20 lost=0", "  orders/1 uncommitted available=100 old")},
			{30, parts(noLeader, groupOf("g", members(), commits(on("orders", 90)))), lines("g incomplete lag=20", "  orders/0 committed commit=90 lag=20 lost=0", "  orders/1 uncommitted old")},
		}},
		{"a first commit while there is no leader", "a pair would say that nothing is committed beside its commit", []stage{
			{0, parts(log0, groupOf("g", members(), commits(on("orders", 90)))), lines("g complete lag=10", "  orders/0 committed commit=90 lag=10 lost=0", "  orders/1 uncommitted available=100")},
			{10, parts(noLeader, group), lines("g incomplete lag=20", "  orders/0 committed commit=90 lag=20 lost=0", "  orders/1 unread commit=80 old")},
		}},
	})
}

func TestFailedPolls(t *testing.T) {
	log0 := logOf("orders", 1, ends(0, 100), leaderless())
	group := groupOf("g", members(member("m", owns("orders", 0))), commits(on("orders", 90, 80)))
	fresh := lines("g complete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m")
	runStages(t, []staleCase{
		{"an outage and its end (fault 14)", "old lag would pass for fresh; or not go, or not come back", []stage{
			{0, parts(logOf("orders", 1, ends(0, 100)), groupOf("g", members(member("m", owns("orders", 0))), commits(on("orders", 90)))), fresh},
			{10, nil, lines("g incomplete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m old")},
			{29.5, nil, lines("g incomplete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m old")},
			{30, nil, lines("g incomplete", "  orders/0 unread old")},
			{300, nil, lines("g incomplete", "  orders/0 unread old")},
			{310, parts(logOf("orders", 1, ends(0, 100)), groupOf("g", members(member("m", owns("orders", 0))), commits(on("orders", 90)))), fresh},
		}},
		{"a commit whose end was never read", "a commit would be shown for the whole outage, as if it were new", []stage{
			{0, parts(log0, group), lines("g incomplete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m", "  orders/1 unread commit=80 old")},
			{10, nil, lines("g incomplete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m old", "  orders/1 unread commit=80 old")},
			{40, nil, lines("g incomplete", "  orders/0 unread old", "  orders/1 unread old")},
		}},
		{"a commit that then cannot be read", "the same while only that group's commits are refused", []stage{
			{0, parts(log0, group), lines("g incomplete lag=10", "  orders/0 committed commit=90 lag=10 lost=0 owner=m", "  orders/1 unread commit=80 old")},
			{40, parts(log0, groupOf("g", members())), lines("g incomplete", "  orders/0 unread old", "  orders/1 unread old")},
		}},
		{"from the start", "groups would be made up", []stage{{0, nil, ""}, {10, nil, ""}}},
	})
}

// The view's own fields in an outage: up falls at once, ages grow, what is of
// the log goes after stale_after, what is known for good stays.
func TestOutage(t *testing.T) {
	w := newStory()
	w.poll(0, logOf("orders", 1, ends(5, 100)),
		func(s *snapshot.Snapshot) {
			s.Brokers = []snapshot.Broker{{ID: 1, Addr: "a:9092", Answered: snapshot.Known(true)}}
		},
		groupOf("g", members(member("m", owns("orders", 0))), commits(on("orders", 90)),
			change(func(g *snapshot.Group) { g.Generation = snapshot.Known(int32(7)) })))
	before := w.fail(10)
	after := w.fail(40)

	if before.Up || before.Err == "" || !before.LastSuccess.Equal(tenths(at(0), 3)) || before.ClusterID != "kraft-1" {
		t.Errorf("a failed poll left up %v, err %q, last success %v, cluster id %q", before.Up, before.Err, before.LastSuccess, before.ClusterID)
	}
	gone := map[string]bool{}
	now := published(after)
	for series := range published(before) {
		if _, ok := now[series]; !ok && !strings.HasPrefix(series, "group_condition ") {
			gone[series] = true
		}
	}
	want := map[string]bool{
		"partition_start_offset orders 0": true, "partition_end_offset orders 0": true, "topic_partitions orders": true,
		"group_partition_lag g orders 0": true, "group_partition_committed_offset g orders 0": true,
		"group_partition_owner g orders 0 app 10.0.0.7": true, "group_topic_lag g orders": true, "group_lag g": true, "group_unread_age_seconds g": true,
		"group_members g": true, "group_idle_members g": true, "group_coordinator g": true, "group_generation g": true,
		"group_state g empty": true, "group_state g stable": true, "group_state g dead": true,
		"group_state g preparing_rebalance": true, "group_state g completing_rebalance": true,
	}
	delete(gone, "group_coordinator g") // at the first miss or after stale_after
	delete(want, "group_coordinator g")
	if diff := cmp.Diff(want, gone); diff != "" {
		t.Errorf("series gone after stale_after (-want +got):\n%s", diff)
	}
	if _, ok := now["group_coordinator g"]; ok {
		t.Error("group_coordinator is shown though no broker has said so for stale_after")
	}
	var conditions []string
	for series := range now {
		if strings.HasPrefix(series, "group_condition ") {
			conditions = append(conditions, series)
		}
	}
	if len(conditions) > 0 {
		t.Errorf("conditions after stale_after: %q", conditions)
	}
	for series, want := range map[string]float64{
		"up ": 0, "broker_up 1": 0, "group_complete g": 0, "group_read_age_seconds g": 40,
		"polls_total failed": 2, "polls_total complete": 1, "group_lag_objective_seconds g": testObjective.Seconds(),
		"topic_recreated_total orders": 0, "group_info g classic consumer": 1,
	} {
		if got, ok := now[series]; !ok || got != want {
			t.Errorf("%s = %v, %v; want %v", series, got, ok, want)
		}
	}
}

// A process that was itself stopped for a while, as with its machine, served
// what it knew before as the state of now.
func TestViewThatNoPollRenewed(t *testing.T) {
	w := newStory()
	v := w.poll(0, logOf("orders", 1, ends(5, 100)), groupOf("g", members(member("m", owns("orders", 0))), commits(on("orders", 90))))
	if same := shownAt(v, v.Built.Add(testStale), w.rules); same != v {
		t.Error("a view that is exactly stale_after old is changed")
	}
	old := published(shownAt(v, v.Built.Add(testStale+time.Nanosecond), w.rules))
	for _, series := range []string{"group_partition_lag g orders 0", "group_lag g", "group_members g", "partition_end_offset orders 0"} {
		if _, ok := old[series]; ok {
			t.Errorf("%s is still shown", series)
		}
	}
	for _, series := range []string{"up ", "group_complete g"} {
		if value, ok := old[series]; !ok || value != 0 {
			t.Errorf("%s = %v, %v; want 0", series, value, ok)
		}
	}
	if before := published(v); before["up "] != 1 || before["group_lag g"] != 10 {
		t.Error("the view itself was changed")
	}
}

// A value that is exactly stale_after old is shown; a nanosecond later it is
// not. Each kind of reading counts from its own time.
func TestStaleBoundary(t *testing.T) {
	readings := map[string]time.Time{
		"group_partition_lag g orders 0": tenths(at(0), 2), "partition_end_offset orders 0": tenths(at(0), 2),
		"group_members g": at(0), "group_topic_uncommitted_offsets g orders": tenths(at(0), 1),
		"topic_partitions orders": tenths(at(0), 3),
	}
	for series, read := range readings {
		for late, want := range map[time.Duration]bool{0: true, 1: false} {
			w := newStory()
			w.poll(0, logOf("orders", 1, ends(5, 100), ends(0, 10)), groupOf("g", members(), commits(on("orders", 90))))
			s := &snapshot.Snapshot{}
			v := assemble(w.v, s, errTest, read.Add(testStale+late), w.rules)
			if _, got := published(v)[series]; got != want {
				t.Errorf("%s, %v older than stale_after: shown %v, want %v", series, late, got, want)
			}
		}
	}
}

// A state that only a listing tells (of share groups, say) goes like all else
// when nobody tells it any more.
func TestStateWithoutMembers(t *testing.T) {
	listed := groupOf("g", change(func(g *snapshot.Group) { g.Type = snapshot.TypeShare }))
	silent := groupOf("g", nothingKnown(), change(func(g *snapshot.Group) { g.Type = snapshot.TypeShare }))
	t.Run("failed polls", func(t *testing.T) {
		w := newStory()
		w.poll(0, listed)
		if v := w.fail(10); v.Groups[0].State != snapshot.StateStable {
			t.Error("the state went at the first miss")
		}
		if v := w.fail(60); v.Groups[0].State != snapshot.StateUnknown {
			t.Error("the state of a minute ago is shown as the state now")
		}
	})
	t.Run("silent coordinator", func(t *testing.T) {
		w := newStory()
		w.poll(0, listed)
		if v := w.poll(60, silent); v.Groups[0].State != snapshot.StateUnknown {
			t.Error("the state of a minute ago is shown as the state now")
		}
	})
	t.Run("members too old", func(t *testing.T) {
		w := newStory()
		w.poll(0, groupOf("g", members(), commits()))
		if v := w.poll(60, groupOf("g")); v.Groups[0].State != snapshot.StateStable {
			t.Error("the state that this poll listed is hidden because members were not read for long")
		}
	})
}

// Groups and topics that a good poll does not list are gone at once (fault 8);
// a failed poll lists nothing and removes nothing.
func TestGone(t *testing.T) {
	w := newStory()
	all := parts(logOf("orders", 1, ends(0, 9)), groupOf("a", members(), commits(on("orders", 1))), groupOf("b", members(), commits(on("orders", 2))))
	w.poll(0, all...)
	if v := w.fail(10); len(v.Groups) != 2 || len(v.Topics) != 1 {
		t.Fatal("a failed poll removed something")
	}
	v := w.poll(20, groupOf("b", members(), commits(on("orders", 2))))
	if diff := cmp.Diff(lines("b complete", "  orders/0 no_partition commit=2"), tell(v)); diff != "" {
		t.Errorf("group and topic deleted (-want +got):\n%s", diff)
	}
	for series := range published(v) {
		if strings.Contains(series, " a ") || strings.HasPrefix(series, "topic_") || strings.HasPrefix(series, "partition_") {
			t.Errorf("%s outlived what it is of", series)
		}
	}
}
