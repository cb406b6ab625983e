package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/rates"
)

// The rule is the collector's: +Inf before unknown before the maximum.
func TestETAOfAGroup(t *testing.T) {
	nothing, inf := math.NaN(), math.Inf(1)
	idle := catching(0, 10, nothing)
	idle.lag = 0
	tests := []struct {
		name  string
		pairs []sample
		want  float64
		known bool
	}{
		{"the maximum", []sample{catching(0, 10, 30), catching(0, 10, 90), catching(0, 10, 60)}, 90, true},
		{"one that lags is unknown", []sample{catching(0, 10, 30), catching(0, 10, nothing)}, 30, false},
		{"one without lag is unknown", []sample{catching(0, 10, 30), idle}, 30, true},
		{"one does not shrink, one is unknown", []sample{catching(0, 10, nothing), catching(0, 10, inf)}, inf, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := groupETA(tt.pairs)
			if ok != tt.known || ok && got != tt.want {
				t.Errorf("%v, %v; want %v, %v", got, ok, tt.want, tt.known)
			}
		})
	}
}

// partition is a sample of a partition in a poll.
func partition(n int32, poll int, x sample) sample {
	x.pair, x.poll = pair{"g", place{"t", n}}, poll
	return x
}

func keeping(at int, says float64) sample {
	x := catching(at, 10, says)
	x.truth.KeepsUp, x.truth.ETA, x.truth.Gap = true, 0, 5
	return x
}

func TestScoreOfAGroup(t *testing.T) {
	inf := math.Inf(1)
	almost := growing(0, 50)
	almost.truth.Drain = 9.6 // may as well be as fast as arrivals
	polls := [][2]sample{
		{catching(0, 10, 110), keeping(0, 3)},         // off by a tenth
		{catching(0, 10, 110), growing(0, inf)},       // +Inf, and it is so
		{catching(0, 10, 110), growing(0, 50)},        // and it was not said
		{keeping(0, 3), keeping(0, inf)},              // +Inf for nothing
		{catching(0, 10, math.NaN()), keeping(0, 3)},  // not known
		{catching(0, 10, 110), catching(0, 2, 500)},   // one is not settled
		{catching(0, 10, 110), almost},                // nobody can tell
		{catching(0, 10, 80), catching(0, 10, 150.5)}, // the greater counts
	}
	all := map[pair][]sample{}
	for i, p := range polls {
		for n, x := range p {
			x = partition(int32(n), i, x)
			all[x.pair] = append(all[x.pair], x)
		}
	}
	alone := partition(0, len(polls), catching(0, 10, 900)) // of a poll that did not read the other
	all[alone.pair] = append(all[alone.pair], alone)
	s := scored(run{}, 10, all)
	want := groupScore{measured{figures{0.1, 0.505}, ratio{2, 3}}, ratio{1, 2}, ratio{1, 1}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, s.group, near, cmp.AllowUnexported(groupScore{}, measured{}, ratio{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A group of one partition is that partition.
func TestOnePartitionIsNoGroup(t *testing.T) {
	x := partition(0, 0, catching(0, 10, 90))
	if list := groups(map[pair][]sample{x.pair: {x}}); len(list) != 0 {
		t.Errorf("%d groups", len(list))
	}
}

func TestScoreOfProcessing(t *testing.T) {
	s := &score{}
	for _, x := range []struct {
		of   sample
		says rates.Value
	}{
		{catching(0, 10, 90), rates.Of(0.06)}, // 20/s: 0.05 s
		{growing(0, 90), rates.Of(0.2)},       // 5/s
		{catching(0, 10, 90), rates.Value{}},
		{catching(0, 2, 90), rates.Of(7)}, // not settled
		{keeping(0, 3), rates.Of(0.1)},    // shows nothing of its speed
		{keeping(0, 3), rates.Value{}},
	} {
		x.of.estimate.Processing = x.says
		s.add(run{}, 10, x.of)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	want := measured{figures{0.2, 0}, ratio{2, 3}}
	if diff := cmp.Diff(want, s.processing, near, cmp.AllowUnexported(measured{}, ratio{})); diff != "" || s.idleProcessing != (ratio{1, 2}) {
		t.Errorf("while it keeps up %+v, (-want +got):\n%s", s.idleProcessing, diff)
	}
}

// A commit is held to the time between the polls around it, as an age is.
func TestScoreOfCommitAges(t *testing.T) {
	list := []sample{catching(0, 1, 1), catching(10, 2, 1), catching(50, 3, 1), catching(60, 4, 1)}
	for i, age := range map[int]float64{2: 20, 3: 5} { // at 30, between 10 and 50, and at 55
		list[i].truth.CommitAge = &age
	}
	list[2].estimate.CommitAge = rates.Of(0)
	s := &score{}
	s.followCommitAge(10, list)
	want := measured{figures{0.5}, ratio{1, 2}}
	if diff := cmp.Diff(want, s.commitAge, cmp.AllowUnexported(measured{}, ratio{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScoreOfHeadroom(t *testing.T) {
	s := &score{}
	var list []sample
	for _, x := range []struct{ says, left float64 }{{50, 90}, {110, 90}, {math.NaN(), 90}, {5, math.NaN()}} {
		of := catching(0, 10, 1)
		of.headroom, of.left = rates.Of(x.says), x.left
		list = append(list, of)
	}
	s.followHeadroom(10, list)
	if diff := cmp.Diff([]figures{{4, 2}, {0, 2}}, []figures{s.headroom.errors, s.headroomLate}); diff != "" || s.headroom.given != (ratio{2, 3}) {
		t.Errorf("given %+v, (-want +got):\n%s", s.headroom.given, diff)
	}
}

func TestMissesAreBold(t *testing.T) {
	s := &score{finite: 4, age: measured{errors: figures{0.5}}}
	cells := map[string]string{}
	for _, c := range drainColumns {
		cells[c.name] = c.value(s).String()
	}
	if cells["finite run"] != "**4**" || cells["age, worst"] != "0.5" || cells["arrival p90"] != "–" {
		t.Errorf("%v", cells)
	}
}

// The table showed what had been estimated polls ago as that of the last one.
func TestWhatTheLastPollDidNotReadIsNotKnown(t *testing.T) {
	at := func(n int, partitions ...int32) trace.Poll {
		p := trace.Poll{At: seconds(n)}
		for _, i := range partitions {
			p.Logs = append(p.Logs, trace.Log{Topic: "t", Partition: i, End: 100 + int64(n), At: seconds(n)})
			p.Positions = append(p.Positions, trace.Position{Group: "g", Topic: "t", Partition: i, Committed: 50 + int64(n), At: seconds(n)})
		}
		return p
	}
	tr := trace.Trace{Header: trace.Header{Interval: seconds(10)}, Polls: []trace.Poll{at(10, 0, 1), at(20, 0, 1), at(30, 0)}}
	var out writer
	estimated("x", tr).write(&out)
	out.has(t, "of the last one, at 30 s", "| g | t | 0 | 3 | 30 | 50 | 1 |", "| g | t | 1 | 2 | 20 | ? | ? | 50.0 % | ? |")
}
