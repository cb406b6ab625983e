//go:build !breaking && !soak

package integration

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// Faults that exporters of lag have; each subtest says what one lagwatch that
// watches them all must show.
func TestFaults(t *testing.T) {
	k := useKafka(t)
	l := k.lagwatch("start_offset_interval: 1s")
	for name, test := range map[string]func(*kafka, *lagwatch){
		"partly committed":          partlyCommitted,
		"empty and trimmed logs":    emptyAndTrimmed,
		"commit below the start":    belowStart,
		"members stop":              membersStop,
		"standalone, then deleted":  standaloneDeleted,
		"topic deleted while asked": topicDeleted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(k.in(t), l)
		})
	}
}

// standing is how a group stands in its only topic, as the page tells it. What
// isn't on the page is absent, or nil.
type standing struct {
	Committed, Lag        testkafka.Offsets
	GroupLag, Uncommitted *float64
	States                map[string]float64 // those that are not 0
}

func standingOf(p *page, group string) standing {
	s := standing{
		Committed: p.groupOffsets(committedOf, group), Lag: p.groupOffsets(lagOf, group),
		States: map[string]float64{},
	}
	of := labels{"group": group}
	if lag, ok := p.value("lagwatch_group_lag", of); ok {
		s.GroupLag = &lag
	}
	if n, ok := p.value("lagwatch_group_topic_uncommitted_offsets", of); ok {
		s.Uncommitted = &n
	}
	for _, state := range p.find("lagwatch_group_topic_partitions", of) {
		if state.value != 0 {
			s.States[state.labels["state"]] = state.value
		}
	}
	return s
}

// stands waits until the page tells that a group stands like this.
func (k *kafka) stands(l *lagwatch, group string, want standing) *page {
	k.t.Helper()
	return awaitEqual(k.t, l, 15*time.Second, group, want, func(p *page) standing { return standingOf(p, group) })
}

// at names partitions of one topic.
func at(topic string, offsets map[int]int64) testkafka.Offsets {
	out := testkafka.Offsets{}
	for partition, offset := range offsets {
		out[testkafka.TopicPartition{Topic: topic, Partition: partition}] = offset
	}
	return out
}

// Fault 2: of three partitions one is committed; the others are uncommitted,
// have no lag, and are in no sum.
func partlyCommitted(k *kafka, l *lagwatch) {
	k.topic("partly", 3)
	k.produce("partly", -1, 30)
	k.commit("partly", at("partly", map[int]int64{1: 4}))
	k.stands(l, "partly", standing{
		Committed: at("partly", map[int]int64{1: 4}), Lag: at("partly", map[int]int64{1: 6}),
		GroupLag: new(6.0), Uncommitted: new(20.0), States: map[string]float64{"committed": 1, "uncommitted": 2},
	})
}

// Fault 3: without a commit, a log that was emptied has lag 0, and one that was
// trimmed has end − start to read, not end.
func emptyAndTrimmed(k *kafka, l *lagwatch) {
	k.topic("trimmed", 3)
	k.produce("trimmed", 0, 3083)
	k.produce("trimmed", 1, 100)
	k.produce("trimmed", 2, 10)
	k.must(k.DeleteRecords(k.ctx, at("trimmed", map[int]int64{0: 3083, 1: 60})))
	k.commit("trimmed", at("trimmed", map[int]int64{2: 3}))
	p := k.stands(l, "trimmed", standing{
		Committed: at("trimmed", map[int]int64{2: 3}), Lag: at("trimmed", map[int]int64{0: 0, 2: 7}),
		GroupLag: new(7.0), Uncommitted: new(40.0), States: map[string]float64{"committed": 1, "uncommitted": 2},
	})
	want := at("trimmed", map[int]int64{0: 3083, 1: 60, 2: 0})
	if diff := cmp.Diff(want, p.offsets(startOf, labels{"topic": "trimmed"})); diff != "" {
		k.t.Errorf("start offsets (-want +page):\n%s", diff)
	}
}

