package ownership

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// What is counted of each story, in all.
func TestTotals(t *testing.T) {
	for _, tt := range []struct {
		name  string
		polls []string
		want  string
	}{
		// The number.
		{"the first sight counts nothing", []string{"classic stable #7 a:t0"}, ""},
		{"the difference counts", []string{"consumer stable #3 a:t0", "consumer stable #5 a:t0"}, "epoch 2"},
		{"of classic groups as well", []string{"classic stable #3 a:t0 b", "classic stable #4 a:t0 b"}, "generation 1"},
		{"of share groups", []string{"share stable #3 a:t0", "share stable #4 a:t0"}, "epoch 1"},
		{"of streams groups", []string{"streams stable #3 a:t0", "streams stable #9 a:t0"}, "epoch 6"},
		{"of groups of brokers that tell no type", []string{"? stable #3 a:t0", "? stable #4 a:t0"}, "generation 1"},
		{"a type that is told later", []string{"? stable #3 a:t0", "classic stable #4 a:t0"}, "generation 1"},
		{"a group that is made anew begins anew", []string{"consumer stable #30 a:t0", "consumer stable #1 a:t0", "consumer stable #2 a:t0"}, "epoch 1"},
		{"a classic one too, whatever its members do", []string{"classic stable #30 a:t0 b", "classic stable #1 c:t0 d", "classic stable #2 c:t0 d"}, "generation 1, moved 1"},
		{"rounds that were missed", []string{"consumer stable #3 a:t0", "consumer unknown ?", "+300 consumer stable #9 a:t0"}, "epoch 6"},
		{"what a coordinator that moves does not tell", []string{"classic stable #3 a:t0", "classic unknown ?", "classic stable ?", "classic stable #3 a:t0"}, ""},
		{"a generation that is not shown is waited for", []string{"classic stable #3 a:t0", "classic preparing ! a b", "classic completing ! a b", "classic stable #5 a:t0 b"},
			"generation 2, unstable 20s"},
		{"and does not count what was seen meanwhile", []string{"classic stable #3 a:t0 b:t1", "classic stable a:t0 c:t1", "classic stable #6 a:t0 b:t1"}, "generation 3, moved 2"},
		{"an empty group tells none, and is waited for", []string{"classic stable #3 a:t0 b", "classic empty", "classic stable c:t0", "classic stable #6 c:t0 d"}, "generation 3, moved 1"},
		{"static members that restart tell none for a while", []string{"classic stable #3 a/one:t0", "classic stable b/one:t0", "classic stable b/one:t0"}, ""},
		{"clients that never tell one take over", []string{"classic stable #3 a:t0 b", "classic stable c:t0 b", "classic stable c:t0 d", "classic stable c:t0 e"}, "observed 3, moved 1"},
		{"and hand back", []string{"classic stable #3 a:t0 b", "classic stable c:t0 b", "classic stable c:t0 d", "classic stable #6 c:t0 e"}, "generation 1, observed 2, moved 1"},
		{"a round does not count twice", []string{"classic stable #3 a:t0", "classic stable b:t0", "classic stable c:t0", "classic stable d:t0", "classic stable #9 d:t0 e"}, "generation 3, observed 3, moved 3"},
		{"what was waited for and does not go on", []string{"classic stable #30 a:t0 b", "classic stable c:t0 b", "classic stable #2 c:t0 b", "classic stable #3 c:t0 b"}, "generation 1, observed 1, moved 1"},
		{"the first number counts what was seen before it", []string{"classic stable a:t0,t1", "classic preparing ! a b", "classic stable #2 a:t0 b:t1"}, "observed 1, moved 1, unstable 10s"},
		{"the greatest number", []string{"consumer stable #0", "consumer stable #2147483647"}, "epoch 2147483647"},

		// A group that changes its protocol.
		{"classic to consumer goes on", []string{"classic stable #7 a:t0 b:t1", "consumer reconciling #8 a:t0 b c:t1", "consumer stable #8 a:t0 b c:t1"}, "epoch 1, moved 1, unstable 10s"},
		{"and with a poll that asks the old type", []string{"classic stable #7 a:t0 b:t1", "classic stable ?", "consumer stable #8 a:t0 c:t1"}, "epoch 1, moved 1"},
		{"consumer to classic, of which members tell no number at first", []string{"consumer stable #7 a:t0 b:t1 c", "classic stable a:t0,t1", "classic preparing ! a d", "classic stable #10 a:t0 d:t1"},
			"generation 3, moved 2, unstable 10s"},
		{"to and fro", []string{"classic stable #7 a:t0", "consumer stable #8 a:t0", "classic stable #10 a:t0"}, "generation 2, epoch 1"},
		{"another number", []string{"classic stable #7 a:t0", "consumer stable #1 b:t0", "consumer stable #2 b:t0"}, "epoch 1, moved 1"},
		{"another greater number, of a group that nobody stayed in", []string{"classic stable #7 a:t0", "consumer stable #90 b:t0"}, "moved 1"},
		{"that was empty in between", []string{"classic stable #7 a:t0", "classic empty", "consumer stable #90 a:t0"}, ""},
		{"of which members are not known", []string{"classic stable #7 a:t0", "consumer stable #90 ?"}, ""},
		{"share groups take over nothing", []string{"consumer stable #7 a:t0", "share stable #90 a:t0"}, ""},
		{"nor do streams groups", []string{"classic stable #7 a:t0", "streams stable #90 a:t0"}, ""},
		{"one that showed no number", []string{"classic stable a:t0", "consumer stable #90 a:t0 b", "consumer stable #91 a:t0 b"}, "epoch 1"},

		// What members and state tell.
		{"a member that joins", []string{"classic stable a:t0", "classic stable a:t0 b"}, "observed 1"},
		{"a member that leaves", []string{"classic stable a:t0 b", "classic stable a:t0"}, "observed 1"},
		{"the last one that leaves", []string{"classic stable a:t0", "classic empty", "classic empty"}, "observed 1"},
		{"another assignment", []string{"classic stable a:t0,t1 b", "classic stable a:t0 b:t1"}, "observed 1, moved 1"},
		{"a partition less", []string{"classic stable a:t0,t1", "classic stable a:t0"}, "observed 1"},
		{"a rebalance that changes nothing", []string{"classic stable a:t0", "classic completing ! a", "classic stable a:t0"}, "observed 1, unstable 10s"},
		{"a long one is one", []string{"classic stable a:t0", "classic preparing ! a b", "classic completing ! a b", "classic preparing ! a b c", "classic stable a:t0 b c"}, "observed 1, unstable 30s"},
		{"nothing changes", []string{"classic stable a:t0 b:t1", "classic stable a:t0 b:t1", "classic stable ?", "classic stable a:t0 b:t1"}, ""},
		{"one that was under way at the first sight", []string{"classic preparing ! a", "classic completing ! a", "classic stable a:t0"}, "unstable 20s"},
		{"members of another protocol, whose assignments nobody can read", []string{"classic stable ! a", "classic stable ! a b", "classic stable ! a b"}, "observed 1"},
		{"a static member that is back", []string{"classic stable a/one:t0 b/two:t1", "classic stable c/one:t0 b/two:t1"}, ""},
		{"a group of the consumer protocol tells all by its epoch", []string{"consumer stable #3 a:t0", "consumer stable #3 a:t0 b", "consumer stable a:t0 c"}, ""},

		// Moved partitions.
		{"first owners", []string{"consumer stable #3", "consumer stable #3 a:t0,t1"}, ""},
		{"an owner after another", []string{"consumer stable #3 a:t0,t1", "consumer stable #3 b:t0,t1"}, "moved 2"},
		{"nobody in between", []string{"consumer stable #3 a:t0,t1", "consumer stable #3 a:t0", "consumer stable #3 a:t0 b:t1"}, "moved 1"},
		{"nobody, and back", []string{"consumer stable #3 a:t0,t1", "consumer empty #4", "consumer stable #4 a:t0,t1"}, "epoch 1"},
		{"there and back", []string{"consumer stable #3 a:t0 b", "consumer stable #3 a b:t0", "consumer stable #3 a:t0 b"}, "moved 2"},
		{"assignments that are not known are not compared", []string{"consumer stable #3 a:t0", "consumer stable #3 ! a b", "consumer stable #3 a:t0 b"}, ""},
		{"while it reconciles", []string{"consumer stable #3 a:t0,t1", "consumer reconciling #3 a:t0 b", "consumer stable #3 a:t0 b:t1"}, "moved 1, unstable 10s"},
		{"a static member", []string{"consumer stable #3 a/one:t0", "consumer stable #3 b/one:t0"}, ""},
		{"an instance named like a member", []string{"consumer stable #3 a:t0", "consumer stable #3 b/a:t0"}, "moved 1"},
		{"partitions of the same number of two topics", []string{"consumer stable #3 a:t0 b:u0", "consumer stable #3 a:u0 b:t0"}, "moved 2"},
		{"more partitions", []string{"consumer stable #3 a:t0 b:t1", "consumer stable #3 a:t0,t2 b:t1,t3", "consumer stable #3 a:t0 b:t1,t2,t3"}, "moved 1"},
		{"a partition in front of those that are known", []string{"consumer stable #3 a:t2", "consumer stable #3 a:t0 b:t2", "consumer stable #3 b:t0,t2"}, "moved 2"},
		{"another set of owners in a share group", []string{"share stable #3 a:t0 b:t0", "share stable #3 a:t0 c:t0", "share stable #3 c:t0 a:t0", "share stable #3 a:t0"}, "moved 2"},
		{"a partition that a member names twice", []string{"share stable #3 a:t0,t0", "share stable #3 a:t0"}, ""},
		{"last owners count for a day", []string{"consumer stable #3 a:t0 b:u0", "consumer stable #3 a:t0", "+80000 consumer stable #3 a:t1", "consumer stable #3 c:u0"}, "moved 1"},
		{"and not for longer", []string{"consumer stable #3 a:t0 b:u0", "consumer stable #3 a:t0", "+90000 consumer stable #3 a:t1", "consumer stable #3 c:u0"}, ""},
		{"however long they have owned it", []string{"consumer stable #3 a:t0", "+900000 consumer stable #3", "consumer stable #3 b:t0"}, "moved 1"},

		// Unstable time.
		{"each state", []string{"streams not_ready #1", "streams assigning #1", "streams reconciling #1", "streams stable #1", "streams stable #1"}, "unstable 30s"},
		{"from the poll that saw it", []string{"consumer stable #1", "consumer reconciling #1", "+7 consumer stable #1", "consumer stable #1"}, "unstable 7s"},
		{"over a poll that missed it", []string{"consumer reconciling #1", "consumer unknown ?", "consumer stable #1"}, "unstable 20s"},
		{"not over a long gap", []string{"consumer reconciling #1", "+31 consumer stable #1"}, ""},
		{"nor over one of polls that see no state", []string{"consumer reconciling #1", "+16 consumer unknown ?", "+16 consumer stable #1"}, ""},
		{"an empty group is none", []string{"classic empty", "classic empty"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tell(watch(tt.polls...).Totals())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The latest rounds say who came and went and what moved; what moves between two
// rounds is of the one before.
func TestLatest(t *testing.T) {
	r := watch(
		"consumer stable #3 a:t0,t1,t2",
		"consumer reconciling #4 a:t0,t1,t2 b",
		"consumer reconciling #4 a:t0,t1 b",
		"consumer stable #4 a:t0,t1 b:t2",
		"consumer stable #6 b:t2,t1 c:t0",
		"consumer unknown ?",
		"consumer stable #7 b:t2,t1 c:t0",
	)
	want := []string{"20 epoch 1 #4 moved 1 joined 1", "50 epoch 2 #6 moved 2 joined 1 left 1", "70 epoch 1 #7"}
	var got []string
	for _, round := range r.Latest() {
		got = append(got, tellRound(round))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A round is returned by the poll that saw it, and by no other.
func TestObserveReturnsTheRound(t *testing.T) {
	r := &Rounds{}
	var got []string
	for _, s := range told("classic stable a:t0", "classic preparing ! a b", "classic stable a b:t0", "classic stable a b:t0", "classic stable #5 a b:t0", "classic stable #6 b:t0") {
		if round, ok := r.Observe(s); ok {
			got = append(got, tellRound(round))
		} else if round != (Round{}) {
			t.Errorf("no round, and %+v", round)
		}
	}
	if diff := cmp.Diff([]string{"30 observed 1 moved 1 joined 1", "60 generation 1 #6 left 1"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The list holds twenty, and what was handed out never changes.
func TestLatestIsBounded(t *testing.T) {
	r := &Rounds{}
	var lists, copies [][]Round
	lines := []string{"consumer stable #1 a:t0 b"}
	for i := range 60 {
		owner := []string{"a:t0 b", "a b:t0"}[i%2]
		lines = append(lines, "consumer stable #"+string(rune('1'+i%9))+" "+owner)
	}
	for _, s := range told(lines...) {
		r.Observe(s)
		lists, copies = append(lists, r.Latest()), append(copies, append([]Round(nil), r.Latest()...))
	}
	for i := range lists {
		if !cmp.Equal(append([]Round(nil), lists[i]...), copies[i]) {
			t.Fatalf("list %d was changed after it was handed out", i)
		}
	}
	if n := len(r.Latest()); n != 20 {
		t.Errorf("%d rounds", n)
	}
	last, total := r.Latest()[19], r.Totals()
	if sum := total.Rebalances[Epoch]; last.At.Sub(begin) < 10*everyPoll || sum < 20 {
		t.Errorf("the last is %+v of %+v", last, total)
	}
}

// Members that are said to be unchanged are not looked at, and count as seen.
func TestUnchanged(t *testing.T) {
	list := told("classic stable a:t0", "classic stable b:t0", "classic stable b:t0")
	r := &Rounds{}
	r.Observe(list[0])
	list[1].Unchanged = true
	if _, ok := r.Observe(list[1]); ok || r.Totals() != (Totals{}) {
		t.Errorf("looked at members that are the same: %+v", r.Totals())
	}
	if !r.Recent(list[1].Now+snapshot.Instant(staleAfter), longest).Known {
		t.Error("members that are the same were seen")
	}
	if n := testing.AllocsPerRun(10, func() { r.Observe(list[1]) }); n > 0 {
		t.Errorf("%v allocations for what has not changed", n)
	}
}

func TestSources(t *testing.T) {
	for source, want := range map[Source]string{Generation: "generation", Epoch: "epoch", Observed: "observed"} {
		if source.String() != want {
			t.Errorf("%s, want %s", source, want)
		}
	}
	for kind, want := range map[snapshot.GroupType][]Source{
		snapshot.TypeUnknown: nil, snapshot.TypeClassic: {Generation, Observed},
		snapshot.TypeConsumer: {Epoch}, snapshot.TypeShare: {Epoch}, snapshot.TypeStreams: {Epoch},
	} {
		var got []Source
		for s := range Sources {
			if s.Applies(kind) {
				got = append(got, s)
			}
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%s: %v", kind, got)
		}
	}
}
