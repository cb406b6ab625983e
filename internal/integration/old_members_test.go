//go:build !breaking && !soak

package integration

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// oldOwners is a short TestOwnersFollowTheMembers. The generation of a classic
// group is not known where the clients are too old to tell it.
func oldOwners(k *kafka, old oldKafka) {
	all := k.followMembers(old.protocols, old.clientsTellGeneration)
	if old.clientsTellGeneration {
		return
	}
	p := all[0].l.page(k.t)
	for _, s := range all {
		if n, ok := p.value("lagwatch_group_generation", labels{"group": s.group}); ok && s.protocol != testkafka.Consumer {
			k.t.Errorf("%s: generation %v, which no member tells", s.group, n)
		}
	}
}

// newClients has clients of today join groups on an old broker: they tell their
// generation.
func newClients(k *kafka, _ oldKafka) {
	driver, err := k.cluster.DriverOf(k.ctx, testkafka.DefaultVersion)
	k.must(err)
	(&kafka{Driver: driver, cluster: k.cluster, t: k.t, ctx: k.ctx}).followMembers(classicOnly, true)
}

// followMembers has members of a group of each protocol come and go, and waits
// after each step until the page says what they do.
func (k *kafka) followMembers(protocols []testkafka.Protocol, tellGeneration bool) []*settling {
	const partitions = 6
	k.topic("owners", partitions)
	k.produce("owners", -1, 60)
	k.producer("owners", 100)
	l := k.lagwatch("stale_after: 30s")
	var all []*settling
	for _, protocol := range protocols {
		all = append(all, &settling{
			kafka: k, l: l, group: "owners-" + string(protocol), protocol: protocol, partitions: partitions, fresh: true,
		})
	}
	for _, step := range []struct{ what, join, leave string }{
		{"a alone", "a", ""}, {"b joined", "b", ""}, {"c joined", "c", ""}, {"a left", "", "a"},
	} {
		for _, s := range all {
			s.fresh = !tellGeneration || step.join == "a"
			s.change(step.join, step.leave)
		}
		for _, s := range all {
			s.settled(step.what)
		}
	}
	return all
}

// oldRebalancing holds a classic group in a rebalance: a new member waits for
// one that works for an hour. Its last known owners stand, whatever the
// coordinator still says of them, and its lag is known.
func oldRebalancing(k *kafka, old oldKafka) {
	const topic, group, partitions = "rebalancing", "rebalancing", 4
	k.topic(topic, partitions)
	k.produce(topic, -1, 40)
	k.consumer(testkafka.ConsumerSpec{ID: "busy", Group: group, Topics: []string{topic}})
	k.caughtUp(topic, group)
	l := k.lagwatch("stale_after: 60s") // owners stand for as long
	want := map[testkafka.TopicPartition]owner{}
	for _, place := range testkafka.Partitions(topic, partitions) {
		want[place] = "busy@127.0.0.1"
	}
	owners := func(p *page) map[testkafka.TopicPartition]owner { return p.owners(group) }
	awaitEqual(k.t, l, 15*time.Second, "its owners", want, owners)
	k.must(k.SlowConsumer(k.ctx, "busy", time.Hour))
	k.produce(topic, -1, 40)
	k.consumer(testkafka.ConsumerSpec{ID: "waiting", Group: group, Topics: []string{topic}})

	rebalances := labels{"group": group, "state": "preparing_rebalance"}
	p := l.await(k.t, 20*time.Second, "the rebalance", func(p *page) bool {
		return p.shows(1, "lagwatch_group_state", rebalances) && p.shows(40, "lagwatch_group_lag", labels{"group": group})
	})
	polls := 0
	for ; polls < 4; polls++ {
		p = l.awaitPoll(k.t, p.asked, group)
		if diff := cmp.Diff(want, owners(p)); diff != "" || !p.shows(1, "lagwatch_group_state", rebalances) || !p.shows(40, "lagwatch_group_lag", labels{"group": group}) {
			k.t.Errorf("in the rebalance: lag %v; owners (-want +page):\n%s", p.find("lagwatch_group_lag", labels{"group": group}), diff)
		}
	}
	described, err := k.DescribeGroups(k.ctx, group)
	k.must(err)
	assigned := 0
	for _, m := range described.Value[group].Members {
		assigned += len(m.Assignment)
	}
	if forgets := assigned == 0; forgets != old.forgetsAssignments {
		k.t.Errorf("the coordinator describes %+v", described.Value[group])
	}
	k.t.Logf("%d polls of a group in %s: the coordinator names %d assigned partitions, the page %d owners",
		polls, described.Value[group].State, assigned, len(want))
	k.must(k.SlowConsumer(k.ctx, "busy", 0))
	k.must(k.WaitAssigned(k.ctx, group, testkafka.Spread(2, partitions)))
	s := settling{kafka: k, l: l, group: group, protocol: testkafka.ClassicRange, partitions: partitions, members: 2, fresh: true}
	s.settled("the rebalance is over")
}
