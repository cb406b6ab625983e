//go:build !breaking && !soak

package integration

import (
	"fmt"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// pair is what lagwatch knows of a group's place in a partition; not ok if
// nothing.
func (l *lagwatch) pair(group string, at testkafka.TopicPartition) (pair collector.Pair, ok bool) {
	for _, g := range l.daemon.Watchers()[0].View().Groups {
		if g.ID != group {
			continue
		}
		for _, topic := range g.Topics {
			for _, p := range topic.Pairs {
				if topic.Topic == at.Topic && int(p.Partition) == at.Partition {
					return p, true
				}
			}
		}
	}
	return collector.Pair{}, false
}

// lost waits until a group has lost so many offsets of a partition.
func (k *kafka) lost(l *lagwatch, group string, at testkafka.TopicPartition, want int64) {
	k.t.Helper()
	var got collector.Pair
	defer func() { k.t.Logf("%s at %v: lag %v, lost %v", group, at, got.Lag, got.Lost) }()
	k.waitUntil(fmt.Sprintf("%d lost offsets", want), func() bool {
		got, _ = l.pair(group, at)
		lost, known := got.Lost.Get()
		return known && lost == want
	})
}

// Fault 4: of many records a group has read a hundred when retention takes them
// all. What it can still read is what came since, end − start, and what it lost
// is start − committed. An exporter that subtracts the commit shows them all as
// lag.
func TestFault04RetentionRacesAhead(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic, many, committed, since = "raced", 100_000, 100, 250
	place := testkafka.TopicPartition{Topic: topic}
	k.topic(topic, 1)
	_, err := k.Produce(k.ctx, testkafka.ProduceSpec{Topic: topic, Records: many, Time: time.Now().Add(-2 * time.Hour)})
	k.must(err)
	k.commit(topic, testkafka.Offsets{place: committed})
	l := k.lagwatch("start_offset_interval: 1s")
	want := standing{
		Committed: testkafka.Offsets{place: committed}, Lag: testkafka.Offsets{place: many - committed},
		GroupLag: new(float64(many - committed)), States: map[string]float64{"committed": 1},
	}
	k.stands(l, topic, want)
	k.lost(l, topic, place, 0)

	k.must(k.SetTopicConfig(k.ctx, topic, map[string]string{"retention.ms": "3600000"}))
	k.waitUntil("retention to take all records", func() bool { return k.starts(topic).Value[place] == many })
	want.Lag, want.GroupLag = testkafka.Offsets{place: 0}, new(0.0)
	k.stands(l, topic, want)
	k.lost(l, topic, place, many-committed)
	k.produce(topic, 0, since)
	want.Lag, want.GroupLag = testkafka.Offsets{place: since}, new(float64(since))
	k.stands(l, topic, want)
	k.lost(l, topic, place, many-committed)
}

// Fault 7: a group has commits on two topics and members on one of them. The
// other is still there, with its lag, and nobody owns it.
func TestFault07MembersOnOneTopicOnly(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const group, read, left = "half", "half-read", "half-left"
	commits := testkafka.Offsets{}
	for _, topic := range []string{read, left} {
		k.topic(topic, 2)
		k.produce(topic, -1, 20)
		for place := range at(topic, map[int]int64{0: 0, 1: 0}) {
			commits[place] = 4
		}
	}
	k.commit(group, commits)
	k.consumer(testkafka.ConsumerSpec{ID: group, Group: group, Topics: []string{read}, Commit: testkafka.CommitNever})
	k.must(k.WaitAssigned(k.ctx, group, testkafka.Spread(1, 2)))
	type halves struct {
		Committed, Lag testkafka.Offsets
		Owners         map[testkafka.TopicPartition]owner
		Complete       bool
	}
	lag := testkafka.Offsets{}
	for place := range commits {
		lag[place] = 6
	}
	me := owner(group + "@127.0.0.1")
	want := halves{commits, lag, map[testkafka.TopicPartition]owner{{Topic: read}: me, {Topic: read, Partition: 1}: me}, true}
	p := awaitEqual(t, k.lagwatch(), 30*time.Second, group, want, func(p *page) halves {
		return halves{p.groupOffsets(committedOf, group), p.groupOffsets(lagOf, group), p.owners(group), p.complete(group)}
	})
	t.Logf("group_lag %v, of which %v on the topic without members", p.sum("lagwatch_group_lag", labels{"group": group}),
		p.sum("lagwatch_group_topic_lag", labels{"group": group, "topic": left}))
}

// Fault 16: a topic is made anew with fewer partitions. Kafka itself drops the
// old commits and refuses new ones for what is gone; so the extra partitions
// leave the page, in no poll is anything of them shown as lag, and polls go on
// complete. What happens where the old commits remain is in collector/assemble_test.go.
func TestFault16FewerPartitions(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic, before, after = "fewer", 4, 2
	k.topic(topic, before)
	k.produce(topic, -1, 40)
	commits := at(topic, map[int]int64{0: 7, 1: 7, 2: 7, 3: 7})
	k.commit(topic, commits)
	l := k.lagwatch("start_offset_interval: 1s")
	k.stands(l, topic, standing{
		Committed: commits, Lag: at(topic, map[int]int64{0: 3, 1: 3, 2: 3, 3: 3}),
		GroupLag: new(12.0), States: map[string]float64{"committed": before},
	})
	stop := l.watch(t, func(p *page) error { return fewerSoundly(p, topic, after) })
	k.must(k.DeleteTopic(k.ctx, topic))
	k.waitUntil("the topic to be gone everywhere", func() bool {
		return k.CreateTopic(k.ctx, testkafka.TopicSpec{Name: topic, Partitions: after, Replicas: 3}) == nil
	})
	t.Logf("commits that Kafka kept: %v", k.committed(topic).Value[topic])
	k.produce(topic, 0, 9) // the producer, too, may think that there are four
	k.produce(topic, 1, 9)
	k.must(k.AlterOffsets(k.ctx, map[string]testkafka.Offsets{topic: at(topic, map[int]int64{0: 7, 1: 7})}))
	err := k.AlterOffsets(k.ctx, map[string]testkafka.Offsets{topic: at(topic, map[int]int64{3: 7})})
	t.Logf("Kafka refuses: %v", err)
	p := k.stands(l, topic, standing{
		Committed: at(topic, map[int]int64{0: 7, 1: 7}), Lag: at(topic, map[int]int64{0: 2, 1: 2}),
		GroupLag: new(4.0), States: map[string]float64{"committed": after},
	})
	if !p.shows(1, "lagwatch_topic_recreated_total", labels{"topic": topic}) {
		t.Error("the topic is not counted as recreated")
	}
	next := l.awaitPoll(t, time.Now(), topic)
	t.Logf("complete again in poll %d, the page before was of poll %d; %d pages checked", next.polls(""), p.polls(""), stop())
}

// fewerSoundly checks a page before or after the topic was seen to have fewer
// partitions: what is gone has no lag and no end.
func fewerSoundly(p *page, topic string, after int) error {
	if !p.shows(float64(after), "lagwatch_topic_partitions", labels{"topic": topic}) {
		return nil
	}
	for _, name := range []string{lagOf, endOf} {
		for place, n := range p.offsets(name, labels{"topic": topic}) {
			if place.Partition >= after {
				return fmt.Errorf("%s of %v is %d, and the topic has %d partitions", name, place, n, after)
			}
		}
	}
	return nil
}
