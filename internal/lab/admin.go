package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// produceChunk is how many records one produce call carries.
const produceChunk = 1000

// CreateTopic creates a topic in the cluster, without a request on the wire.
// A topic that was deleted and is created again has a new topic id.
func (c *Cluster) CreateTopic(topic string, partitions int32) error {
	if err := c.fake.CreateTopic(topic, partitions, nil); err != nil {
		return fmt.Errorf("creating topic %s: %w", topic, err)
	}
	return nil
}

// SetTopicConfig sets one of a topic's configs.
func (c *Cluster) SetTopicConfig(ctx context.Context, topic, key, value string) error {
	answers, err := c.Admin().AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: key, Value: &value}}, topic)
	for _, a := range answers {
		err = errors.Join(err, a.Err)
	}
	if err != nil {
		return fmt.Errorf("setting %s of topic %s: %w", key, topic, err)
	}
	return nil
}

// DeleteTopic deletes a topic and what groups committed on it, without a
// request on the wire.
func (c *Cluster) DeleteTopic(topic string) error {
	if err := c.fake.DeleteTopic(topic); err != nil {
		return fmt.Errorf("deleting topic %s: %w", topic, err)
	}
	return nil
}

// DeleteRecords moves the start of a partition to offset, as retention does,
// without a request on the wire.
func (c *Cluster) DeleteRecords(topic string, partition int32, offset int64) error {
	if err := c.fake.DeleteRecords(topic, partition, offset); err != nil {
		return fmt.Errorf("deleting records of %s/%d below %d: %w", topic, partition, offset, err)
	}
	return nil
}

// Produce appends exactly n records to a partition and returns its end
// offset after the last of them, or its end offset as it is when n is 0.
// After an error some of the records may have been appended.
func (c *Cluster) Produce(ctx context.Context, topic string, partition int32, n int) (end int64, err error) {
	if n == 0 {
		ends, err := c.EndOffsets(ctx, topic)
		return ends[partition], err
	}
	for done := 0; done < n; {
		k := min(produceChunk, n-done)
		rs := make([]*kgo.Record, 0, k)
		for i := range k {
			r := record(int64(done + i))
			r.Topic, r.Partition = topic, partition
			rs = append(rs, r)
		}
		if err := c.client.ProduceSync(ctx, rs...).FirstErr(); err != nil {
			return 0, fmt.Errorf("producing to %s/%d: %w", topic, partition, err)
		}
		end = rs[k-1].Offset + 1
		done += k
	}
	return end, nil
}

// backlogSteps is into how many batches per partition Backlog cuts its
// records: how finely their times can be told apart.
const backlogSteps = 40

// Backlog appends n records to each partition of a topic, with timestamps
// spread evenly over the span that ends now, so that a group which has not
// read them looks as far behind in time as it is in offsets.
func (c *Cluster) Backlog(ctx context.Context, topic string, n int, span time.Duration) error {
	var all []int32
	for _, p := range c.fake.PartitionInfos(topic) {
		all = append(all, p.Partition)
	}
	return c.backlog(ctx, topic, all, n, span)
}

// backlog is [Cluster.Backlog] on some partitions.
func (c *Cluster) backlog(ctx context.Context, topic string, partitions []int32, n int, span time.Duration) error {
	start := time.Now().Add(-span)
	for step := range backlogSteps {
		at := start.Add(span * time.Duration(step) / backlogSteps)
		var rs []*kgo.Record
		for i := n * step / backlogSteps; i < n*(step+1)/backlogSteps; i++ {
			for _, p := range partitions {
				r := record(int64(i))
				r.Topic, r.Partition, r.Timestamp = topic, p, at
				rs = append(rs, r)
			}
		}
		if len(rs) == 0 {
			continue
		}
		if err := c.client.ProduceSync(ctx, rs...).FirstErr(); err != nil {
			return fmt.Errorf("producing a backlog to %s: %w", topic, err)
		}
	}
	return nil
}

// Commit commits the position next of a group on a partition: the offset it
// would read next. Kafka refuses this for a group that has members.
func (c *Cluster) Commit(ctx context.Context, group, topic string, partition int32, next int64) error {
	return c.CommitAll(ctx, group, topic, map[int32]int64{partition: next})
}

