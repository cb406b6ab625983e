package lab

import (
	"fmt"
	"slices"
	"time"

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

func (m *Consumer) options() ([]kgo.Opt, error) {
	opts := []kgo.Opt{
		kgo.ClientID(m.spec.ClientID),
		kgo.Dialer(m.line.Dial),
		kgo.FetchMaxWait(2 * time.Second),
		kgo.FetchMaxPartitionBytes(fetchBytes),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	}
	if m.spec.ReadCommitted {
		opts = append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
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
		return slices.Concat(opts, group, []kgo.Opt{kgo.Balancers(shortRange{kgo.RangeBalancer(), &m.short})}), nil
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
