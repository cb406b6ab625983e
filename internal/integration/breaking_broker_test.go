//go:build breaking

package integration

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// TestBreakingOneBrokerKilled proves that a dead broker costs its own groups
// and partitions only, that those are marked and lose no series while they
// move, and that the rest of the cluster is whole without it.
func TestBreakingOneBrokerKilled(t *testing.T) {
	c := startBrokers(t)
	load := startLoad(t, c)
	placed := placeGroups(t, load)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 60s")
	awaitWhole(t, l, time.Minute)
	whole := l.await(t, time.Minute, "all placed groups", placed.complete)
	victim := coordinatorOf(t, whole, "eager")
	t.Logf("broker %d goes; it coordinates eager and %d of %d placed groups, or leads their topic", victim, placed.affected(victim), len(placed))

	r := record(t, l, 150*time.Millisecond)
	killed := time.Now()
	check(t, c.Kill(victim))
	l.await(t, 90*time.Second, "everything without the broker", func(p *page) bool {
		return time.Since(killed) > aPoll && placed.complete(p) && wholeLoad(p)
	})
	moved := time.Now()
	during := r.between(t, killed, moved)
	t.Logf("%s after the kill everything is complete again", seconds(moved.Sub(killed)))
	checkAnswered(t, during)
	checkPollsEnd(t, during)
	placed.checkMarked(t, during, victim, killed)
	checkNoneLost(t, during, whole)
	checkBrokerDown(t, during, victim, killed)

	order := time.Now()
	check(t, c.StartBroker(t.Context(), victim))
	served, before := time.Now(), l.page(t)
	p := l.await(t, time.Minute, "all three brokers up and everything complete", func(p *page) bool {
		return len(p.families["lagwatch_broker_up"]) == 3 && p.all(1, "lagwatch_broker_up", nil) && placed.complete(p) && wholeLoad(p)
	})
	back := r.between(t, order, time.Now())
	t.Logf("the broker serves %s after its start; all three are up and everything is complete %s later; errors until then: %s; now: %s",
		seconds(served.Sub(order)), seconds(time.Since(served)), errorCounts(before), errorCounts(p))
	checkAnswered(t, back)
	checkNoneLost(t, back, whole)
}

// placement says which broker coordinates each group, and which leads the one
// partition that it commits on.
type placement map[string]struct{ coordinator, leader int }

// A placed group is always so far behind.
const placedRecords, placedCommit = 100, 40

// placeGroups makes groups for every pair of a coordinator and a leader.
func placeGroups(t *testing.T, l *load) placement {
	t.Helper()
	placed := placement{}
	for leader, topic := range ledTopics(t, l) {
		_, err := l.driver.Produce(t.Context(), testkafka.ProduceSpec{Topic: topic, Records: placedRecords})
		check(t, err)
		// Consecutive names hash to consecutive partitions of the nine that
		// hold commits.
		names, err := l.driver.CreateGroups(t.Context(), "led-by-"+strconv.Itoa(leader)+"-", 9, testkafka.Offsets{{Topic: topic}: placedCommit})
		check(t, err)
		groups, err := l.driver.DescribeGroups(t.Context(), names...)
		check(t, err)
		for _, g := range groups.Value {
			placed[g.Group] = struct{ coordinator, leader int }{g.Coordinator, leader}
		}
	}
	return placed
}

// ledTopics makes topics of one partition until every broker leads one.
func ledTopics(t *testing.T, l *load) map[int]string {
	t.Helper()
	topics := map[int]string{}
	for i := 0; len(topics) < 3; i++ {
		if i == 40 {
			t.Fatalf("after %d topics, leaders are only %v", i, topics)
		}
		name := "led-" + strconv.Itoa(i)
		check(t, l.driver.CreateTopic(t.Context(), testkafka.TopicSpec{Name: name, Partitions: 1, Replicas: 3}))
		topics[leaderOf(t, l, name)] = name
	}
	return topics
}

// leaderOf waits until the broker that is asked knows a new topic.
func leaderOf(t *testing.T, l *load, topic string) (leader int) {
	t.Helper()
	await.Until(t, 30*time.Second, "the leader of "+topic, func() bool {
		described, err := l.driver.DescribeTopics(t.Context(), topic)
		if err != nil || described.Value[0].Leader == nil {
			return false
		}
		leader = *described.Value[0].Leader
		return true
	})
	return leader
}

