package collector

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

var errTest = errors.New("no broker answers")

// topicFacts is what stays when the offsets are left out.
type topicFacts struct {
	ID               byte
	Partitions       int // -1: unknown
	Recreated, Added uint64
}

func factsOf(v *View, name string) topicFacts {
	t := previous(v.Topics, name, topicName)
	if t == nil {
		return topicFacts{Partitions: -2}
	}
	f := topicFacts{t.ID[0], len(t.Partitions), t.Recreated, t.Added}
	if t.Partitions == nil {
		f.Partitions = -1
	}
	return f
}

func TestTopicHistory(t *testing.T) {
	one, two, three := ends(0, 1), ends(0, 2), ends(0, 3)
	listed := func(id byte, logs ...snapshot.Partition) []part { return parts(logOf("t", id, logs...)) }
	type step struct {
		sec   float64
		parts []part // nil: the poll fails
		want  topicFacts
	}
	cases := []struct {
		name, wrong string
		steps       []step
	}{
		{"first seen", "the partitions of a new topic would count as added", []step{
			{0, listed(1, one, two), topicFacts{1, 2, 0, 0}},
		}},
		{"partitions added", "added partitions would be missed or counted twice", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, listed(1, one, two, three), topicFacts{1, 3, 0, 2}},
			{20, listed(1, one, two, three), topicFacts{1, 3, 0, 2}},
		}},
		{"recreated with fewer (faults 15, 16)", "a topic made anew would go on as the old one", []step{
			{0, listed(1, one, two, three), topicFacts{1, 3, 0, 0}},
			{10, listed(2, one), topicFacts{2, 1, 1, 0}},
		}},
		{"recreated with more", "the partitions of another topic would count as added to this", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, listed(2, one, two), topicFacts{2, 2, 1, 0}},
		}},
		{"gone for a while", "an ordinary recreation, which takes longer than a poll, would be missed, and the counters begin anew", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, listed(1, one, two), topicFacts{1, 2, 0, 1}},
			{20, parts(func(*snapshot.Snapshot) {}), topicFacts{Partitions: -2}},
			{30, nil, topicFacts{Partitions: -2}},
			{40, listed(2, one), topicFacts{2, 1, 1, 1}},
			{50, parts(func(*snapshot.Snapshot) {}), topicFacts{Partitions: -2}},
			{60, listed(3, one, two, three), topicFacts{3, 3, 2, 1}},
		}},
		{"gone, and the same again", "a topic that was left out for a poll would count as another", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, parts(func(*snapshot.Snapshot) {}), topicFacts{Partitions: -2}},
			{20, listed(1, one), topicFacts{1, 1, 0, 0}},
		}},
		{"gone, without ids", "a recreation would be missed on clusters without topic ids", []step{
			{0, listed(0, one), topicFacts{0, 1, 0, 0}},
			{10, parts(func(*snapshot.Snapshot) {}), topicFacts{Partitions: -2}},
			{20, listed(0, one), topicFacts{0, 1, 1, 0}},
		}},
		{"gone for more than a day", "deleted topics would be remembered for ever", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, parts(func(*snapshot.Snapshot) {}), topicFacts{Partitions: -2}},
			{10 + 86400 + 1, parts(func(*snapshot.Snapshot) {}), topicFacts{Partitions: -2}},
			{10 + 86400 + 11, listed(2, one), topicFacts{2, 1, 0, 0}},
		}},
		{"recreated, not readable", "the partitions of the old topic would pass for those of the new", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, listed(2), topicFacts{2, -1, 1, 0}},
		}},
		{"id zero for a while", "an upgrade would look like a deletion, or a real one after it be missed", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, listed(0, one), topicFacts{1, 1, 0, 0}},
			{20, listed(1, one), topicFacts{1, 1, 0, 0}},
			{30, listed(0, one), topicFacts{1, 1, 0, 0}},
			{40, listed(2, one), topicFacts{2, 1, 1, 0}},
		}},
		{"id learned later", "learning the id would count as a new topic", []step{
			{0, listed(0, one), topicFacts{0, 1, 0, 0}},
			{10, listed(1, one), topicFacts{1, 1, 0, 0}},
			{20, listed(2, one), topicFacts{2, 1, 1, 0}},
		}},
		{"id learned while not readable", "the id would be lost, and the next incarnation not noticed", []step{
			{0, listed(0, one), topicFacts{0, 1, 0, 0}},
			{10, listed(1), topicFacts{1, 1, 0, 0}},
			{20, listed(2, one), topicFacts{2, 1, 1, 0}},
		}},
		{"not readable for long", "the partition count would stay for ever, or go at the first miss", []step{
			{0, listed(1, one, two), topicFacts{1, 2, 0, 0}},
			{10, listed(1), topicFacts{1, 2, 0, 0}},
			{20, nil, topicFacts{1, 2, 0, 0}},
			{31, listed(1), topicFacts{1, -1, 0, 0}},
			{40, listed(1, one, two), topicFacts{1, 2, 0, 0}},
		}},
		{"counters in an outage", "counters would fall back to zero when Kafka comes back", []step{
			{0, listed(1, one), topicFacts{1, 1, 0, 0}},
			{10, listed(1, one, two), topicFacts{1, 2, 0, 1}},
			{20, listed(2, one), topicFacts{2, 1, 1, 1}},
			{30, nil, topicFacts{2, 1, 1, 1}},
			{300, nil, topicFacts{2, -1, 1, 1}},
			{310, listed(2, one), topicFacts{2, 1, 1, 1}},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newStory()
			for _, s := range c.steps {
				if s.parts == nil {
					w.fail(s.sec)
				} else {
					w.poll(s.sec, s.parts...)
				}
				if diff := cmp.Diff(s.want, factsOf(w.v, "t")); diff != "" {
					t.Errorf("after the poll at %v s: %s (-want +got):\n%s", s.sec, c.wrong, diff)
				}
			}
		})
	}
}

