//go:build !breaking && !soak

package integration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// keptPolls is how many polls a topic must stay away for.
const keptPolls = 10

// Fault 17: a topic is deleted under a group that subscribes to it and one that
// has committed on it. lagwatch, which asks for it by name, does not bring it
// back, though the brokers create topics that clients ask for.
func topicDeleted(k *kafka, l *lagwatch) {
	const topic = "deleted"
	k.topic("kept", 1)
	k.topic(topic, 2)
	k.fill(topic)
	k.commit("deleted-commits", at(topic, map[int]int64{0: 5, 1: 5}))
	k.consumer(testkafka.ConsumerSpec{
		ID: "deleted-member", Group: "deleted-member", Topics: []string{topic, "kept"}, Commit: testkafka.CommitNever,
		Config: map[string]string{"allow.auto.create.topics": "false"},
	})
	k.must(k.WaitAssigned(k.ctx, "deleted-member", testkafka.Spread(1, 3)))
	l.await(k.t, 15*time.Second, "both groups", func(p *page) bool {
		return len(p.groupOffsets(lagOf, "deleted-commits")) == 2 && len(p.owners("deleted-member")) == 3
	})
	mark, err := k.cluster.Mark(k.ctx)
	k.must(err)
	k.must(k.DeleteTopic(k.ctx, topic))
	after := l.awaitPoll(k.t, time.Now())
	p := l.await(k.t, 60*time.Second, "polls without the topic", func(p *page) bool { return p.polls("")-after.polls("") >= keptPolls })

	if list := k.topics(); slices.Contains(list, topic) {
		k.t.Errorf("the topic is back: %v; created by %v", list, k.creators(mark, topic))
	}
	if ends := p.find(endOf, labels{"topic": topic}); len(ends) > 0 {
		k.t.Errorf("the page has end offsets of it: %v", ends)
	}
	asked := 0
	byBroker, _, err := k.cluster.RequestsSince(k.ctx, mark, "lagwatch")
	k.must(err)
	for _, list := range byBroker {
		k.must(onlyReads(list))
		for _, r := range list {
			if names(r, topic) {
				asked++
			}
		}
	}
	k.t.Logf("%d polls after the deletion lagwatch had asked for it by name %d times; commits that Kafka kept: %v",
		p.polls("")-after.polls(""), asked, k.committed("deleted-commits").Value)
	if asked == 0 {
		k.t.Error("lagwatch never asked for the topic: this test shows nothing")
	}
	k.produce(topic, -1, 1)
	if list := k.topics(); !slices.Contains(list, topic) {
		k.t.Error("the brokers do not create topics that a producer asks for: this test shows nothing")
	}
}

// fill writes some records to every partition, by a producer that ends: one that
// lives on may ask for the topics it has written to, and so create them anew.
func (k *kafka) fill(topic string) {
	k.t.Helper()
	k.producer(topic, 200)
	k.waitUntil("records everywhere", func() bool {
		for _, end := range k.ends(topic).Value {
			if end < 10 {
				return false
			}
		}
		return true
	})
	_, err := k.StopProducer(k.ctx, topic)
	k.must(err)
}

