//go:build soak

package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// A topic that is deleted and made again, with a group that has commits on it,
// and a group that is deleted and made again.
const (
	sideTopic, sideGroup, sidePartitions = "side", "side-reader", 3
	passingGroup                         = "passing"
)

// soakFault breaks something, mends it, and says what it was.
type soakFault func(context.Context, *soak) (string, error)

var soakFaults = []soakFault{killBroker, freezeBroker, restartCoordinator, electLeaders, recreateTopic, deleteGroup, killMembers}

func (s *soak) anyBroker() int { return 1 + s.random.IntN(3) }

func (s *soak) anyTime(least, most time.Duration) time.Duration {
	return least + time.Duration(s.random.Int64N(int64(most-least)))
}

// lasts returns when something has lasted so long.
func lasts(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func killBroker(ctx context.Context, s *soak) (string, error) {
	id, down := s.anyBroker(), s.anyTime(0, 10*time.Second)
	what := fmt.Sprintf("broker %d killed, started %.1f s later", id, down.Seconds())
	if err := s.cluster.Kill(id); err != nil {
		return what, err
	}
	lasts(ctx, down)
	return what, s.cluster.StartBroker(ctx, id)
}

func freezeBroker(ctx context.Context, s *soak) (string, error) {
	id, frozen := s.anyBroker(), s.anyTime(5*time.Second, 10*time.Second)
	what := fmt.Sprintf("broker %d frozen for %.1f s", id, frozen.Seconds())
	if err := s.cluster.Freeze(id); err != nil {
		return what, err
	}
	lasts(ctx, frozen)
	return what, s.cluster.Thaw(id)
}

// restartCoordinator restarts the broker that coordinates one of the groups: it
// hands over what it leads and coordinates, and gets some of it back.
func restartCoordinator(ctx context.Context, s *soak) (string, error) {
	group := soakGroups[s.random.IntN(len(soakGroups))]
	id := s.anyBroker()
	_ = s.judge.last(func(p *page) error {
		if n, ok := p.value("lagwatch_group_coordinator", labels{"group": group}); ok {
			id = int(n)
		}
		return nil
	})
	return fmt.Sprintf("broker %d restarted, the coordinator of %s", id, group), s.cluster.Restart(ctx, id)
}

// recreateTopic returns when the page has the new log, and the lag on it.
func recreateTopic(ctx context.Context, s *soak) (string, error) {
	const what = "side topic deleted and made again"
	if err := persist(ctx, func() error { return s.driver.DeleteTopic(ctx, sideTopic) }); err != nil {
		return what, err
	}
	if err := s.createSide(ctx); err != nil {
		return what, err
	}
	return s.seen(ctx, what, func(p *page) error {
		ends, lag := p.offsets(endOf, labels{"topic": sideTopic}), p.groupOffsets(lagOf, sideGroup)
		for _, at := range testkafka.Partitions(sideTopic, sidePartitions) {
			if ends[at] != s.sideEnd || lag[at] != s.sideEnd-s.sideCommit {
				return fmt.Errorf("%v ends at %d with a lag of %d, and made were %d with %d read", at, ends[at], lag[at], s.sideEnd, s.sideCommit)
			}
		}
		return nil
	})
}

// deleteGroup returns when the group was off the page and is on it again.
func deleteGroup(ctx context.Context, s *soak) (string, error) {
	what := "group deleted and made again"
	if err := persist(ctx, func() error { return s.driver.DeleteGroups(ctx, passingGroup) }); err != nil {
		return what, err
	}
	what, err := s.seen(ctx, what, func(p *page) error {
		if slices.Contains(p.groups(), passingGroup) {
			return errors.New("the deleted group is still on the page")
		}
		return nil
	})
	if err != nil {
		return what, err
	}
	if err := s.createPassing(ctx); err != nil {
		return what, err
	}
	return s.seen(ctx, what, func(p *page) error {
		if n := len(p.groupOffsets(lagOf, passingGroup)); n != standingPartitions {
			return fmt.Errorf("the group that was made again has %d lag series", n)
		}
		return nil
	})
}

// seen waits until a page is as wanted, and adds to what how many polls that
// took.
func (s *soak) seen(ctx context.Context, what string, wanted func(*page) error) (string, error) {
	first := -1
	polls := 0
	err := persist(ctx, func() error {
		return s.judge.last(func(p *page) error {
			if first < 0 {
				first = p.polls("")
			}
			polls = p.polls("") - first
			return wanted(p)
		})
	})
	if err == nil && polls > recoverPolls {
		err = fmt.Errorf("the page followed only after %d polls", polls)
	}
	return fmt.Sprintf("%s (seen after %d polls)", what, polls), err
}

// createSide makes the topic, with another log and another commit each time.
func (s *soak) createSide(ctx context.Context) error {
	spec := testkafka.TopicSpec{Name: sideTopic, Partitions: sidePartitions, Replicas: 3}
	if err := persist(ctx, func() error { return s.driver.CreateTopic(ctx, spec) }); err != nil {
		return err
	}
	s.sideEnd = 50 + s.random.Int64N(500)
	s.sideCommit = s.random.Int64N(s.sideEnd)
	records := testkafka.ProduceSpec{Topic: sideTopic, Records: int(s.sideEnd) * sidePartitions}
	if _, err := s.driver.Produce(ctx, records); err != nil {
		return err
	}
	return s.commitFor(ctx, sideGroup, sideTopic, s.sideCommit)
}

func (s *soak) createPassing(ctx context.Context) error {
	return s.commitFor(ctx, passingGroup, standingTopic, standingLag/2)
}

func (s *soak) commitFor(ctx context.Context, group, topic string, offset int64) error {
	commits := testkafka.Offsets{}
	for _, p := range testkafka.Partitions(topic, 3) {
		commits[p] = offset
	}
	return persist(ctx, func() error { return s.driver.AlterOffsets(ctx, map[string]testkafka.Offsets{group: commits}) })
}

// persist tries until something succeeds: Kafka refuses much for a moment
// after a fault.
func persist(ctx context.Context, try func() error) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-tick.C:
		}
	}
}

