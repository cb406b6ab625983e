package synthetic

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func (c *Cluster) prepareTopics() {
	all := []int32{0, 1, 2}
	for i := range c.shape.Topics {
		t := kmsg.NewMetadataResponseTopic()
		t.Topic = kmsg.StringPtr(c.shape.Topic(i))
		binary.BigEndian.PutUint64(t.TopicID[:], mix(i, 1)|1)
		binary.BigEndian.PutUint64(t.TopicID[8:], mix(i, 2))
		for p := range c.shape.PartitionsPerTopic {
			part := kmsg.NewMetadataResponseTopicPartition()
			part.Partition, part.Leader, part.Replicas, part.ISR = int32(p), c.shape.leader(i, p), all, all
			t.Partitions = append(t.Partitions, part)
		}
		c.metadata = append(c.metadata, t)
		c.topics[*t.Topic] = i
	}
}

func (c *Cluster) prepareGroups() {
	for i := range c.shape.Groups {
		name := c.shape.Group(i)
		c.groups[name] = i
		l := kmsg.NewListGroupsResponseGroup()
		l.Group, l.ProtocolType, l.GroupState, l.GroupType = name, "consumer", "Stable", "classic"
		b := c.shape.coordinator(i)
		c.listed[b] = append(c.listed[b], l)
		c.described = append(c.described, c.description(i))
	}
}

// description is a stable classic group, as members of current Java clients
// with the range assignor make it.
func (c *Cluster) description(group int) kmsg.DescribeGroupsResponseGroup {
	d := kmsg.NewDescribeGroupsResponseGroup()
	d.Group, d.State, d.ProtocolType, d.Protocol = c.shape.Group(group), "Stable", "consumer", "range"
	for m := range c.shape.MembersPerGroup {
		client := c.shape.Client(group, m)
		member := kmsg.NewDescribeGroupsResponseGroupMember()
		member.MemberID = fmt.Sprintf("%s-%08x-0000-4000-8000-%012x", client, uint32(mix(group, m)), mix(m, group)>>16)
		member.ClientID, member.ClientHost = client, "/"+c.shape.Host(group, m)
		member.ProtocolMetadata, member.MemberAssignment = c.membership(group, m)
		d.Members = append(d.Members, member)
	}
	return d
}

// membership encodes what a member subscribes to and what it is assigned.
func (c *Cluster) membership(group, member int) (subscription, assignment []byte) {
	s := kmsg.NewConsumerMemberMetadata()
	s.Version, s.Generation = 3, 7
	a := kmsg.NewConsumerMemberAssignment()
	a.Version = 3
	for k := range c.shape.TopicsPerGroup {
		t := kmsg.NewConsumerMemberAssignmentTopic()
		t.Topic = c.shape.Topic(c.shape.TopicOf(group, k))
		s.Topics = append(s.Topics, t.Topic)
		for p := range c.shape.PartitionsPerTopic {
			if c.shape.MemberOf(k*c.shape.PartitionsPerTopic+p) == member {
				t.Partitions = append(t.Partitions, int32(p))
			}
		}
		if len(t.Partitions) > 0 {
			a.Topics = append(a.Topics, t)
			s.OwnedPartitions = append(s.OwnedPartitions, kmsg.ConsumerMemberMetadataOwnedPartition(t))
		}
	}
	return s.AppendTo(nil), a.AppendTo(nil)
}
