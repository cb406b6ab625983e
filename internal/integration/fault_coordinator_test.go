//go:build breaking

package integration

import (
	"strconv"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// TestBreakingFault13CoordinatorMoves proves that a coordinator which shuts down
// and comes back costs no lag series and no owner: what the groups had stands,
// marked, until the new coordinator tells it.
func TestBreakingFault13CoordinatorMoves(t *testing.T) {
	c := startBrokers(t)
	startLoad(t, c)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 60s")
	whole := awaitWhole(t, l, time.Minute)
	victim := coordinatorOf(t, whole, "cooperative")
	r := record(t, l, 150*time.Millisecond)

	stopped := time.Now()
	check(t, c.Stop(t.Context(), victim))
	moved := l.await(t, 90*time.Second, "another coordinator, and everything complete", func(p *page) bool {
		id, ok := p.value("lagwatch_group_coordinator", labels{"group": "cooperative"})
		return ok && int(id) != victim && wholeLoad(p)
	})
	t.Logf("the coordinator of cooperative was %d and is %d; complete %s after it was told to stop",
		victim, coordinatorOf(t, moved, "cooperative"), seconds(moved.asked.Sub(stopped)))
	check(t, c.StartBroker(t.Context(), victim))
	l.await(t, 90*time.Second, "all brokers up and everything complete", func(p *page) bool {
		return len(p.families["lagwatch_broker_up"]) == 3 && p.all(1, "lagwatch_broker_up", nil) && wholeLoad(p)
	})
	during := r.between(t, stopped, time.Now())
	checkAnswered(t, during)
	checkPollsEnd(t, during)
	checkNoneLost(t, during, whole)
	checkOwnersStay(t, during)
	t.Logf("errors: %s", errorCounts(l.page(t)))
}

// checkOwnersStay checks that every page has one owner for each partition of the
// busy groups. Members that rebalance give up partitions, which is true then:
// only groups in the state stable, or in none that is known, are looked at.
func checkOwnersStay(t *testing.T, during []scrape) {
	t.Helper()
	looked, incomplete := 0, map[string]int{}
	for _, s := range during {
		for group := range busyGroups {
			if !s.complete(group) {
				incomplete[group]++
			}
			if !s.shows(1, "lagwatch_group_state", labels{"group": group, "state": "stable"}) {
				continue
			}
			looked++
			if n := len(s.owners(group)); n != busyPartitions {
				t.Errorf("at %s %s is stable, with %d of %d partitions owned", clock(s.asked), group, n, busyPartitions)
			}
		}
	}
	t.Logf("owners looked at %d times; pages on which a group was incomplete: %v of %d", looked, incomplete, len(during))
}

// The partition without a leader, and the group that has commits on it.
const loneTopic, loneGroup, lonePartitions = "lone", "lone-reader", 3

// TestBreakingFault12LeaderlessPartition proves that partitions without a leader
// are missing and counted, that the groups which read them are marked, and that
// all the others are reported as if nothing were.
func TestBreakingFault12LeaderlessPartition(t *testing.T) {
	c := startBrokers(t)
	load := startLoad(t, c)
	check(t, load.driver.CreateTopic(t.Context(), testkafka.TopicSpec{Name: loneTopic, Partitions: lonePartitions}))
	_, err := load.driver.Produce(t.Context(), testkafka.ProduceSpec{Topic: loneTopic, Records: 30})
	check(t, err)
	commits := testkafka.Offsets{}
	for _, place := range testkafka.Partitions(loneTopic, lonePartitions) {
		commits[place] = 4
	}
	check(t, load.driver.AlterOffsets(t.Context(), map[string]testkafka.Offsets{loneGroup: commits}))
	leaders := map[testkafka.TopicPartition]int{}
	described, err := load.driver.DescribeTopics(t.Context(), loneTopic)
	check(t, err)
	for _, p := range described.Value {
		leaders[p.TopicPartition] = *p.Leader
	}
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 5s")
	whole := l.await(t, time.Minute, "everything", func(p *page) bool {
		return wholeLoad(p) && p.complete(loneGroup) && p.shows(18, "lagwatch_group_lag", labels{"group": loneGroup})
	})
	victim := leaders[testkafka.TopicPartition{Topic: loneTopic}]
	gone := 0
	for _, id := range leaders {
		if id == victim {
			gone++
		}
	}

	killed := time.Now()
	check(t, c.Kill(victim))
	without := float64(6 * (lonePartitions - gone))
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
	l.await(t, 2*time.Minute, "everything again", func(p *page) bool {
		return wholeLoad(p) && p.complete(loneGroup) && p.shows(18, "lagwatch_group_lag", labels{"group": loneGroup})
	})
	if n := len(whole.groupOffsets(lagOf, loneGroup)); n != lonePartitions {
		t.Errorf("before it all there were %d lag series", n)
	}
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
		if led := leader != victim; known != led || end != led || known && n != 6 {
			t.Errorf("at %s %v, which was led by %d, has lag %d (known: %v; end: %v)", clock(p.asked), place, leader, n, known, end)
		}
	}
	if n, ok := p.value("lagwatch_topic_partitions", labels{"topic": loneTopic}); !ok || n != lonePartitions {
		t.Errorf("at %s %s has %s partitions", clock(p.asked), loneTopic, strconv.Itoa(int(n)))
	}
}
