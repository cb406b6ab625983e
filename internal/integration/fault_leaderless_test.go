//go:build breaking

package integration

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// A topic without replicas, and the group that is behind on each of its
// partitions.
const loneTopic, loneGroup, lonePartitions, loneLag = "lone", "lone-reader", 3, 6

// TestBreakingFault12LeaderlessPartition proves that partitions without a leader
// are missing and counted, that the groups which read them are marked, and that
// all the others are reported as if nothing were.
func TestBreakingFault12LeaderlessPartition(t *testing.T) {
	c := startBrokers(t)
	load := startLoad(t, c)
	leaders := lonePartitionsOf(t, load)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 5s")
	everything := func(p *page) bool {
		return wholeLoad(p) && p.complete(loneGroup) && len(p.groupOffsets(lagOf, loneGroup)) == lonePartitions &&
			p.shows(loneLag*lonePartitions, "lagwatch_group_lag", labels{"group": loneGroup})
	}
	l.await(t, time.Minute, "everything", everything)
	victim := leaders[testkafka.TopicPartition{Topic: loneTopic}]
	gone := 0
	for _, id := range leaders {
		if id == victim {
			gone++
		}
	}

	killed := time.Now()
	check(t, c.Kill(victim))
	without := float64(loneLag * (lonePartitions - gone))
	p := l.await(t, 2*time.Minute, "the rest of the cluster without the broker", func(p *page) bool {
		lag, known := p.value("lagwatch_group_lag", labels{"group": loneGroup})
		return wholeLoad(p) && p.sum("lagwatch_poll_errors_total", labels{"reason": "no_leader"}) > 0 &&
			known == (without > 0) && lag == without
	})
	checkLeaderless(t, p, leaders, victim)
	polls := p.polls("")
	r := record(t, l, 150*time.Millisecond)
	from := time.Now()
	p = l.await(t, time.Minute, "more polls", func(p *page) bool { return p.polls("") >= polls+5 })
	for _, s := range r.between(t, from, p.asked) {
		checkLeaderless(t, s.page, leaders, victim)
	}
	t.Logf("%s after broker %d went: %d of %d partitions of %s without a leader, group_lag %v, complete 0; errors: %s",
		seconds(p.asked.Sub(killed)), victim, gone, lonePartitions, loneTopic, without, errorCounts(p))

	check(t, c.StartBroker(t.Context(), victim))
	l.await(t, 2*time.Minute, "everything again", everything)
}

// lonePartitionsOf makes a topic without replicas, and a group that is behind on
// each of its partitions by as much. It returns their leaders.
func lonePartitionsOf(t *testing.T, l *load) map[testkafka.TopicPartition]int {
	t.Helper()
	check(t, l.driver.CreateTopic(t.Context(), testkafka.TopicSpec{Name: loneTopic, Partitions: lonePartitions}))
	_, err := l.driver.Produce(t.Context(), testkafka.ProduceSpec{Topic: loneTopic, Records: 10 * lonePartitions})
	check(t, err)
	commits := testkafka.Offsets{}
	for _, place := range testkafka.Partitions(loneTopic, lonePartitions) {
		commits[place] = 10 - loneLag
	}
	check(t, l.driver.AlterOffsets(t.Context(), map[string]testkafka.Offsets{loneGroup: commits}))
	described, err := l.driver.DescribeTopics(t.Context(), loneTopic)
	check(t, err)
	leaders := map[testkafka.TopicPartition]int{}
	for _, p := range described.Value {
		leaders[p.TopicPartition] = *p.Leader
	}
	return leaders
}

// checkLeaderless checks a page while some partitions have no leader.
func checkLeaderless(t *testing.T, p *page, leaders map[testkafka.TopicPartition]int, victim int) {
	t.Helper()
	if !p.shows(0, "lagwatch_group_complete", labels{"group": loneGroup}) {
		t.Errorf("at %s %s is not marked incomplete", clock(p.asked), loneGroup)
	}
	lag, ends := p.groupOffsets(lagOf, loneGroup), p.offsets(endOf, labels{"topic": loneTopic})
	for place, leader := range leaders {
		n, known := lag[place]
		_, end := ends[place]
		if led := leader != victim; known != led || end != led || known && n != loneLag {
			t.Errorf("at %s %v, which was led by %d, has lag %d (known: %v; end: %v)", clock(p.asked), place, leader, n, known, end)
		}
	}
	if n, ok := p.value("lagwatch_topic_partitions", labels{"topic": loneTopic}); !ok || n != lonePartitions {
		t.Errorf("at %s %s has %v partitions (known: %v)", clock(p.asked), loneTopic, n, ok)
	}
}
