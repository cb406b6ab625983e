//go:build !breaking && !soak

package integration

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// A group whose members speak another protocol than consumers, as Connect's
// workers do, is there with its members and state, and what its members say is
// not read as subscriptions and assignments, even if it could be.
func TestOtherProtocolTypes(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const group, topic = "workers", "tasks"
	k.topic(topic, 2)
	worker, err := kgo.NewClient(kgo.SeedBrokers(k.cluster.Bootstrap()...), kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup(group), kgo.GroupProtocol("connect"), kgo.DisableAutoCommit())
	k.must(err)
	t.Cleanup(worker.Close)
	l := k.lagwatch("groups: {include: [workers]}", "topics: {include: [tasks]}")
	of := labels{"group": group}
	p := l.await(t, time.Minute, "a stable group of one member", func(p *page) bool {
		return p.shows(1, "lagwatch_group_state", labels{"group": group, "state": "stable"}) && p.shows(1, "lagwatch_group_members", of)
	})
	if !p.shows(1, "lagwatch_group_info", labels{"group": group, "type": "classic", "protocol": "connect"}) || !p.complete(group) {
		t.Errorf("info %v, complete %t", p.find("lagwatch_group_info", of), p.complete(group))
	}
	if diff := cmp.Diff(map[testkafka.TopicPartition]owner{}, p.owners(group)); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	for _, name := range []string{"lagwatch_group_lag", "lagwatch_group_topic_partitions", "lagwatch_group_generation", "lagwatch_group_idle_members"} {
		if found := p.find(name, of); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	if n := p.sum("lagwatch_poll_errors_total", labels{"stage": "describe_groups"}); n != 0 {
		t.Errorf("%v errors", n)
	}
}
