package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func consume(t *testing.T, c *lab.Cluster, spec lab.ConsumerSpec) *lab.Consumer {
	t.Helper()
	m, err := c.StartConsumer(spec)
	must(t, err)
	t.Cleanup(m.Stop)
	return m
}

func assigned(t *testing.T, c *lab.Cluster, group string, members, partitions int) *kfake.GroupInfo {
	t.Helper()
	info, err := c.WaitAssigned(testContext(t), group, members, partitions)
	must(t, err)
	return info
}

// joinShareGroup starts a member of a share group (KIP-932) and waits until it
// is one.
func joinShareGroup(t *testing.T, c *lab.Cluster, group, topic string) *kgo.Client {
	t.Helper()
	member, err := c.NewClient(kgo.ConsumeTopics(topic), kgo.ShareGroup(group))
	must(t, err)
	t.Cleanup(member.Close)
	_, err = c.Fake().WaitGroupInfo(testContext(t), group, func(g *kfake.GroupInfo) bool { return g != nil && len(g.Members) == 1 })
	must(t, err)
	return member
}

// owners is who owns what, by client id.
func owners(s *snapshot.Snapshot, group string) map[string][]snapshot.TopicPartitions {
	got := map[string][]snapshot.TopicPartitions{}
	if g, ok := s.Group(group); ok {
		m, _ := g.Members.Get()
		for _, member := range m.List {
			got[member.ClientID] = member.Assignment
		}
	}
	return got
}

func ownersInside(t *testing.T, info *kfake.GroupInfo) map[string][]snapshot.TopicPartitions {
	want := map[string][]snapshot.TopicPartitions{}
	for _, m := range info.Members {
		var list []snapshot.TopicPartitions
		for topic, ps := range m.Assignment {
			slices.Sort(ps)
			list = append(list, snapshot.TopicPartitions{Topic: topic, Partitions: ps})
		}
		sorted, err := sortAssignment(m.ClientID, list)
		if err != nil {
			t.Fatal(err)
		}
		want[m.ClientID] = sorted
	}
	return want
}

// Every number of a poll is the cluster's own, for groups without members.
func TestExactOffsets(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 3, "audit": 1}})
	produce(t, c, "orders", 0, 10)
	produce(t, c, "orders", 1, 1500)
	must(t, c.DeleteRecords("orders", 1, 1200))
	commit(t, c, "billing", "orders", 0, 4)
	commit(t, c, "billing", "orders", 1, 100) // below the start
	commit(t, c, "billing", "audit", 0, 0)    // zero is a position
	client, _ := startClient(t, c, Options{})
	want := []string{
		"topic audit",
		"  0 leader=0 0..0",
		"topic orders",
		"  0 leader=0 0..10",
		"  1 leader=0 1200..1500",
		"  2 leader=0 0..0",
		"group billing classic / empty coordinator=0 generation=?",
		"  committed audit 0=0",
		"  committed orders 0=4 1=100",
	}
	s := poll(t, client)
	check(t, s, want...)
	if s.ClusterID != "lagwatch-lab" || len(s.Brokers) != 1 || !s.Brokers[0].Answered.Or(false) || s.Brokers[0].Addr != c.Addrs()[0] {
		t.Errorf("cluster %q, brokers %+v", s.ClusterID, s.Brokers)
	}
	for _, topic := range s.Topics {
		if topic.ID != c.Fake().TopicInfo(topic.Name).TopicID {
			t.Errorf("%s has id %x", topic.Name, topic.ID)
		}
	}
}

// End offsets are read at each poll, start offsets only when due.
func TestOffsetsAdvance(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	produce(t, c, "orders", 0, 10)
	client, _ := startClient(t, c, Options{})
	first := poll(t, client).Topics[0].Partitions[0]
	produce(t, c, "orders", 0, 5)
	must(t, c.DeleteRecords("orders", 0, 7))
	second := poll(t, client).Topics[0].Partitions[0]
	if offset(second.End) != "15" || !second.Start.Equal(first.Start) {
		t.Errorf("start %s, end %s", offset(second.Start), offset(second.End))
	}
	client.opts.StartOffsetInterval = 1 // nanosecond: due at once
	if third := poll(t, client).Topics[0].Partitions[0]; offset(third.Start) != "7" {
		t.Errorf("start %s", offset(third.Start))
	}
}