// churn has a third member join one of the busy groups and leave it again, one
// group after the other.
type churn struct {
	t      *testing.T
	driver *testkafka.Driver
	random *rand.Rand
	cancel context.CancelFunc
	ended  chan struct{}
	once   sync.Once
}

func startChurn(t *testing.T, d *testkafka.Driver, random *rand.Rand) *churn {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &churn{t: t, driver: d, random: random, cancel: cancel, ended: make(chan struct{})}
	go c.run(ctx)
	t.Cleanup(c.stop)
	return c
}

// stop returns when the member that came last has left.
func (c *churn) stop() {
	c.once.Do(c.cancel)
	<-c.ended
}

func (c *churn) run(ctx context.Context) {
	defer close(c.ended)
	groups := []string{"eager", "cooperative", "modern"}
	joined, failed := 0, 0
	for n := 0; ctx.Err() == nil; n++ {
		group := groups[c.random.IntN(len(groups))]
		id := fmt.Sprintf("%s-passer-%d", group, n)
		stay := time.Second + time.Duration(c.random.Int64N(int64(8*time.Second)))
		if err := c.driver.StartConsumer(context.Background(), busyConsumer(id, group, busyGroups[group])); err != nil {
			c.t.Errorf("starting a passer-by: %v", err)
			return
		}
		joined++
		lasts(ctx, stay)
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		if err := c.driver.CloseConsumer(closing, id); err != nil {
			failed++ // its coordinator is away; it leaves when its session ends
		}
		cancel()
		lasts(ctx, stay/2)
	}
	c.t.Logf("%d members joined and left, %d of them could not say so", joined, failed)
}
