package testkafka

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// offsetQuery is which offset of each partition is asked for.
type offsetQuery struct {
	Topics []string `json:"topics"`
	// At is "start", "end" or milliseconds since 1970.
	At string `json:"at"`
	// Stable asks as a reader of committed records.
	Stable bool `json:"stable"`
}

// StartOffsets reads the first offset of every partition of the topics.
func (d *Driver) StartOffsets(ctx context.Context, topics ...string) (Reading[Offsets], error) {
	return d.listOffsets(ctx, offsetQuery{Topics: topics, At: "start"})
}

// EndOffsets reads the high watermark of every partition of the topics.
func (d *Driver) EndOffsets(ctx context.Context, topics ...string) (Reading[Offsets], error) {
	return d.listOffsets(ctx, offsetQuery{Topics: topics, At: "end"})
}

// StableOffsets reads the last stable offset of every partition of the topics:
// where a reader of committed records gets to.
func (d *Driver) StableOffsets(ctx context.Context, topics ...string) (Reading[Offsets], error) {
	return d.listOffsets(ctx, offsetQuery{Topics: topics, At: "end", Stable: true})
}

// OffsetsAt reads the offset of the first record with a timestamp at or after a
// time, to the millisecond. A partition without such a record is absent.
func (d *Driver) OffsetsAt(ctx context.Context, at time.Time, topics ...string) (Reading[Offsets], error) {
	return d.listOffsets(ctx, offsetQuery{Topics: topics, At: strconv.FormatInt(at.UnixMilli(), 10)})
}

func (d *Driver) listOffsets(ctx context.Context, query offsetQuery) (r Reading[Offsets], err error) {
	what := fmt.Sprintf("reading the %s offsets of %v", query.At, query.Topics)
	err = d.call(ctx, what, "listOffsets", query, &r)
	return r, err
}

// CommittedOffsets reads what groups have committed. A group that isn't known,
// or has committed nothing, has no offsets.
func (d *Driver) CommittedOffsets(ctx context.Context, groups ...string) (r Reading[map[string]Offsets], err error) {
	what := fmt.Sprintf("reading the committed offsets of %v", groups)
	err = d.call(ctx, what, "committed", map[string]any{"groups": groups}, &r)
	return r, err
}

// GroupDescription is a classic or consumer group as its coordinator sees it.
type GroupDescription struct {
	Group string `json:"group"`
	// State is Kafka's name: Stable, Empty, PreparingRebalance, …
	State string `json:"state"`
	// Type is Classic, Consumer, Share or Streams.
	Type     string `json:"type"`
	Assignor string `json:"assignor"`
	// Coordinator is a broker's id.
	Coordinator int `json:"coordinator"`
	// Epoch is the group epoch; nil for classic groups.
	Epoch   *int          `json:"epoch"`
	Members []GroupMember `json:"members"`
}

// GroupMember is one member of a described group.
type GroupMember struct {
	MemberID   string `json:"memberId"`
	InstanceID string `json:"instanceId"`
	// ClientID is the id of the ConsumerSpec, for consumers of the driver.
	ClientID string `json:"clientId"`
	// Host starts with a slash.
	Host string `json:"host"`
	// Epoch is the member epoch; nil in classic groups.
	Epoch      *int             `json:"epoch"`
	Assignment []TopicPartition `json:"assignment"`
}

// DescribeGroups reads the state, members and assignments of classic and
// consumer groups. A group that doesn't exist is an error.
func (d *Driver) DescribeGroups(ctx context.Context, groups ...string) (r Reading[map[string]GroupDescription], err error) {
	what := fmt.Sprintf("describing groups %v", groups)
	err = d.call(ctx, what, "describeGroups", map[string]any{"groups": groups}, &r)
	return r, err
}

// PartitionDescription says which brokers hold a partition, by id.
type PartitionDescription struct {
	TopicPartition
	// Leader is nil while there is none.
	Leader   *int  `json:"leader"`
	Replicas []int `json:"replicas"`
	InSync   []int `json:"inSync"`
}

// DescribeTopics reads where the partitions of topics are.
func (d *Driver) DescribeTopics(ctx context.Context, topics ...string) (r Reading[[]PartitionDescription], err error) {
	what := fmt.Sprintf("describing topics %v", topics)
	err = d.call(ctx, what, "describeTopics", map[string]any{"topics": topics}, &r)
	return r, err
}

// Topics lists all topics by name, sorted, with Kafka's internal ones.
func (d *Driver) Topics(ctx context.Context) (r Reading[[]string], err error) {
	err = d.call(ctx, "listing topics", "listTopics", nil, &r)
	return r, err
}