// Members, owners, states and generations are what the coordinator has, for
// every way of coming by partitions.
func TestExactGroups(t *testing.T) {
	for _, test := range []struct {
		protocol lab.Protocol
		kind     snapshot.GroupType
		assignor string
	}{
		{lab.ProtocolRange, snapshot.TypeClassic, "range"},
		{lab.ProtocolCooperativeSticky, snapshot.TypeClassic, "cooperative-sticky"},
		{lab.ProtocolConsumer, snapshot.TypeConsumer, "uniform"},
	} {
		t.Run(test.protocol.String(), func(t *testing.T) {
			t.Parallel()
			c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 6, "audit": 2}})
			produce(t, c, "orders", 0, 20)
			for i := range 3 {
				spec := lab.ConsumerSpec{Group: "workers", Topics: []string{"orders", "audit"}, Protocol: test.protocol, CommitEvery: 1}
				if spec.ClientID = fmt.Sprintf("worker-%d", i); i == 0 {
					spec.InstanceID = "pod-0"
				}
				consume(t, c, spec)
			}
			info := assigned(t, c, "workers", 3, 8)
			eventually(t, "all is committed", func() bool {
				lag, ok := c.Lag("workers", "orders")[0]
				return ok && lag == 0
			})
			client, _ := startClient(t, c, Options{})
			s := poll(t, client)
			if len(s.Problems) > 0 || len(s.Groups) != 1 {
				t.Fatalf("problems %v, groups %+v", problems(s), s.Groups)
			}
			g := s.Groups[0]
			m, _ := g.Members.Get()
			if g.Type != test.kind || g.State != snapshot.StateStable || g.ProtocolType != "consumer" || g.Assignor != test.assignor || !m.Assigned {
				t.Errorf("group %+v", g)
			}
			if g.Coordinator.Or(-1) != c.Fake().CoordinatorFor("workers") {
				t.Errorf("coordinator %s", orUnknown(g.Coordinator))
			}
			if test.kind == snapshot.TypeConsumer && g.Generation.Or(-1) != info.Epoch {
				t.Errorf("generation %s, should be %d", orUnknown(g.Generation), info.Epoch)
			}
			// kgo tells no generation in the subscription with which it
			// joins, or that of its last round.
			if v, ok := g.Generation.Get(); ok && v > info.Epoch {
				t.Errorf("generation %d, should be at most %d", v, info.Epoch)
			}
			if diff := cmp.Diff(ownersInside(t, info), owners(s, "workers")); diff != "" {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
			static := 0
			for _, member := range m.List {
				if member.InstanceID == "pod-0" && member.ClientID == "worker-0" {
					static++
				}
				if diff := cmp.Diff([]string{"audit", "orders"}, member.Subscribed); diff != "" || !strings.HasPrefix(member.Host, "127.0.0.1") {
					t.Errorf("member %+v", member)
				}
			}
			if static != 1 || len(m.List) != 3 || !slices.IsSortedFunc(m.List, func(a, b snapshot.Member) int { return strings.Compare(a.ID, b.ID) }) {
				t.Errorf("members %+v", m.List)
			}
			commits, _ := g.Commits.Get()
			if diff := cmp.Diff([]snapshot.TopicCommits{{Topic: "orders", Partitions: []snapshot.Commit{{Partition: 0, Offset: snapshot.Known[int64](20)}}}}, commits.Topics); diff != "" {
				t.Errorf("commits (-want +got):\n%s", diff)
			}
		})
	}
}

// A group with members that never committed has no commits, which is not the
// same as unknown commits; nor does −1 stand for them (fault 2).
func TestMembersWithoutCommits(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 2}})
	produce(t, c, "orders", 0, 3)
	consume(t, c, lab.ConsumerSpec{Group: "shy", Topics: []string{"orders"}, Protocol: lab.ProtocolRange, NeverCommit: true})
	assigned(t, c, "shy", 1, 2)
	client, _ := startClient(t, c, Options{})
	g, _ := poll(t, client).Group("shy")
	commits, ok := g.Commits.Get()
	if !ok || len(commits.Topics) != 0 {
		t.Errorf("commits %+v, known %t", commits, ok)
	}
	if m, _ := g.Members.Get(); len(m.List) != 1 || !m.Assigned {
		t.Errorf("members %+v", m)
	}
}

// A group that all members have left is empty: its members are known to be
// none, and its commits stay.
func TestEmptyGroup(t *testing.T) {
	for _, protocol := range []lab.Protocol{lab.ProtocolRange, lab.ProtocolConsumer} {
		t.Run(protocol.String(), func(t *testing.T) {
			t.Parallel()
			c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
			produce(t, c, "orders", 0, 3)
			m := consume(t, c, lab.ConsumerSpec{Group: "left", Topics: []string{"orders"}, Protocol: protocol, CommitEvery: 1})
			eventually(t, "all is committed", func() bool { lag, ok := c.Lag("left", "orders")[0]; return ok && lag == 0 })
			m.Stop()
			_, err := c.Fake().WaitGroupInfo(testContext(t), "left", func(g *kfake.GroupInfo) bool { return len(g.Members) == 0 && g.State == "Empty" })
			must(t, err)
			client, _ := startClient(t, c, Options{})
			g, _ := poll(t, client).Group("left")
			members, ok := g.Members.Get()
			commits, _ := g.Commits.Get()
			if !ok || len(members.List) != 0 || !members.Assigned || g.State != snapshot.StateEmpty || g.Generation.Known() != (protocol == lab.ProtocolConsumer) {
				t.Errorf("group %+v", g)
			}
			if len(commits.Topics) != 1 || commits.Topics[0].Partitions[0].Offset.Or(-1) != 3 {
				t.Errorf("commits %+v", commits)
			}
		})
	}
}
