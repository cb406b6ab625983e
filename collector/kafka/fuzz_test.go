package kafka

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// A member chooses the bytes of its subscription and assignment; whatever they
// are, they may spoil its own group only.
func FuzzMember(f *testing.F) {
	f.Add(subscription(3, 6, "orders"), assignment("orders", 0, 1))
	f.Add([]byte(nil), []byte(nil))
	f.Add([]byte{0, 3, 0x7f, 0xff, 0xff, 0xff}, []byte{0, 0, 0x7f, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, s, a []byte) {
		took := wiretest.Allocates(func() {
			d := kmsg.NewDescribeGroupsResponseGroupMember()
			d.ProtocolMetadata, d.MemberAssignment = s, a
			_, generation, err := classicMember(&d, true)
			if err != nil && (generation != -1 || !errors.Is(err, wire.ErrMalformed)) {
				t.Errorf("generation %d, %v", generation, err)
			}
		})
		if took > uint64(40*(len(s)+len(a))+5<<20) { // decoded, and once more to be sorted
			t.Errorf("%d bytes for %d and %d", took, len(s), len(a))
		}
	})
}

// A member of the consumer protocol whose assignment names a topic that nobody
// can name is no member without partitions.
func TestConsumerMember(t *testing.T) {
	c, err := New(Options{Brokers: []string{"localhost:9092"}})
	must(t, err)
	r := newRound(c)
	id := [16]byte{1}
	r.cluster.names = map[snapshot.TopicID]string{id: "orders"}
	d := kmsg.NewConsumerGroupDescribeResponseGroupMember()
	d.MemberID, d.ClientHost, d.InstanceID, d.RackID = "m", "/10.0.0.1", kmsg.StringPtr("pod-0"), kmsg.StringPtr("eu-1a")
	d.SubscribedTopics = []string{"orders", "audit"}
	d.Assignment.TopicPartitions = []kmsg.AssignmentTopicPartition{{TopicID: id, Partitions: []int32{2, 0}}, {Topic: "audit", Partitions: []int32{1}}}
	m, err := r.consumerMember(&d)
	want := snapshot.Member{
		ID: "m", Host: "10.0.0.1", InstanceID: "pod-0", Rack: "eu-1a", Subscribed: []string{"audit", "orders"},
		Assignment: []snapshot.TopicPartitions{{Topic: "audit", Partitions: []int32{1}}, {Topic: "orders", Partitions: []int32{0, 2}}},
	}
	if diff := cmp.Diff(want, m); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	d.Assignment.TopicPartitions[0].TopicID = [16]byte{2}
	if _, err := r.consumerMember(&d); wire.ReasonOf(err) != snapshot.ReasonIncomplete {
		t.Errorf("%v", err)
	}
}

func subscription(version int16, generation int32, topics ...string) []byte {
	s := kmsg.NewConsumerMemberMetadata()
	s.Version, s.Generation, s.Topics = version, generation, topics
	return s.AppendTo(nil)
}

func assignment(topic string, partitions ...int32) []byte {
	var a kmsg.ConsumerMemberAssignment
	a.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: topic, Partitions: partitions}}
	return a.AppendTo(nil)
}

// describedGroup is what comes of a described classic group.
func describedGroup(t *testing.T, d kmsg.DescribeGroupsResponseGroup) (*reading, []snapshot.Problem) {
	t.Helper()
	c, err := New(Options{Brokers: []string{"localhost:9092"}})
	must(t, err)
	r := newRound(c)
	g := &reading{Group: snapshot.Group{ID: d.Group, ProtocolType: d.ProtocolType, State: snapshot.ParseGroupState(d.State)}}
	r.classicMembers(g, &d, &wire.Answer{})
	return g, r.sortedProblems()
}

func member(id string, metadata, assigned []byte) kmsg.DescribeGroupsResponseGroupMember {
	m := kmsg.NewDescribeGroupsResponseGroupMember()
	m.MemberID, m.ClientHost, m.ProtocolMetadata, m.MemberAssignment = id, "/10.0.0.1", metadata, assigned
	return m
}

// The generation of a classic group is the largest that a member joined from,
// plus one; unknown where nobody tells it, and never a wrapped-around number.
func TestClassicMembers(t *testing.T) {
	grown := append(subscription(3, 6, "orders"), 1, 2, 3, 4) // a later version appends
	binary.BigEndian.PutUint16(grown, 9)
	for _, test := range []struct {
		name                string
		state, protocolType string
		members             []kmsg.DescribeGroupsResponseGroupMember
		generation          string
		assigned            bool
		problems            int
	}{
		{"java, settled", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", subscription(3, 6, "orders"), assignment("orders", 1, 0)), member("b", subscription(3, 4, "orders"), nil)}, "7", true, 0},
		{"first join", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", subscription(2, -1, "orders"), nil)}, "?", true, 0},
		{"before version 2", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", subscription(1, 0, "orders"), nil)}, "?", true, 0},
		{"later version", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", grown, assignment("orders", 0))}, "7", true, 0},
		{"largest int32", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", subscription(3, 1<<31-1, "orders"), nil)}, "?", true, 0},
		{"garbage", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", []byte{0, 3, 0, 0, 0, 9}, nil), member("b", subscription(3, 4, "orders"), assignment("orders", 0))}, "5", false, 1},
		{"lying subscription", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", []byte{0, 3, 0x7f, 0xff, 0xff, 0xff, 0, 1, 'o'}, nil), member("b", subscription(3, 4, "orders"), assignment("orders", 0))}, "5", false, 1},
		{"rebalancing", "PreparingRebalance", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", nil, assignment("orders", 0))}, "?", false, 0},
		{"garbage assigned", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", subscription(3, 4, "orders"), []byte{0, 0, 9})}, "?", false, 1},
		{"lying assignment", "Stable", "consumer", []kmsg.DescribeGroupsResponseGroupMember{member("a", subscription(3, 4, "orders"), []byte{0, 0, 0, 0, 0, 1, 0, 1, 'o', 0x7f, 0xff, 0xff, 0xff}), member("b", subscription(3, 4, "orders"), assignment("orders", 0))}, "5", false, 1},
		{"empty", "Empty", "consumer", nil, "?", true, 0},
		{"connect", "Stable", "connect", []kmsg.DescribeGroupsResponseGroupMember{member("a", []byte("url"), []byte("tasks"))}, "?", false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := kmsg.NewDescribeGroupsResponseGroup()
			d.Group, d.State, d.ProtocolType, d.Members = "g", test.state, test.protocolType, test.members
			g, problems := describedGroup(t, d)
			m, known := g.Members.Get()
			if orUnknown(g.Generation) != test.generation || !known || m.Assigned != test.assigned || len(m.List) != len(test.members) || len(problems) != test.problems {
				t.Errorf("generation %s, assigned %t, members %+v, problems %v", orUnknown(g.Generation), m.Assigned, m.List, problems)
			}
			for _, p := range problems {
				checkLine(t, p.Detail)
			}
			for _, member := range m.List {
				if member.Host != "10.0.0.1" {
					t.Errorf("host %q", member.Host)
				}
			}
			if test.name == "java, settled" {
				want := []snapshot.TopicPartitions{{Topic: "orders", Partitions: []int32{0, 1}}}
				if diff := cmp.Diff(want, m.List[0].Assignment); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
