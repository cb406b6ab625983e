//go:build breaking

package integration

import (
	"testing"
	"time"
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