func coordinatorOf(t *testing.T, p *page, group string) int {
	t.Helper()
	id, ok := p.value("lagwatch_group_coordinator", labels{"group": group})
	if !ok {
		t.Fatalf("the coordinator of %s is not known", group)
	}
	return int(id)
}

func (pl placement) affected(broker int) int {
	n := 0
	for _, at := range pl {
		if at.coordinator == broker || at.leader == broker {
			n++
		}
	}
	return n
}

// complete tells whether all placed groups were read wholly, and show the lag
// that they have.
func (pl placement) complete(p *page) bool {
	for group := range pl {
		if !p.complete(group) || !p.shows(placedRecords-placedCommit, lagOf, labels{"group": group}) {
			return false
		}
	}
	return true
}

// checkMarked checks that a group which needs nothing of the dead broker stays
// complete, and that one which does is marked. Where the machine was too busy
// for a living broker to answer in time, the group may be marked for that.
func (pl placement) checkMarked(t *testing.T, during []scrape, victim int, killed time.Time) {
	t.Helper()
	busy := busyMoments(t, during)
	for group, at := range pl {
		affected, marked := at.coordinator == victim || at.leader == victim, false
		for i, s := range during {
			complete := s.complete(group)
			marked = marked || !complete
			if !complete && !affected && !busy[i] {
				t.Errorf("%s after the kill %s is incomplete, which broker %d coordinates on a topic that %d leads",
					seconds(s.asked.Sub(killed)), group, at.coordinator, at.leader)
			}
			if lag, ok := s.value(lagOf, labels{"group": group}); !ok || lag != placedRecords-placedCommit {
				t.Errorf("%s after the kill the lag of %s is %v (known: %v)", seconds(s.asked.Sub(killed)), group, lag, ok)
			}
		}
		if affected && !marked {
			t.Errorf("%s was never marked incomplete, though it needs the dead broker: %+v", group, at)
		}
	}
}

// busyMoments finds the pages of polls in which brokers did not answer in time
// and this process, too, waited for a processor. A dead broker refuses at once.
func busyMoments(t *testing.T, list []scrape) map[int]bool {
	t.Helper()
	busy := map[int]bool{}
	for i := range list {
		starved, timeouts := within(list, i, 2*aPoll)
		busy[i] = timeouts > 0 && starved > 200*time.Millisecond
	}
	if n := len(slices.DeleteFunc(slices.Collect(maps.Values(busy)), func(b bool) bool { return !b })); n > 0 {
		t.Logf("on %d of %d pages living brokers had been too slow, on a machine without a free processor", n, len(list))
	}
	return busy
}

// checkNoneLost checks that every scrape has each lag series of before, and no
// other. One that were there twice would have failed the scrape.
func checkNoneLost(t *testing.T, during []scrape, whole *page) {
	t.Helper()
	for _, s := range during {
		if n, all := len(s.families[lagOf]), len(whole.families[lagOf]); n != all {
			t.Errorf("at %s there are %d lag series, and were %d", clock(s.asked), n, all)
		}
	}
}

// checkBrokerDown checks that the dead broker is shown as down, until Kafka
// itself no longer names it, and never as up.
func checkBrokerDown(t *testing.T, during []scrape, victim int, killed time.Time) {
	t.Helper()
	match := labels{"broker": strconv.Itoa(victim)}
	var down, named time.Time
	for _, s := range during {
		up, ok := s.value("lagwatch_broker_up", match)
		if ok && up == 0 && down.IsZero() {
			down = s.asked
		}
		if ok {
			named = s.asked
		}
		if ok && up != 0 && s.asked.Sub(killed) > aPoll+slack {
			t.Errorf("%s after the kill broker %d is shown as up", seconds(s.asked.Sub(killed)), victim)
		}
	}
	if down.IsZero() {
		t.Errorf("broker %d was never shown as down", victim)
		return
	}
	t.Logf("broker_up of the dead broker: 0 after %s, last shown after %s", seconds(down.Sub(killed)), seconds(named.Sub(killed)))
}
