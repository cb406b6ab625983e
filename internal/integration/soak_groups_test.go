//go:build soak

package integration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// Beside the groups of the load: a share group and a streams application on the
// busy topic, and a share group without members that stands still on the
// standing topic.
const (
	queueGroup = "queue"
	tallyGroup = "tally"
	stockGroup = "stock"
	tallyTopic = "tallies"
)

// soakGroups are all groups that are there all the time.
var soakGroups = slices.Concat(loadGroups, []string{queueGroup, tallyGroup, stockGroup})

// startLater starts the groups of the later types, and returns when the stock is
// laid in and the others are at work.
func (s *soak) startLater(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for _, group := range []string{queueGroup, stockGroup} {
		check(t, s.driver.SetGroupConfig(ctx, group, map[string]string{"share.auto.offset.reset": "earliest"}))
	}
	for _, id := range []string{queueGroup + "-1", queueGroup + "-2"} {
		check(t, s.driver.StartConsumer(ctx, testkafka.ConsumerSpec{
			ID: id, Group: queueGroup, Topics: []string{busyTopic}, Protocol: testkafka.Share,
		}))
	}
	check(t, s.driver.CreateTopic(ctx, testkafka.TopicSpec{Name: tallyTopic, Partitions: 1, Replicas: 3}))
	for _, id := range tallyInstances {
		check(t, s.driver.StartStreams(ctx, tallyInstance(id)))
	}
	check(t, s.driver.WaitAssigned(ctx, tallyGroup, testkafka.Spread(len(tallyInstances), 2*busyPartitions)))
	s.layIn(t, ctx)
}

var tallyInstances = []string{"tally-1", "tally-2"}

func tallyInstance(id string) testkafka.StreamsSpec {
	return testkafka.StreamsSpec{
		ID: id, Application: tallyGroup, Input: busyTopic, Output: tallyTopic,
		Config: map[string]string{"replication.factor": "3"},
	}
}

// layIn has a member of the stock's group take a part of the records and leave.
// From then on the group stands where Kafka says that it does.
func (s *soak) layIn(t *testing.T, ctx context.Context) {
	t.Helper()
	const id = stockGroup + "-1"
	check(t, s.driver.StartConsumer(ctx, testkafka.ConsumerSpec{
		ID: id, Group: stockGroup, Topics: []string{standingTopic}, Protocol: testkafka.Share,
		Processing: 10 * time.Millisecond, MaxPollRecords: 5,
		Config: map[string]string{"share.acquire.mode": "record_limit"},
	}))
	position := func() (p testkafka.SharePositions, everywhere bool) {
		r, err := s.driver.Positions(ctx, []string{standingTopic}, nil, []string{stockGroup})
		p = r.Value.Share[stockGroup]
		return p, err == nil && len(p.Starts) == standingPartitions && len(p.Lags) == standingPartitions
	}
	await.Until(t, 2*time.Minute, "the share group to have a position everywhere", func() bool { _, ok := position(); return ok })
	check(t, s.driver.CloseConsumer(ctx, id))
	await.Until(t, time.Minute, "the share group to stand still", func() bool {
		before := s.stock
		now, ok := position()
		s.stock = stock(now)
		return ok && maps.Equal(before.Lags, now.Lags) && maps.Equal(before.Starts, now.Starts)
	})
	t.Logf("%s stands still, behind by %v", stockGroup, s.stock.Lags)
}

// stock is where the share group without members stands.
type stock testkafka.SharePositions

// stands is an error unless the group has exactly that lag everywhere.
func (s stock) stands(p *page) error {
	if n := len(p.groupOffsets(lagOf, stockGroup)); n != standingPartitions {
		return fmt.Errorf("%s has %d lag series", stockGroup, n)
	}
	return s.sound(p)
}

// sound finds a false lag or start: each partition shows what it is, or nothing.
func (s stock) sound(p *page) error {
	known := p.groupOffsets(lagOf, stockGroup)
	for at, lag := range known {
		if lag != s.Lags[at] {
			return fmt.Errorf("%s on %v: a lag of %d, and it is %d", stockGroup, at, lag, s.Lags[at])
		}
	}
	for at, start := range p.groupOffsets(shareStartOf, stockGroup) {
		if start != s.Starts[at] {
			return fmt.Errorf("%s on %v: its start is %d, and it is %d", stockGroup, at, start, s.Starts[at])
		}
	}
	if p.complete(stockGroup) && len(known) != standingPartitions {
		return fmt.Errorf("%s: complete with %d partitions", stockGroup, len(known))
	}
	return nil
}

// honest finds groups that are said to be complete and lack something.
func honest(p *page) error {
	for group, want := range map[string]int{queueGroup: busyPartitions, tallyGroup: 2 * busyPartitions} {
		if n := len(p.groupOffsets(lagOf, group)); n > want || p.complete(group) && n != want {
			return fmt.Errorf("%s has %d lag series on %d partitions (complete: %v)", group, n, want, p.complete(group))
		}
	}
	return nil
}

// whole tells whether everything is on the page, and settled.
func (s *soak) whole(p *page) bool {
	for group, members := range map[string]float64{queueGroup: 2, tallyGroup: float64(len(tallyInstances))} {
		if !p.shows(members, "lagwatch_group_members", labels{"group": group}) ||
			!p.shows(1, "lagwatch_group_state", labels{"group": group, "state": "stable"}) {
			return false
		}
	}
	return wholeLoad(p) && p.complete(soakGroups...) && s.stock.stands(p) == nil &&
		len(p.owners(tallyGroup)) == 2*busyPartitions && len(p.owners(queueGroup)) == busyPartitions
}

// killMembers has a member of a classic group, one of a consumer group and an
// instance of the streams application go without a word, and others of the same
// name come.
func killMembers(ctx context.Context, s *soak) (string, error) {
	const what = "a classic, a consumer and a streams member killed, and replaced"
	for _, group := range []string{"eager", "modern"} {
		id := group + "-1"
		if err := s.driver.AbandonConsumer(ctx, id); err != nil {
			return what, err
		}
		if err := s.driver.StartConsumer(ctx, busyConsumer(id, group, busyGroups[group])); err != nil {
			return what, err
		}
	}
	id := tallyInstances[s.random.IntN(len(tallyInstances))]
	if err := s.driver.AbandonStreams(ctx, id); err != nil {
		return what, err
	}
	return what, s.driver.StartStreams(ctx, tallyInstance(id))
}

// electLeaders moves the leader of every partition of the busy topic to one
// broker, as far as it has a replica.
func electLeaders(ctx context.Context, s *soak) (string, error) {
	id := s.anyBroker()
	what := fmt.Sprintf("leaders of %s moved to broker %d", busyTopic, id)
	for _, at := range testkafka.Partitions(busyTopic, busyPartitions) {
		if err := persist(ctx, func() error { return s.driver.MoveLeader(ctx, at, id) }); err != nil {
			return what, err
		}
	}
	return what, nil
}