// Nothing that was known of the old incarnation is said of the new one
// (fault 15), not even while the new one, or the group, cannot be read.
func TestRecreated(t *testing.T) {
	was := parts(logOf("t", 1, ends(0, 1000), ends(0, 1000)), groupOf("g", members(member("m", owns("t", 0, 1))), commits(on("t", 100, 200))))
	here := members(member("m", owns("t", 0, 1)))
	for name, now := range map[string]struct {
		parts []part
		want  string
	}{
		"read": {
			parts(logOf("t", 2, ends(0, 10), ends(0, 20)), groupOf("g", here, commits(on("t", 4, 5)))),
			lines("g complete lag=21", "  t/0 committed commit=4 lag=6 lost=0 owner=m", "  t/1 committed commit=5 lag=15 lost=0 owner=m"),
		},
		"without a leader": {
			parts(logOf("t", 2, ends(0, 10), leaderless()), groupOf("g", here, commits(on("t", 4, 5)))),
			lines("g incomplete lag=6", "  t/0 committed commit=4 lag=6 lost=0 owner=m", "  t/1 unread commit=5 owner=m old"),
		},
		"not readable": {
			parts(logOf("t", 2), groupOf("g", here, commits(on("t", 4, 5)))),
			lines("g incomplete", "  t/0 unread commit=4 owner=m old", "  t/1 unread commit=5 owner=m old"),
		},
		"commits not read": {
			parts(logOf("t", 2, ends(0, 10), ends(0, 20)), groupOf("g", here)),
			lines("g incomplete", "  t/0 unread owner=m old", "  t/1 unread owner=m old"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStory()
			w.poll(0, was...)
			v := w.poll(10, now.parts...)
			if diff := cmp.Diff(now.want, tell(v)); diff != "" {
				t.Errorf("something of the old topic is said of the new one (-want +got):\n%s", diff)
			}
			for _, p := range theTopic(t, v, "t").Partitions {
				if end, ok := p.End.Get(); ok && end.Offset > 20 {
					t.Errorf("partition %d ends at %d, where the old one did", p.ID, end.Offset)
				}
			}
		})
	}
}

// A topic that is away for a poll and comes back as another: the pair that
// stood for the lost topic does not pass its past on.
func TestRecreatedAfterAbsence(t *testing.T) {
	w := newStory()
	g := groupOf("g", members(), commits(on("t", 100)))
	w.poll(0, logOf("t", 1, ends(0, 1000)), g)
	if diff := cmp.Diff(lines("g complete", "  t/0 no_partition commit=100"), tell(w.poll(10, g))); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	v := w.poll(20, logOf("t", 2, leaderless()), g)
	if diff := cmp.Diff(lines("g incomplete", "  t/0 unread commit=100 old"), tell(v)); diff != "" {
		t.Errorf("made anew (-want +got):\n%s", diff)
	}
}

// An end offset that could not be renewed stays for stale_after. A start offset
// that the poll tells is as old as it says; one that it does not tell stays for
// stale_after too, and was shown for as long as there was an end.
func TestLogReadings(t *testing.T) {
	w := newStory()
	w.poll(0, logOf("t", 1, ends(5, 10), ends(6, 20)))
	read := func(v *View) (out [][2]int64) {
		for _, p := range theTopic(t, v, "t").Partitions {
			r := [2]int64{-1, -1}
			if s, ok := p.Start.Get(); ok {
				r[0] = s.Offset
			}
			if e, ok := p.End.Get(); ok {
				r[1] = e.Offset
			}
			out = append(out, r)
		}
		return out
	}
	endOnly := snapshot.Partition{End: ends(0, 30).End}
	for _, s := range []struct {
		sec  float64
		logs []snapshot.Partition
		want [][2]int64
	}{
		{10, []snapshot.Partition{ends(5, 11), leaderless()}, [][2]int64{{5, 11}, {6, 20}}},
		{20, []snapshot.Partition{endOnly, leaderless()}, [][2]int64{{5, 30}, {6, 20}}},
		{40, []snapshot.Partition{endOnly, leaderless()}, [][2]int64{{-1, 30}, {-1, -1}}},
		{200, []snapshot.Partition{endOnly, ends(7, 21)}, [][2]int64{{-1, 30}, {7, 21}}},
	} {
		if diff := cmp.Diff(s.want, read(w.poll(s.sec, logOf("t", 1, s.logs...)))); diff != "" {
			t.Errorf("after the poll at %v s (-want +got):\n%s", s.sec, diff)
		}
	}
}

// A partition keeps its leader and topics their order, whatever order groups
// name them in.
func TestLeaders(t *testing.T) {
	v := newStory().poll(0, logOf("b", 1, ends(0, 1), leaderless()), logOf("a", 2, ends(0, 1)))
	if v.Topics[0].Name != "a" || v.Topics[1].Name != "b" {
		t.Fatalf("order %q, %q", v.Topics[0].Name, v.Topics[1].Name)
	}
	p := v.Topics[1].Partitions
	if p[0].Leader.Or(-1) != 1 || p[1].Leader.Known() {
		t.Errorf("leaders %+v, %+v", p[0].Leader, p[1].Leader)
	}
}
