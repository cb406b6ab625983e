package collector

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func TestCounters(t *testing.T) {
	timeout := snapshot.Problem{Stage: snapshot.StageListOffsets, Reason: snapshot.ReasonTimeout, Count: 40}
	refused := snapshot.Problem{Stage: snapshot.StageMetadata, Reason: snapshot.ReasonRefused, Count: 1}
	r := testRules()
	first := firstView("main")

	partial := assemble(first, &snapshot.Snapshot{
		Problems: []snapshot.Problem{timeout, timeout}, Requests: map[string]int{"Metadata": 1, "ListGroups": 3},
	}, nil, at(0), r)
	failed := assemble(partial, &snapshot.Snapshot{Problems: []snapshot.Problem{refused}, Requests: map[string]int{"Metadata": 2}}, errTest, at(10), r)
	good := assemble(failed, &snapshot.Snapshot{}, nil, at(20), r)

	// Two problems of one kind are two things that could not be read; how many
	// partitions each stands for is not counted.
	kinds := map[ProblemKind]uint64{{snapshot.StageListOffsets, snapshot.ReasonTimeout}: 2}
	if diff := cmp.Diff(Counters{map[PollResult]uint64{PollPartial: 1}, kinds, map[string]uint64{"Metadata": 1, "ListGroups": 3}}, partial.Counters); diff != "" {
		t.Errorf("after a partial poll (-want +got):\n%s", diff)
	}
	kinds = map[ProblemKind]uint64{{snapshot.StageListOffsets, snapshot.ReasonTimeout}: 2, {snapshot.StageMetadata, snapshot.ReasonRefused}: 1}
	want := Counters{map[PollResult]uint64{PollPartial: 1, PollFailed: 1}, kinds, map[string]uint64{"Metadata": 3, "ListGroups": 3}}
	if diff := cmp.Diff(want, failed.Counters); diff != "" {
		t.Errorf("after a failed poll (-want +got):\n%s", diff)
	}
	want.Polls = map[PollResult]uint64{PollPartial: 1, PollFailed: 1, PollComplete: 1}
	if diff := cmp.Diff(want, good.Counters); diff != "" {
		t.Errorf("after a complete poll (-want +got):\n%s", diff)
	}
	if first.Counters.Polls != nil || partial.Counters.Polls[PollFailed] != 0 {
		t.Error("a later poll changed the counters of an earlier view")
	}
}

// A permission that nobody has to grant made every tenth minute's poll partial.
func TestOptionalProblemsLeaveThePollComplete(t *testing.T) {
	settings := snapshot.Problem{Stage: snapshot.StageDescribeConfigs, Reason: snapshot.ReasonUnauthorized, Count: 40, Optional: true}
	timeout := snapshot.Problem{Stage: snapshot.StageListOffsets, Reason: snapshot.ReasonTimeout, Count: 1}
	kind := ProblemKind{snapshot.StageDescribeConfigs, snapshot.ReasonUnauthorized}
	for name, c := range map[string]struct {
		problems []snapshot.Problem
		want     PollResult
	}{
		"only optional":  {[]snapshot.Problem{settings}, PollComplete},
		"one that isn't": {[]snapshot.Problem{settings, timeout}, PollPartial},
	} {
		v := assemble(firstView("main"), &snapshot.Snapshot{Problems: c.problems}, nil, at(0), testRules())
		if v.Counters.Polls[c.want] != 1 || v.Counters.Problems[kind] != 1 {
			t.Errorf("%s: %+v", name, v.Counters)
		}
	}
}

// What a view says of the poll itself and of the brokers.
func TestPollAndBrokers(t *testing.T) {
	w := newStory()
	brokers := func(s *snapshot.Snapshot) {
		s.Brokers = []snapshot.Broker{{ID: 1, Addr: "a:9092", Answered: snapshot.Known(true)}, {ID: 2, Addr: "b:9092", Answered: snapshot.Known(false)}}
		s.Problems = []snapshot.Problem{{Stage: snapshot.StageListGroups, Reason: snapshot.ReasonTimeout, Broker: snapshot.Known(int32(2)), Count: 1}}
	}
	v := w.poll(0, brokers)
	if diff := cmp.Diff([]Broker{{1, "a:9092", true}, {2, "b:9092", false}}, v.Brokers); diff != "" {
		t.Errorf("brokers (-want +got):\n%s", diff)
	}
	if !v.Up || v.Err != "" || v.PollDuration != 300*time.Millisecond || !v.Built.Equal(v.LastSuccess) || len(v.Problems) != 1 {
		t.Errorf("a partial poll: %+v", v)
	}
	down := w.fail(10)
	if diff := cmp.Diff([]Broker{{1, "a:9092", false}, {2, "b:9092", false}}, down.Brokers); diff != "" {
		t.Errorf("brokers of a failed poll (-want +got):\n%s", diff)
	}
	if !v.Brokers[0].Up {
		t.Error("the failed poll changed the view before it")
	}
	if v := w.poll(20, func(s *snapshot.Snapshot) { s.ClusterID = "" }); !v.Up || v.Err != "" || v.ClusterID != "kraft-1" || len(v.Brokers) != 0 {
		t.Errorf("a poll that does not tell the cluster id: %+v", v)
	}
}

// Before the first poll a view says that nothing is known.
func TestFirstView(t *testing.T) {
	want := map[string]float64{"up ": 0, "poll_interval_seconds ": 10, "polls_total failed": 0, "polls_total partial": 0, "polls_total complete": 0}
	if diff := cmp.Diff(want, published(firstView("main"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
