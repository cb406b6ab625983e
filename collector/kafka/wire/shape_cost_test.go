package wire

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
)

// honest has large answers as real brokers give them, and small ones whose
// names are as short as anybody's.
func honest() map[string]kmsg.Response {
	return map[string]kmsg.Response{
		"Metadata, 50,000 partitions":             bigMetadata(500, 100, 3),
		"Metadata, 5,000 topics, no replicas":     bigMetadata(5000, 1, 1),
		"OffsetFetch, 500 groups × 100":           bigOffsetFetch(9, 500, 100),
		"OffsetFetch before 3.0, 1,000":           bigOffsetFetch(5, 1, 1000),
		"ListOffsets, 5,000":                      bigListOffsets(9),
		"ListOffsets, the oldest, 5,000":          bigListOffsets(1),
		"ListGroups, 10,000":                      bigListGroups(5, "billing-service-%d"),
		"ListGroups, the oldest, 10,000":          bigListGroups(0, "billing-service-%d"),
		"ListGroups, the oldest, shortest names":  bigListGroups(0, "g%d"),
		"DescribeGroups, 500 groups × 4":          bigDescribeGroups(),
		"ConsumerGroupDescribe, 500 groups × 100": bigConsumerGroups(),
	}
}

func bigMetadata(topics, partitions int, replicas int32) kmsg.Response {
	r := kmsg.NewPtrMetadataResponse()
	r.SetVersion(13)
	for i := range topics {
		t := kmsg.NewMetadataResponseTopic()
		t.Topic = kmsg.StringPtr(fmt.Sprintf("payments.orders.v%d", i))
		for j := range partitions {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition = int32(j)
			p.Replicas = []int32{1, 2, 3}[:replicas]
			p.ISR = p.Replicas
			t.Partitions = append(t.Partitions, p)
		}
		r.Topics = append(r.Topics, t)
	}
	return r
}

func bigOffsetFetch(version int16, groups, partitions int) kmsg.Response {
	r := kmsg.NewPtrOffsetFetchResponse()
	r.SetVersion(version)
	for i := range groups {
		g, t := kmsg.NewOffsetFetchResponseGroup(), kmsg.NewOffsetFetchResponseGroupTopic()
		g.Group, t.Topic = fmt.Sprintf("billing-service-%d", i), "payments.orders.v1"
		for j := range partitions {
			p := kmsg.NewOffsetFetchResponseGroupTopicPartition()
			p.Partition, p.Offset, p.Metadata = int32(j), int64(1_000_000*j), kmsg.StringPtr("")
			t.Partitions = append(t.Partitions, p)
		}
		g.Topics = append(g.Topics, t)
		r.Groups = append(r.Groups, g)
	}
	old := kmsg.NewOffsetFetchResponseTopic()
	old.Topic = "payments.orders.v1"
	for _, p := range r.Groups[0].Topics[0].Partitions {
		old.Partitions = append(old.Partitions, kmsg.OffsetFetchResponseTopicPartition(p))
	}
	r.Topics = append(r.Topics, old)
	return r
}

func bigListOffsets(version int16) kmsg.Response {
	r := kmsg.NewPtrListOffsetsResponse()
	r.SetVersion(version)
	for i := range 250 {
		t := kmsg.NewListOffsetsResponseTopic()
		t.Topic = fmt.Sprintf("payments.orders.v%d", i)
		for j := range 20 {
			p := kmsg.NewListOffsetsResponseTopicPartition()
			p.Partition, p.Offset = int32(j), int64(j)
			t.Partitions = append(t.Partitions, p)
		}
		r.Topics = append(r.Topics, t)
	}
	return r
}

func bigListGroups(version int16, name string) kmsg.Response {
	r := kmsg.NewPtrListGroupsResponse()
	r.SetVersion(version)
	for i := range 10_000 {
		g := kmsg.NewListGroupsResponseGroup()
		g.Group, g.ProtocolType, g.GroupState, g.GroupType = fmt.Sprintf(name, i), "consumer", "Stable", "classic"
		r.Groups = append(r.Groups, g)
	}
	return r
}

func bigDescribeGroups() kmsg.Response {
	r := kmsg.NewPtrDescribeGroupsResponse()
	r.SetVersion(6)
	s, a := kmsg.NewConsumerMemberMetadata(), kmsg.NewConsumerMemberAssignment()
	s.Version, s.Generation, s.Topics = 3, 6, []string{"payments.orders.v1"}
	a.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: "payments.orders.v1", Partitions: []int32{0, 1, 2, 3}}}
	for i := range 500 {
		g := kmsg.NewDescribeGroupsResponseGroup()
		g.Group, g.State, g.ProtocolType, g.Protocol = fmt.Sprintf("billing-service-%d", i), "Stable", "consumer", "range"
		for range 4 {
			m := kmsg.NewDescribeGroupsResponseGroupMember()
			m.MemberID, m.ClientHost = "consumer-billing-1-0b8b3a4e-6f0f-4c39-8d3f-6f2d9a0c1b11", "/10.0.0.1"
			m.ProtocolMetadata, m.MemberAssignment = s.AppendTo(nil), a.AppendTo(nil)
			g.Members = append(g.Members, m)
		}
		r.Groups = append(r.Groups, g)
	}
	return r
}

func bigConsumerGroups() kmsg.Response {
	r := kmsg.NewPtrConsumerGroupDescribeResponse()
	r.SetVersion(1)
	for i := range 500 {
		g := kmsg.NewConsumerGroupDescribeResponseGroup()
		g.Group, g.State, g.AssignorName = fmt.Sprintf("billing-service-%d", i), "Stable", "uniform"
		m := kmsg.NewConsumerGroupDescribeResponseGroupMember()
		m.MemberID, m.ClientID, m.ClientHost, m.SubscribedTopics = "0b8b3a4e-6f0f-4c39-8d3f-6f2d9a0c1b11", "billing", "/10.0.0.1", []string{"payments.orders.v1"}
		m.Assignment.TopicPartitions = []kmsg.AssignmentTopicPartition{{Topic: "payments.orders.v1", Partitions: make([]int32, 100)}}
		g.Members = append(g.Members, m)
		r.Groups = append(r.Groups, g)
	}
	return r
}

// Honest answers stay well below what is allowed, and what the walk counts is
// what kmsg allocates.
func TestMemoryOfHonestAnswers(t *testing.T) {
	for name, r := range honest() {
		b, s, into := r.AppendTo(nil), shapeOf(r), another(r)
		w := walk{b: b, compact: s.compact, limit: unfold * len(b)}
		must(t, w.value(s)) // without what every answer may take
		took := float64(wiretest.Allocates(func() { must(t, into.ReadFrom(b)) }))
		t.Logf("%-40s %8d bytes, %.1f times that in memory, %.2f times what was counted",
			name, len(b), took/float64(len(b)), took/float64(w.memory))
		most := float64(arrays()) * min(0.8*unfold*float64(len(b)), 1.25*float64(w.memory)+64<<10)
		if took > most || took < 0.8*float64(w.memory) {
			t.Errorf("%s: %.0f bytes, %d counted, for %d", name, took, w.memory, len(b))
		}
	}
}

// What the walk adds to decoding.
func BenchmarkWalk(b *testing.B) {
	answers := honest()
	for _, name := range []string{"Metadata, 50,000 partitions", "OffsetFetch, 500 groups × 100", "ListOffsets, 5,000"} {
		r := answers[name]
		wire, s := r.AppendTo(nil), shapeOf(r)
		b.Run(name+"/walk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.strip(wire); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/kmsg", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := another(r).ReadFrom(wire); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
