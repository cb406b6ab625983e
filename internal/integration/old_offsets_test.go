//go:build !breaking && !soak

package integration

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	collector "github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// oldPolls is how many polls are compared with Kafka's own readings.
const oldPolls = 8

// oldExact is TestExactUnderLoad.
func oldExact(k *kafka, old oldKafka) {
	const topic, partitions = "exact", 6
	k.topic(topic, partitions)
	k.producer(topic, 200)
	groups := k.loadedGroups(topic, 2, partitions, old.protocols...)
	l := k.lagwatch("start_offset_interval: 1s")
	l.await(k.t, 20*time.Second, "commits on every partition", func(p *page) bool {
		return len(p.offsets(endOf, labels{"topic": topic})) == partitions &&
			!slices.ContainsFunc(groups, func(g string) bool { return len(p.groupOffsets(lagOf, g)) != partitions })
	})
	check := exactCheck{t: k.t, topic: topic, groups: groups, want: testkafka.Partitions(topic, partitions)}
	for range oldPolls {
		before := k.around(topic, groups)
		p := l.awaitPoll(k.t, before.until, groups...)
		check.page(p, before, k.around(topic, groups))
	}
	check.report()
	k.t.Logf("of %d polls %d missed something", l.page(k.t).polls(""), l.page(k.t).missed())
}

// oldQuiet is TestQuietEqualsGroupCommand, with that version's command; Kafka's
// admin client says the same.
func oldQuiet(k *kafka, old oldKafka) {
	const topic, partitions = "quiet", 4
	k.topic(topic, partitions)
	k.produce(topic, -1, 400)
	groups := k.loadedGroups(topic, 2, partitions, old.protocols...)
	k.caughtUp(topic, groups...)
	groups = append(groups, k.leftBehind(topic), k.partlyCommitted(topic), k.neverCommitted(topic))
	k.produce(topic, 0, 7)
	k.caughtUp(topic, groups[:len(old.protocols)]...)

	want := k.describe(groups)
	l := k.lagwatch()
	p := awaitEqual(k.t, l, 15*time.Second, "the page to agree with the group command", want, func(p *page) map[string]map[testkafka.TopicPartition]described {
		return describedBy(p, topic, groups)
	})
	committed, ends := k.committed(groups...).Value, k.ends(topic).Value
	for _, group := range groups {
		if diff := cmp.Diff(committed[group], p.groupOffsets(committedOf, group)); diff != "" {
			k.t.Errorf("%s: committed (-admin client +page):\n%s", group, diff)
		}
		for place, lag := range p.groupOffsets(lagOf, group) {
			if lag != ends[place]-committed[group][place] {
				k.t.Errorf("%s at %v: lag %d; by the admin client %d", group, place, lag, ends[place]-committed[group][place])
			}
		}
		k.t.Logf("%-20s %d partitions the same as in the group command, group_lag %v", group, len(want[group]), p.sum("lagwatch_group_lag", labels{"group": group}))
	}
	k.sameMembers(p, groups)
	if diff := cmp.Diff(ends, p.offsets(endOf, labels{"topic": topic})); diff != "" {
		k.t.Errorf("ends (-admin client +page):\n%s", diff)
	}
}

// sameMembers compares states, types and members with Kafka's admin client.
func (k *kafka) sameMembers(p *page, groups []string) {
	k.t.Helper()
	described, err := k.DescribeGroups(k.ctx, groups...)
	k.must(err)
	for _, group := range groups {
		d := described.Value[group]
		kind := strings.ToLower(d.Type)
		if kind == "" { // clients of that time know of one only
			kind = "classic"
		}
		of := labels{"group": group}
		if !p.complete(group) || !p.shows(float64(len(d.Members)), "lagwatch_group_members", of) {
			k.t.Errorf("%s: not complete, or not %d members", group, len(d.Members))
		}
		if !p.shows(1, "lagwatch_group_state", labels{"group": group, "state": strings.ToLower(d.State)}) {
			k.t.Errorf("%s: not shown as %s", group, d.State)
		}
		if info := p.find("lagwatch_group_info", of); len(info) != 1 || info[0].labels["type"] != kind {
			k.t.Errorf("%s: shown as %v, not %s", group, info, kind)
		}
		if !p.shows(float64(d.Coordinator), "lagwatch_group_coordinator", of) {
			k.t.Errorf("%s: broker %d is not shown as its coordinator", group, d.Coordinator)
		}
	}
}

