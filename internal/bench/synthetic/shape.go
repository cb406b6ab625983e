// Package synthetic is a cluster that exists only as a formula: any number of
// groups, members, topics and offsets, at the cost of answering for them. It
// serves them on the in-process cluster, so that clients speak to real brokers'
// sockets, versions and batches.
package synthetic

import "fmt"

// Brokers is how many brokers every synthetic cluster has, with the ids 0 to
// Brokers-1.
const Brokers = 3

// Shape says how large a cluster is. All fields are above zero.
type Shape struct {
	Name               string `json:"name"`
	Groups             int    `json:"groups"`
	Topics             int    `json:"topics"`
	PartitionsPerTopic int    `json:"partitions_per_topic"`
	TopicsPerGroup     int    `json:"topics_per_group"`  // at most Topics
	MembersPerGroup    int    `json:"members_per_group"` // at most the partitions of a group
	// Calm says that but for one group of fifty all are calm: their lag is what the next
	// commit takes in.
	Calm bool `json:"calm,omitempty"`
}

// Shapes are the sizes that are measured, the smallest first.
func Shapes() []Shape {
	return []Shape{
		{Name: "small", Groups: 500, Topics: 400, PartitionsPerTopic: 10, TopicsPerGroup: 2, MembersPerGroup: 4},
		{Name: "large", Groups: 2_000, Topics: 5_000, PartitionsPerTopic: 10, TopicsPerGroup: 5, MembersPerGroup: 4},
		{Name: "huge", Groups: 20_000, Topics: 50_000, PartitionsPerTopic: 10, TopicsPerGroup: 5, MembersPerGroup: 4},
	}
}

// Partitions is how many partitions all topics have.
func (s Shape) Partitions() int { return s.Topics * s.PartitionsPerTopic }

// Pairs is how many partitions all groups commit on: group-partitions.
func (s Shape) Pairs() int { return s.Groups * s.PerGroup() }

// PerGroup is how many partitions one group commits on.
func (s Shape) PerGroup() int { return s.TopicsPerGroup * s.PartitionsPerTopic }

// stems make names of about the length that real ones have.
var stems = []string{"orders", "payments", "shipments", "inventory", "clickstream", "invoices", "notifications", "sessions"}

// Topic names a topic.
func (s Shape) Topic(topic int) string {
	return fmt.Sprintf("%s.events-%05d", stems[topic%len(stems)], topic)
}

// Group names a group.
func (s Shape) Group(group int) string {
	return fmt.Sprintf("%s-service-%05d", stems[group%len(stems)], group)
}

// TopicOf is the k-th topic that a group reads, 0 <= k < TopicsPerGroup.
func (s Shape) TopicOf(group, k int) int { return (group*s.TopicsPerGroup + k) % s.Topics }

// MemberOf is the member that owns the i-th partition of a group, counted over
// all of its topics.
func (s Shape) MemberOf(i int) int { return i % s.MembersPerGroup }

// Client is the client id of a member, and Host its host.
func (s Shape) Client(group, member int) string {
	return fmt.Sprintf("%s-consumer-%d", s.Group(group), member)
}

// Host is the address of a member, without Kafka's leading slash.
func (s Shape) Host(group, member int) string {
	n := group*s.MembersPerGroup + member
	return fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255)
}

// leader is the broker that leads a partition, and coordinator that of a group.
func (s Shape) leader(topic, partition int) int32 { return int32((topic + partition) % Brokers) }

func (s Shape) coordinator(group int) int32 { return int32(group % Brokers) }
