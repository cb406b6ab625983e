package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Consumer is a running consumer. Its methods may be called concurrently.
type Consumer struct {
	cluster *Cluster
	spec    ConsumerSpec
	client  *kgo.Client
	line    *Line
	delay   atomic.Int64 // a time.Duration
	short   atomic.Int32

	processed atomic.Int64
	vanished  atomic.Bool

	mu       sync.Mutex
	assigned map[string]map[int32]struct{}
	hung     chan struct{} // closed by Resume; nil where the consumer doesn't hang

	// committing holds a token but while a commit is made up and sent, and
	// while partitions are given up: so no commit names a partition that its
	// next owner may have taken over. It guards marks. It is a channel and
	// not a mutex as its holder may wait for a rebalance: in a
	// testing/synctest bubble time goes on while others wait on a channel.
	committing chan struct{}
	marks      marks

	cancel context.CancelFunc // ends run
	kill   context.CancelFunc // ends the client
	done   chan struct{}
	once   sync.Once
}

// StartConsumer starts a consumer of topics that exist. It returns before
// the consumer has partitions; see [Cluster.WaitAssigned]. A group without
// commits is read from its start.
func (c *Cluster) StartConsumer(spec ConsumerSpec) (*Consumer, error) {
	m, err := c.newConsumer(spec)
	if err != nil {
		return nil, fmt.Errorf("starting a consumer of group %s: %w", spec.Group, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	if err := c.adopt(m); err != nil {
		cancel()
		m.kill()
		m.client.Close()
		return nil, fmt.Errorf("starting a consumer of group %s: %w", spec.Group, err)
	}
	go m.run(ctx)
	return m, nil
}

func (c *Cluster) newConsumer(spec ConsumerSpec) (*Consumer, error) {
	if spec.Group == "" || len(spec.Topics) == 0 {
		return nil, errors.New("no group or no topics")
	}
	if spec.ClientID == "" {
		spec.ClientID = spec.Group + "-consumer"
	}
	if spec.CommitEvery == 0 && spec.CommitInterval == 0 {
		spec.CommitInterval = defaultCommitInterval
	}
	m := &Consumer{
		cluster:  c,
		spec:     spec,
		line:     NewLine(c.Dial),
		assigned: make(map[string]map[int32]struct{}),
		marks:    marks{since: time.Now()},
		done:     make(chan struct{}),

		committing: make(chan struct{}, 1),
	}
	m.committing <- struct{}{}
	m.delay.Store(int64(spec.Delay))
	m.short.Store(int32(spec.Short))
	opts, err := m.options()
	if err != nil {
		return nil, err
	}
	life, kill := context.WithCancel(context.Background())
	m.kill = kill
	if m.client, err = c.NewClient(append(opts, kgo.WithContext(life))...); err != nil {
		kill()
		return nil, err
	}
	m.client.PauseFetchPartitions(spec.Stuck)
	return m, nil
}

// Assigned are the partitions that the consumer owns now, sorted, by topic.
// The caller owns the map.
func (m *Consumer) Assigned() map[string][]int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string][]int32)
	for topic, ps := range m.assigned {
		out[topic] = slices.Sorted(maps.Keys(ps))
	}
	return out
}

// MemberID is the id that the group's coordinator knows the consumer by, or
// "" while it has none.
func (m *Consumer) MemberID() string {
	id, _ := m.client.GroupMetadata()
	return id
}

// Processed is how many records the consumer handled.
func (m *Consumer) Processed() int64 { return m.processed.Load() }

// Delay is the processing time per record.
func (m *Consumer) Delay() time.Duration { return time.Duration(m.delay.Load()) }

// SetDelay changes the processing time, from the next record on.
func (m *Consumer) SetDelay(d time.Duration) { m.delay.Store(int64(d)) }

// Stick makes a partition stuck, see [ConsumerSpec].
func (m *Consumer) Stick(topic string, partition int32) {
	m.client.PauseFetchPartitions(map[string][]int32{topic: {partition}})
}

// Release undoes Stick.
func (m *Consumer) Release(topic string, partition int32) {
	m.client.ResumeFetchPartitions(map[string][]int32{topic: {partition}})
}

// Hang stops the consumer in the midst of its next record, like one that waits
// for an answer without a timeout: nothing more is committed, and its
// heartbeats go on. A rebalance waits for it.
func (m *Consumer) Hang() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hung == nil {
		m.hung = make(chan struct{})
	}
}

// Resume undoes Hang.
func (m *Consumer) Resume() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hung != nil {
		close(m.hung)
		m.hung = nil
	}
}

// SetShort changes by how many partitions the assignor takes a topic for
// smaller, and lets the group be assigned anew, see [ConsumerSpec].
func (m *Consumer) SetShort(n int) {
	m.short.Store(int32(n))
	m.client.ForceRebalance()
}

// Stop commits what was processed, leaves the group and waits for the
// consumer's goroutines; it gives the brokers a few seconds to answer. A
// static member isn't taken out of its group by
// this, as in Kafka. More calls do nothing but wait.
func (m *Consumer) Stop() { m.once.Do(m.stop) }

// Vanish ends the consumer as a crash would: its connections break, nothing
// more is committed, and the group waits for its session to time out.
func (m *Consumer) Vanish() {
	m.once.Do(func() {
		m.vanished.Store(true)
		m.line.Cut()
		m.stop()
	})
}

func (m *Consumer) stop() {
	m.cancel()
	<-m.done
	if !m.vanished.Load() {
		m.commit()
		ctx, cancel := bounded(stopTimeout)
		if err := m.client.LeaveGroupContext(ctx); err != nil {
			m.cluster.logf("consumer of group %s: leaving: %v", m.spec.Group, err)
		}
		cancel()
	}
	m.kill() // or Close would wait for brokers that may not answer
	m.client.CloseAllowingRebalance()
	// Close polls once more to drain the client. When that yields an error,
	// rebalances are held back again, and a goroutine of the leave that Close
	// began would wait for ever.
	m.client.AllowRebalance()
	m.cluster.release(m)
}

// admin speaks over the consumer's own connections.
func (m *Consumer) admin() *kadm.Client { return kadm.NewClient(m.client) }