// topicIDs checks whether topics have ids, and what a topic looks like that was
// deleted and created again between two polls. Without ids it is not seen as
// another one, and no offset is one of before all the same.
func topicIDs(k *kafka, old oldKafka) {
	const topic = "again"
	k.topic(topic, 2)
	k.produce(topic, -1, 200)
	k.commit(topic, at(topic, map[int]int64{0: 90, 1: 60}))
	c, err := collector.New(collector.Options{Brokers: k.cluster.Bootstrap(), RequestTimeout: 5 * time.Second})
	k.must(err)
	defer c.Close()
	before, ends := k.polled(c, topic)
	if diff := cmp.Diff(at(topic, map[int]int64{0: 100, 1: 100}), ends); diff != "" {
		k.t.Errorf("ends (-want +polled):\n%s", diff)
	}
	k.must(k.DeleteTopic(k.ctx, topic))
	k.waitUntil("the topic to be gone", func() bool {
		return k.CreateTopic(k.ctx, testkafka.TopicSpec{Name: topic, Partitions: 2}) == nil
	})
	k.produce(topic, 0, 3)
	after, ends := k.polled(c, topic)
	if diff := cmp.Diff(at(topic, map[int]int64{0: 3, 1: 0}), ends); diff != "" {
		k.t.Errorf("ends of the new topic (-want +polled):\n%s", diff)
	}
	if old.withoutIDs && (before.ID.Known() || after.ID.Known()) || !old.withoutIDs && (!before.ID.Known() || !after.ID.Known() || before.ID == after.ID) {
		k.t.Errorf("the topic's id was %x, and is %x", before.ID, after.ID)
	}
	k.t.Logf("id of the topic %x, and when it was created again %x", before.ID, after.ID)
}

// polled polls once and returns what it saw of a topic. A problem in that poll
// fails the test.
func (k *kafka) polled(c *collector.Client, topic string) (snapshot.Topic, testkafka.Offsets) {
	k.t.Helper()
	s, err := c.Poll(k.ctx)
	k.must(err)
	for _, p := range s.Problems {
		k.t.Errorf("polling: %s: %s", p.Stage, p.Detail)
	}
	t, ok := s.Topic(topic)
	if !ok {
		k.t.Fatalf("a poll saw no topic %s", topic)
	}
	ends := testkafka.Offsets{}
	for _, p := range t.Partitions {
		if end, ok := p.End.Get(); ok {
			ends[testkafka.TopicPartition{Topic: topic, Partition: int(p.ID)}] = end.Offset
		}
	}
	return *t, ends
}

// oldDeleted is fault 8, for the broker that describes a deleted group as dead.
func oldDeleted(k *kafka, _ oldKafka) { standaloneDeleted(k, k.lagwatch()) }

// oldRequests checks in which versions lagwatch asks, and how often.
func oldRequests(k *kafka, old oldKafka) {
	k.topic("requests", 3)
	k.produce("requests", -1, 60)
	commits := testkafka.Offsets{}
	for _, place := range testkafka.Partitions("requests", 3) {
		commits[place] = 5
	}
	k.manyGroups("requests-", 10, commits)
	groups, want := 10, map[string]int{"METADATA": 1, "LIST_GROUPS": 1, "DESCRIBE_GROUPS": 1, "OFFSET_FETCH": 1, "LIST_OFFSETS": 1}
	if slices.Contains(old.protocols, testkafka.Consumer) {
		k.consumerGroups("requests", 1)
		groups, want["CONSUMER_GROUP_DESCRIBE"] = groups+1, 1
	}
	if speaks[old.version]["OFFSET_FETCH"] < 8 {
		want["OFFSET_FETCH"] = groups
	}
	c := k.countRequests("Kafka "+old.version, groups)
	c.check(k.t, total(want))
	checkSpoken(k.t, c, old, want)
}

// checkSpoken checks each request's version, and how many there are a poll. The
// requests of a poll at either end of the time may count to the next one; a poll
// that missed something has sent fewer.
func checkSpoken(t *testing.T, c counted, old oldKafka, want map[string]int) {
	t.Helper()
	names := map[string]bool{}
	for api, each := range want {
		name := api + " v" + strconv.Itoa(speaks[old.version][api])
		names[name] = true
		if n := c.sent[name]; n < each*(c.polls-c.missed-1) {
			t.Errorf("%s was sent %d times in %d polls, want %d a poll", name, n, c.polls, each)
		}
	}
	for name, n := range c.sent {
		if !names[name] {
			t.Errorf("%s was sent %d times, want only %v", name, n, slices.Sorted(maps.Keys(names)))
		}
	}
}