// Fault 4: records behind a commit are removed; the lag is what is left, end −
// start.
func belowStart(k *kafka, l *lagwatch) {
	k.topic("removed", 1)
	k.produce("removed", 0, 1000)
	k.commit("removed", at("removed", map[int]int64{0: 100}))
	want := standing{
		Committed: at("removed", map[int]int64{0: 100}), Lag: at("removed", map[int]int64{0: 900}),
		GroupLag: new(900.0), States: map[string]float64{"committed": 1},
	}
	k.stands(l, "removed", want)
	k.must(k.DeleteRecords(k.ctx, at("removed", map[int]int64{0: 700})))
	want.Lag, want.GroupLag = at("removed", map[int]int64{0: 300}), new(300.0)
	k.stands(l, "removed", want)
}

// Fault 6: all members stop and producers go on; the lag keeps growing and there
// are 0 members.
func membersStop(k *kafka, l *lagwatch) {
	k.topic("stopped", 3)
	k.produce("stopped", -1, 300)
	for _, id := range []string{"stopped-1", "stopped-2"} {
		k.consumer(testkafka.ConsumerSpec{ID: id, Group: "stopped", Topics: []string{"stopped"}})
	}
	k.caughtUp("stopped", "stopped")
	k.must(k.WaitAssigned(k.ctx, "stopped", testkafka.Spread(2, 3)))
	l.await(k.t, 15*time.Second, "two members", func(p *page) bool { return p.shows(2, "lagwatch_group_members", labels{"group": "stopped"}) })
	k.producer("stopped", 100)
	k.must(k.CloseConsumer(k.ctx, "stopped-1"))
	k.must(k.CloseConsumer(k.ctx, "stopped-2"))
	k.growing(l, "stopped")
	_, err := k.StopProducer(k.ctx, "stopped")
	k.must(err)
	left := 0.0
	committed, ends := k.committed("stopped").Value["stopped"], k.ends("stopped").Value
	for place, end := range ends {
		left += float64(end - committed[place])
	}
	l.await(k.t, 15*time.Second, "the lag that Kafka tells", func(p *page) bool { return p.shows(left, "lagwatch_group_lag", labels{"group": "stopped"}) })
}

// growing waits until the lag of a group without members has grown several
// times; it must never shrink.
func (k *kafka) growing(l *lagwatch, group string) {
	k.t.Helper()
	of := labels{"group": group}
	p := l.awaitPoll(k.t, time.Now(), group)
	for range 4 {
		before, _ := p.value("lagwatch_group_lag", of)
		p = l.await(k.t, 15*time.Second, "the lag to grow", func(p *page) bool {
			lag, ok := p.value("lagwatch_group_lag", of)
			if !ok || lag < before || !p.shows(0, "lagwatch_group_members", of) || len(p.owners(group)) > 0 {
				k.t.Fatalf("lag %v (%v) after %v, owners %v", lag, ok, before, p.owners(group))
			}
			return lag > before
		})
	}
}

// Fault 8: a group that was only ever used with assign() shows its lag and no
// members; once it is deleted, its series are gone with the next poll.
func standaloneDeleted(k *kafka, l *lagwatch) {
	k.topic("alone", 2)
	k.produce("alone", -1, 20)
	k.consumer(testkafka.ConsumerSpec{ID: "alone", Group: "alone", Assign: testkafka.Partitions("alone", 2)})
	k.caughtUp("alone", "alone")
	k.must(k.CloseConsumer(k.ctx, "alone"))
	k.produce("alone", -1, 10)
	p := k.stands(l, "alone", standing{
		Committed: at("alone", map[int]int64{0: 10, 1: 10}), Lag: at("alone", map[int]int64{0: 5, 1: 5}),
		GroupLag: new(10.0), States: map[string]float64{"committed": 2},
	})
	if !p.shows(0, "lagwatch_group_members", labels{"group": "alone"}) {
		k.t.Error("it has members")
	}
	missed := p.missed()
	k.must(k.DeleteGroups(k.ctx, "alone"))
	p = l.awaitPoll(k.t, time.Now())
	for p.missed() > missed { // a poll that could not list all groups forgets none
		missed = p.missed()
		p = l.awaitPoll(k.t, p.asked)
	}
	for name := range p.families {
		if left := p.find(name, labels{"group": "alone"}); len(left) > 0 {
			k.t.Errorf("after the next poll there is still %s%v", name, left[0].labels)
		}
	}
}
