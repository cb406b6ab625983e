//go:build breaking

package integration

import (
	"slices"
	"testing"
)

// TestBreakingOwnershipCoordinatorKilled proves that nothing is counted because the
// broker that coordinates groups dies while their members come and go: what is counted
// of rebalances and moves is what the members log, before, meanwhile and afterwards.
func TestBreakingOwnershipCoordinatorKilled(t *testing.T) {
	c := startBrokers(t)
	k := driving(t, c)
	const topic = "owned"
	k.topic(topic, ownedPartitions)
	k.producer(topic, 100)
	f := follow(t, c.Bootstrap(), followingOwners, ofOwning)
	var groups []*owning
	for _, s := range scripts {
		groups = append(groups, k.owning(s, topic, f))
	}
	play(groups, func() {
		victim, led := busiestCoordinator(groups)
		t.Logf("killing broker %d, the coordinator of %d of %d groups", victim, len(led), len(groups))
		check(t, c.Kill(victim))
		for _, o := range led {
			o.moved(victim)
		}
		check(t, c.StartBroker(t.Context(), victim))
		for _, o := range groups {
			o.settled("broker back")
		}
	})
}

// busiestCoordinator is the broker that coordinates most groups, and which.
func busiestCoordinator(groups []*owning) (victim int, led []*owning) {
	by := map[int][]*owning{}
	for _, o := range groups {
		id, _ := o.last.group(o.group).Coordinator.Get()
		by[int(id)] = append(by[int(id)], o)
	}
	for id, list := range by {
		if len(list) > len(led) {
			victim, led = id, list
		}
	}
	return victim, slices.Clone(led)
}

// moved waits until another broker coordinates the group, and the view says again
// what the members log.
func (o *owning) moved(victim int) {
	o.t.Helper()
	for before := victim; before == victim; {
		o.settled("coordinator killed")
		id, _ := o.last.group(o.group).Coordinator.Get()
		before = int(id)
	}
}