// CommitAll is [Cluster.Commit] for several partitions at once.
func (c *Cluster) CommitAll(ctx context.Context, group, topic string, next map[int32]int64) error {
	var os kadm.Offsets
	for p, o := range next {
		os.AddOffset(topic, p, o, -1)
	}
	if err := c.Admin().CommitAllOffsets(ctx, group, os); err != nil {
		return fmt.Errorf("committing for group %s on %s: %w", group, topic, err)
	}
	return nil
}

// DeleteGroup deletes a group, which must have no members.
func (c *Cluster) DeleteGroup(ctx context.Context, group string) error {
	resp, err := c.Admin().DeleteGroup(ctx, group)
	if err == nil {
		err = resp.Err
	}
	if err != nil {
		return fmt.Errorf("deleting group %s: %w", group, err)
	}
	return nil
}

// EndOffsets are the end offsets of a topic by partition, as a client reads
// them. After an error the partitions that could be read are there.
func (c *Cluster) EndOffsets(ctx context.Context, topic string) (map[int32]int64, error) {
	listed, err := c.Admin().ListEndOffsets(ctx, topic)
	if err == nil {
		err = listed.Error()
	}
	out := make(map[int32]int64)
	listed.Each(func(o kadm.ListedOffset) {
		if o.Err == nil {
			out[o.Partition] = o.Offset
		}
	})
	if err != nil {
		return out, fmt.Errorf("listing end offsets of %s: %w", topic, err)
	}
	return out, nil
}

// CommittedOffsets are the positions that a group committed on a topic, as a
// client reads them. A partition without a commit is absent; a group that
// doesn't exist has no commits.
func (c *Cluster) CommittedOffsets(ctx context.Context, group, topic string) (map[int32]int64, error) {
	fetched, err := c.Admin().FetchOffsets(ctx, group)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return map[int32]int64{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("fetching offsets of group %s: %w", group, err)
	}
	out := make(map[int32]int64)
	for p, o := range fetched[topic] {
		if o.Err != nil {
			return nil, fmt.Errorf("fetching offsets of group %s on %s/%d: %w", group, topic, p, o.Err)
		}
		if o.At >= 0 {
			out[p] = o.At
		}
	}
	return out, nil
}

// Lag is a group's lag on a topic by partition, in offsets, read inside the
// cluster without a request on the wire. A partition without a commit is
// absent. It must not be called once the cluster is closed.
func (c *Cluster) Lag(group, topic string) map[int32]int64 {
	out := make(map[int32]int64)
	info := c.fake.GroupInfo(group) // commits before ends, so that no lag is below 0
	if info == nil {
		return out
	}
	commits := info.Commits[topic]
	for _, p := range c.fake.PartitionInfos(topic) {
		if commit, ok := commits[p.Partition]; ok {
			out[p.Partition] = max(0, p.HighWatermark-max(commit.Offset, p.LogStartOffset))
		}
	}
	return out
}

// WaitAssigned waits until a group is stable with that many members, which
// together own that many partitions, no partition twice. It reads the state
// inside the cluster.
func (c *Cluster) WaitAssigned(ctx context.Context, group string, members, partitions int) (*kfake.GroupInfo, error) {
	info, err := c.fake.WaitGroupInfo(ctx, group, func(g *kfake.GroupInfo) bool {
		return g != nil && g.State == "Stable" && len(g.Members) == members && owned(g) == partitions
	})
	if err != nil {
		return info, fmt.Errorf("waiting for group %s with %d members on %d partitions: %w", group, members, partitions, err)
	}
	return info, nil
}

// owned is how many partitions have exactly one owner, or -1 when one has
// several.
func owned(g *kfake.GroupInfo) int {
	type partition struct {
		topic string
		p     int32
	}
	var all []partition
	for _, m := range g.Members {
		for topic, ps := range m.Assignment {
			for _, p := range ps {
				if slices.Contains(all, partition{topic, p}) {
					return -1
				}
				all = append(all, partition{topic, p})
			}
		}
	}
	return len(all)
}
