//go:build !breaking && !soak

package integration

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// leaderMoves is how often leaders move from broker to broker.
const leaderMoves = 12

// Fault 13: while leaders move under load, no page misses a lag series and no
// commit goes back; once they stand, everything is complete.
func TestFault13LeadersMove(t *testing.T) {
	k := useKafka(t)
	const topic, partitions = "moved", 3
	k.topic(topic, partitions)
	k.producer(topic, 200)
	groups := k.loadedGroups(topic, 1, partitions)
	l := k.lagwatch("stale_after: 30s")
	steady := steadySeries{groups: groups, want: testkafka.Partitions(topic, partitions)}
	before := l.await(t, 30*time.Second, "commits on every partition", func(p *page) bool {
		return checkSeries(p, groups, steady.want) == nil && p.complete(groups...)
	})
	stop := l.watch(t, steady.check)
	for i := range leaderMoves {
		k.must(k.MoveLeader(k.ctx, testkafka.TopicPartition{Topic: topic, Partition: i % partitions}, 1+(i+i/partitions)%3))
	}
	after := l.awaitPoll(t, time.Now(), groups...)
	pages := stop()
	notLeader := func(p *page) float64 { return p.sum("lagwatch_poll_errors_total", labels{"reason": "not_leader"}) }
	t.Logf("%d leaders moved; %d pages checked; of %d polls %d were not complete", leaderMoves, pages,
		after.polls("")-before.polls(""), after.missed()-before.missed())
	// The one retry may come before the new leader knows that it is one.
	if n := notLeader(after) - notLeader(before); n > leaderMoves {
		t.Errorf("%v times a partition was not read because its leader had moved", n)
	}
}