// creators lists the clients that asked for a topic in a way that creates it.
func (k *kafka) creators(mark testkafka.Mark, topic string) []string {
	k.t.Helper()
	byBroker, _, err := k.cluster.RequestsSince(k.ctx, mark, "")
	k.must(err)
	set := map[string]bool{}
	for _, list := range byBroker {
		for _, r := range list {
			if names(r, topic) && offence(r) != "" {
				set[r.ClientID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Fault 17: on a cluster that nobody has used, lagwatch creates nothing, least
// of all __consumer_offsets, which the first look for a coordinator does.
func TestEmptyClusterStaysEmpty(t *testing.T) {
	testkafka.Require(t, testkafka.DefaultVersion)
	t.Parallel()
	c, err := testkafka.Start(t.Context(), testkafka.Options{Brokers: 1, RequestLog: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	l := startLagwatch(t, c.Bootstrap(), "start_offset_interval: 1s", "request_timeout: 800ms")
	p := l.await(t, 60*time.Second, "polls", func(p *page) bool { return p.polls("complete") >= keptPolls })
	for _, name := range []string{endOf, "lagwatch_group_info", "lagwatch_topic_partitions"} {
		if list := p.find(name, nil); len(list) > 0 {
			t.Errorf("an empty cluster shows %s%v", name, list[0].labels)
		}
	}
	k := driving(t, c)
	if list := k.topics(); len(list) > 0 {
		t.Errorf("after %d polls the cluster has topics %v", p.polls(""), list)
	}
	requests, err := c.Requests(k.ctx, 1, "lagwatch")
	k.must(err)
	k.must(onlyReads(requests))
	t.Logf("%d requests in %d polls, and the cluster is empty", len(requests), p.polls(""))
	k.committed("anyone")
	k.waitUntil("__consumer_offsets, which a look for a coordinator creates", func() bool { return slices.Contains(k.topics(), "__consumer_offsets") })
}

// A topic is deleted and created again between two polls: it is counted once,
// and no page has a number of the old topic beside one of the new.
func TestTopicRecreatedBetweenPolls(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic = "again"
	k.topic(topic, 2)
	k.produce(topic, -1, 200)
	k.commit(topic, at(topic, map[int]int64{0: 90, 1: 60}))
	l := k.lagwatch("interval: 5s", "start_offset_interval: 5s")
	k.stands(l, topic, standing{
		Committed: at(topic, map[int]int64{0: 90, 1: 60}), Lag: at(topic, map[int]int64{0: 10, 1: 40}),
		GroupLag: new(50.0), States: map[string]float64{"committed": 2},
	})
	before := l.page(t)
	before = l.await(t, 15*time.Second, "another poll", func(p *page) bool { return p.polls("") > before.polls("") })
	stop := l.watch(t, func(p *page) error { return recreatedSoundly(p, topic) })
	k.recreate(topic)
	p := l.await(t, 15*time.Second, "the poll after it", func(p *page) bool { return p.polls("") > before.polls("") })
	if p.polls("") != before.polls("")+1 || !p.shows(1, "lagwatch_topic_recreated_total", labels{"topic": topic}) {
		t.Fatalf("%d polls later the topic is not counted as recreated once", p.polls("")-before.polls(""))
	}
	k.must(k.AlterOffsets(k.ctx, map[string]testkafka.Offsets{topic: at(topic, map[int]int64{0: 1})}))
	k.stands(l, topic, standing{
		Committed: at(topic, map[int]int64{0: 1}), Lag: at(topic, map[int]int64{0: 2, 1: 0}),
		GroupLag: new(2.0), Uncommitted: new(0.0), States: map[string]float64{"committed": 1, "uncommitted": 1},
	})
	t.Logf("%d pages checked", stop())
}

// recreate makes the topic anew, with 3 records in partition 0.
func (k *kafka) recreate(topic string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeoutCause(k.ctx, 4*time.Second, fmt.Errorf("the machine is too busy to recreate a topic between two polls"))
	defer cancel()
	k.must(k.DeleteTopic(ctx, topic))
	k.must(k.CreateTopic(ctx, testkafka.TopicSpec{Name: topic, Partitions: 2, Replicas: len(k.cluster.Bootstrap())}))
	_, err := k.Produce(ctx, testkafka.ProduceSpec{Topic: topic, Records: 3, Partition: new(0)})
	k.must(err)
}

// recreatedSoundly checks a page before or after the topic was seen to be
// another one.
func recreatedSoundly(p *page, topic string) error {
	ends := at(topic, map[int]int64{0: 100, 1: 100})
	most := at(topic, map[int]int64{0: 10, 1: 40})
	if p.shows(1, "lagwatch_topic_recreated_total", labels{"topic": topic}) {
		ends = at(topic, map[int]int64{0: 3, 1: 0})
		most = at(topic, map[int]int64{0: 3, 1: 0})
	}
	for place, end := range p.offsets(endOf, labels{"topic": topic}) {
		if end != ends[place] {
			return fmt.Errorf("%v ends at %d, not %d", place, end, ends[place])
		}
	}
	for place, lag := range p.groupOffsets(lagOf, topic) {
		if lag < 0 || lag > most[place] {
			return fmt.Errorf("%v has lag %d, not 0 to %d", place, lag, most[place])
		}
	}
	for _, s := range p.find("lagwatch_topic_recreated_total", labels{"topic": topic}) {
		if s.value > 1 {
			return fmt.Errorf("%v was recreated %v times", s.labels, s.value)
		}
	}
	return nil
}
