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

const (
	defaultCommitInterval = time.Second

	// memberHeartbeat is how soon a member of a classic group hears of a
	// rebalance; each round of one takes up to as long.
	memberHeartbeat = 500 * time.Millisecond

	// fetchBytes is how much of a partition a fetch brings. A client hands
	// out all that it fetched of a partition before it turns to the next:
	// with the default a slow consumer would advance one partition for
	// minutes and let the others wait. And kfake passes a partition over,
	// for as long as an earlier one of the fetch has records, when its next
	// batch is larger than this.
	fetchBytes = batchBytes + batchBytes/4

	// memberSession is after how long a member that vanished is given up.
	memberSession = 6 * time.Second
)

// Protocol is how a consumer comes by its partitions.
type Protocol int

const (
	ProtocolUnknown           Protocol = iota
	ProtocolRange                      // classic group, range assignor, all partitions revoked in a rebalance
	ProtocolCooperativeSticky          // classic group, cooperative-sticky assignor
	ProtocolConsumer                   // consumer group of KIP-848: the broker assigns
	ProtocolStandalone                 // no group membership: all partitions of its topics, commits like Flink's
)

// String is the protocol's name in lower case.
func (p Protocol) String() string {
	switch p {
	case ProtocolRange:
		return "range"
	case ProtocolCooperativeSticky:
		return "cooperative-sticky"
	case ProtocolConsumer:
		return "consumer"
	case ProtocolStandalone:
		return "standalone"
	case ProtocolUnknown:
		return "unknown"
	}
	return fmt.Sprintf("Protocol(%d)", int(p))
}

// ConsumerSpec describes a consumer: one process that takes one record at a
// time and spends Delay on each.
type ConsumerSpec struct {
	Group      string
	Topics     []string
	ClientID   string // "" means "<group>-consumer"
	InstanceID string // for static membership; "" means dynamic
	Protocol   Protocol

	// Delay is the processing time per record: the consumer handles at most
	// 1/Delay records per second, over all its partitions.
	Delay time.Duration

	// CommitEvery commits after so many records, CommitInterval after so
	// much time with records not committed yet. When both are 0 the interval
	// is a second. NeverCommit overrides both.
	CommitEvery    int
	CommitInterval time.Duration
	NeverCommit    bool

	// Stuck are partitions that the consumer owns and doesn't read, as if it
	// failed on the same record again and again. It commits nothing there.
	Stuck map[string][]int32
}

// Consumer is a running consumer. Its methods may be called concurrently.
type Consumer struct {
	cluster *Cluster
	spec    ConsumerSpec
	client  *kgo.Client
	line    *Line
	delay   atomic.Int64 // a time.Duration

	processed atomic.Int64
	vanished  atomic.Bool

	mu       sync.Mutex
	assigned map[string]map[int32]struct{}

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
		line:     NewLine(c.dial),
		assigned: make(map[string]map[int32]struct{}),
		marks:    marks{since: time.Now()},
		done:     make(chan struct{}),

		committing: make(chan struct{}, 1),
	}
	m.committing <- struct{}{}
	m.delay.Store(int64(spec.Delay))
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

func (m *Consumer) options() ([]kgo.Opt, error) {
	opts := []kgo.Opt{
		kgo.ClientID(m.spec.ClientID),
		kgo.Dialer(m.line.Dial),
		kgo.FetchMaxWait(2 * time.Second),
		kgo.FetchMaxPartitionBytes(fetchBytes),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	}
	group := []kgo.Opt{
		kgo.ConsumerGroup(m.spec.Group),
		kgo.ConsumeTopics(m.spec.Topics...),
		kgo.DisableAutoCommit(), // commits are explicit, see marks
		kgo.BlockRebalanceOnPoll(),
		kgo.HeartbeatInterval(memberHeartbeat),
		kgo.SessionTimeout(memberSession),
		kgo.RebalanceTimeout(10 * time.Second),
		kgo.OnPartitionsAssigned(m.onAssigned),
		kgo.OnPartitionsRevoked(m.onRevoked),
		kgo.OnPartitionsLost(m.onLost),
	}
	if m.spec.InstanceID != "" {
		group = append(group, kgo.InstanceID(m.spec.InstanceID))
	}
	switch m.spec.Protocol {
	case ProtocolRange:
		return slices.Concat(opts, group, []kgo.Opt{kgo.Balancers(kgo.RangeBalancer())}), nil
	case ProtocolCooperativeSticky:
		return slices.Concat(opts, group, []kgo.Opt{kgo.Balancers(kgo.CooperativeStickyBalancer())}), nil
	case ProtocolConsumer:
		return slices.Concat(opts, group, []kgo.Opt{kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer())}), nil
	case ProtocolStandalone:
		return m.standalone(opts)
	case ProtocolUnknown:
	}
	return nil, fmt.Errorf("protocol is %s", m.spec.Protocol)
}

// standalone assigns all partitions by hand, from where the group committed.
func (m *Consumer) standalone(opts []kgo.Opt) ([]kgo.Opt, error) {
	all := make(map[string]map[int32]kgo.Offset)
	ctx, cancel := bounded(stopTimeout)
	defer cancel()
	for _, topic := range m.spec.Topics {
		commits, err := m.cluster.CommittedOffsets(ctx, m.spec.Group, topic)
		if err != nil {
			return nil, err
		}
		all[topic] = make(map[int32]kgo.Offset)
		for _, p := range m.cluster.fake.PartitionInfos(topic) {
			all[topic][p.Partition] = kgo.NewOffset().AtStart()
			if next, ok := commits[p.Partition]; ok {
				all[topic][p.Partition] = kgo.NewOffset().At(next)
			}
			m.own(map[string][]int32{topic: {p.Partition}})
		}
	}
	return append(opts, kgo.ConsumePartitions(all)), nil
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
