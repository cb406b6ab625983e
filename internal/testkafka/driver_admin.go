package testkafka

import (
	"context"
	"fmt"
)

// TopicSpec describes a topic to create.
type TopicSpec struct {
	Name       string `json:"topic"`
	Partitions int    `json:"partitions"`
	// Replicas is the replication factor; 0 means 1.
	Replicas int `json:"replicas"`
	// Configs are topic settings, such as retention.ms.
	Configs map[string]string `json:"configs"`
}

// CreateTopic creates a topic and returns when all its partitions have leaders.
func (d *Driver) CreateTopic(ctx context.Context, spec TopicSpec) error {
	if spec.Replicas == 0 {
		spec.Replicas = 1
	}
	what := fmt.Sprintf("creating topic %s with %d partitions", spec.Name, spec.Partitions)
	return d.call(ctx, what, "createTopic", spec, nil)
}

// DeleteTopic deletes a topic. Brokers may still list it for a moment.
func (d *Driver) DeleteTopic(ctx context.Context, topic string) error {
	args := map[string]string{"topic": topic}
	return d.call(ctx, "deleting topic "+topic, "deleteTopic", args, nil)
}

// AddPartitions grows a topic to a total number of partitions and returns when
// all have leaders.
func (d *Driver) AddPartitions(ctx context.Context, topic string, total int) error {
	what := fmt.Sprintf("growing topic %s to %d partitions", topic, total)
	args := TopicSpec{Name: topic, Partitions: total}
	return d.call(ctx, what, "addPartitions", args, nil)
}

// MoveLeader makes a broker that holds a partition its leader, as a preferred
// leader election does, and returns when it is.
func (d *Driver) MoveLeader(ctx context.Context, at TopicPartition, broker int) error {
	what := fmt.Sprintf("moving the leader of %v to broker %d", at, broker)
	args := map[string]any{"topic": at.Topic, "partition": at.Partition, "broker": broker}
	return d.call(ctx, what, "moveLeader", args, nil)
}

// DeleteRecords deletes the records below an offset of each partition, so that
// the partition starts there. Offset -1 means the end of the log.
func (d *Driver) DeleteRecords(ctx context.Context, before Offsets) error {
	what := fmt.Sprintf("deleting records before %v", before)
	return d.call(ctx, what, "deleteRecords", map[string]any{"offsets": before}, nil)
}

// SetTopicConfig changes settings of a topic.
func (d *Driver) SetTopicConfig(ctx context.Context, topic string, configs map[string]string) error {
	return d.setConfig(ctx, "TOPIC", topic, configs)
}

// SetGroupConfig changes settings of a consumer, share or streams group, such as
// consumer.session.timeout.ms or share.auto.offset.reset. The group need not
// exist. Brokers of Kafka 4.0 and later have all of them.
func (d *Driver) SetGroupConfig(ctx context.Context, group string, configs map[string]string) error {
	return d.setConfig(ctx, "GROUP", group, configs)
}

func (d *Driver) setConfig(ctx context.Context, kind, name string, configs map[string]string) error {
	what := fmt.Sprintf("setting %v of %s %s", configs, kind, name)
	args := map[string]any{"type": kind, "name": name, "configs": configs}
	return d.call(ctx, what, "setConfig", args, nil)
}

// DeleteGroups deletes groups, which must have no members. Offsets and all.
func (d *Driver) DeleteGroups(ctx context.Context, groups ...string) error {
	what := fmt.Sprintf("deleting groups %v", groups)
	return d.call(ctx, what, "deleteGroups", map[string]any{"groups": groups}, nil)
}

// DeleteOffsets removes a group's committed offsets of some partitions. Members
// of the group must not be subscribed to their topics.
func (d *Driver) DeleteOffsets(ctx context.Context, group string, partitions ...TopicPartition) error {
	what := fmt.Sprintf("deleting offsets of group %s for %v", group, partitions)
	args := map[string]any{"group": group, "partitions": partitions}
	return d.call(ctx, what, "deleteOffsets", args, nil)
}

// AlterOffsets commits offsets for groups that have no members, creating those
// that don't exist. Each group gets its own.
func (d *Driver) AlterOffsets(ctx context.Context, groups map[string]Offsets) error {
	what := fmt.Sprintf("altering the offsets of %d groups", len(groups))
	return d.call(ctx, what, "alterOffsets", map[string]any{"groups": groups}, nil)
}

// CreateGroups commits the same offsets for n groups and returns their names:
// prefix and a number of five digits, from 0. Thousands take seconds.
func (d *Driver) CreateGroups(ctx context.Context, prefix string, n int, commits Offsets) ([]string, error) {
	groups := make([]string, n)
	for i := range groups {
		groups[i] = fmt.Sprintf("%s%05d", prefix, i)
	}
	what := fmt.Sprintf("creating %d groups %s…", n, prefix)
	args := map[string]any{"groups": groups, "offsets": commits}
	return groups, d.call(ctx, what, "createGroups", args, nil)
}
