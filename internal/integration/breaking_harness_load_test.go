//go:build breaking || soak

package integration

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// The load: a busy topic that three groups read, one of each protocol, and a
// topic on which a group without members stands still at a known distance.
const (
	busyTopic, busyPartitions         = "orders", 6
	standingTopic, standingPartitions = "archive", 3
	standingGroup, standingLag        = "archiver", 1000
)

var busyGroups = map[string]testkafka.Protocol{
	"eager":       testkafka.ClassicRange,
	"cooperative": testkafka.ClassicCooperative,
	"modern":      testkafka.Consumer,
}

var loadGroups = []string{"eager", "cooperative", "modern", standingGroup}

// load is what goes on in a cluster while a test breaks it.
type load struct {
	cluster *testkafka.Cluster
	driver  *testkafka.Driver
}

// startLoad returns when every group is stable and all commit.
func startLoad(t *testing.T, c *testkafka.Cluster) *load {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	d, err := c.Driver(ctx)
	check(t, err)
	l := &load{c, d}
	check(t, d.CreateTopic(ctx, testkafka.TopicSpec{Name: busyTopic, Partitions: busyPartitions, Replicas: 3}))
	check(t, l.standStill(ctx))
	check(t, d.StartProducer(ctx, testkafka.ProducerSpec{ID: "till", Topic: busyTopic, Rate: 60}))
	for group, protocol := range busyGroups {
		for _, id := range []string{group + "-1", group + "-2"} {
			check(t, d.StartConsumer(ctx, busyConsumer(id, group, protocol)))
		}
	}
	for group := range busyGroups {
		check(t, d.WaitAssigned(ctx, group, testkafka.Spread(2, busyPartitions)))
	}
	t.Logf("load runs after %v", time.Since(began).Round(100*time.Millisecond))
	return l
}

// standStill makes the backlog that never changes.
func (l *load) standStill(ctx context.Context) error {
	err := l.driver.CreateTopic(ctx, testkafka.TopicSpec{Name: standingTopic, Partitions: standingPartitions, Replicas: 3})
	if err != nil {
		return err
	}
	commits := testkafka.Offsets{}
	for _, p := range testkafka.Partitions(standingTopic, standingPartitions) {
		_, err := l.driver.Produce(ctx, testkafka.ProduceSpec{Topic: p.Topic, Records: standingLag + p.Partition, Partition: new(p.Partition)})
		if err != nil {
			return err
		}
		commits[p] = int64(p.Partition)
	}
	return l.driver.AlterOffsets(ctx, map[string]testkafka.Offsets{standingGroup: commits})
}

// busyConsumer commits by itself: a commit that waits would end the consumer
// when brokers are away for long.
func busyConsumer(id, group string, protocol testkafka.Protocol) testkafka.ConsumerSpec {
	return testkafka.ConsumerSpec{
		ID: id, Group: group, Topics: []string{busyTopic}, Protocol: protocol,
		Commit: testkafka.CommitAuto, AutoCommitInterval: 500 * time.Millisecond,
	}
}

// awaitWhole returns when every group of the load has been read wholly, and all
// members have their partitions, on the page.
func awaitWhole(t *testing.T, l *lagwatch, limit time.Duration) *page {
	t.Helper()
	return l.await(t, limit, "a page with all of the load", wholeLoad)
}

func wholeLoad(p *page) bool {
	for group := range busyGroups {
		if !settled(p, group) || len(p.groupOffsets(lagOf, group)) != busyPartitions {
			return false
		}
	}
	return p.shows(1, "lagwatch_up", nil) && p.complete(loadGroups...) && standsStill(p) == nil
}

// settled tells whether a group of the load is stable and owns its partitions.
func settled(p *page, group string) bool {
	return p.shows(1, "lagwatch_group_state", labels{"group": group, "state": "stable"}) &&
		p.shows(2, "lagwatch_group_members", labels{"group": group}) && len(p.owners(group)) == busyPartitions
}

// standsStill is an error unless the standing group has exactly the lag that it
// always has.
func standsStill(p *page) error {
	lag := p.groupOffsets(lagOf, standingGroup)
	for _, at := range testkafka.Partitions(standingTopic, standingPartitions) {
		if n, ok := lag[at]; !ok || n != standingLag {
			return fmt.Errorf("the lag of %s on %v is %d (known: %v), and stands at %d", standingGroup, at, n, ok, standingLag)
		}
	}
	return nil
}
