//go:build !breaking && !soak

package integration

import (
	"testing"
)

// Members of groups of all types join and leave, static members restart, and a group
// goes from the classic to the consumer protocol and back while it runs: what is
// counted of rebalances and of partitions that moved is what the members themselves
// log, poll by poll and in all.
func TestOwnershipIsWhatMembersLog(t *testing.T) {
	k := useKafka(t)
	const topic = "owned"
	k.topic(topic, ownedPartitions)
	k.producer(topic, 100)
	f := follow(t, k.cluster.Bootstrap(), followingOwners, ofOwning)
	var groups []*owning
	for _, s := range scripts {
		groups = append(groups, k.owning(s, topic, f))
	}
	play(groups, func() {})
}
