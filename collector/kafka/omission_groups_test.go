package kafka

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/lagwatch/lagwatch/internal/lab"
)

func unlisted(group string) func(*call, kmsg.Response) {
	return func(_ *call, resp kmsg.Response) {
		if r, ok := resp.(*kmsg.ListGroupsResponse); ok {
			r.Groups = slices.DeleteFunc(r.Groups, func(g kmsg.ListGroupsResponseGroup) bool { return g.Group == group })
		}
	}
}

// A group that no broker lists is asked about everywhere before it is gone,
// and is read where it still is.
func TestGroupLeftOutOfListings(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.onAnswer(unlisted(groups[1]))
	for range 2 {
		wire.reset()
		check(t, poll(t, client), trioLines(groups, -1)...)
		if sent := requests(wire.reset()); total(sent) > 4*3+1+3 {
			t.Errorf("requests %v", sent)
		}
	}
}

// A deleted group is gone at the next poll, not a poll later and not never
// (fault 8).
func TestDeletedGroup(t *testing.T) {
	for name, v := range map[string]*kversion.Versions{"2.8": kversion.V2_8_0(), "3.0": kversion.V3_0_0(), "newest": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{MaxVersions: v})
			client, wire := startClient(t, c, Options{})
			poll(t, client)
			must(t, c.DeleteGroup(testContext(t), groups[1]))
			for i := range 2 {
				wire.reset()
				check(t, poll(t, client), wantGroup(groups, 1)...)
				if sent := requests(wire.reset()); total(sent) > 4*3+1+3 || i > 0 && sent["DescribeGroups"] > 2 {
					t.Errorf("requests %v", sent)
				}
			}
		})
	}
}

// A consumer-protocol group and a share group go alike: their coordinator,
// asked, has none.
func TestDeletedModernGroups(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 1}})
	m := consume(t, c, lab.ConsumerSpec{Group: "modern", Topics: []string{"orders"}, Protocol: lab.ProtocolConsumer})
	assigned(t, c, "modern", 1, 1)
	joinShareGroup(t, c, "sharing", "orders").Close()
	client, wire := startClient(t, c, Options{})
	if s := poll(t, client); len(s.Groups) != 2 {
		t.Fatalf("groups %+v", s.Groups)
	}
	wire.onAnswer(both(unlisted("sharing"), unlisted("modern")))
	if s := poll(t, client); len(s.Groups) != 2 {
		t.Errorf("groups %+v", s.Groups)
	}
	wire.onAnswer(nil)
	m.Stop()
	for _, id := range []string{"modern", "sharing"} {
		_, err := c.Fake().WaitGroupInfo(testContext(t), id, func(g *kfake.GroupInfo) bool { return len(g.Members) == 0 })
		must(t, err)
		must(t, c.DeleteGroup(testContext(t), id))
	}
	if s := poll(t, client); len(s.Groups) != 0 {
		t.Errorf("still there: %+v", s.Groups)
	}
}

// A group whose coordinator is away is unread, however long; when it was
// deleted meanwhile, the coordinator says so on its return.
func TestGroupDeletedWhileCoordinatorIsAway(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, _ := startClient(t, c, Options{RequestTimeout: time.Second})
	poll(t, client)
	must(t, c.DeleteGroup(testContext(t), groups[1]))
	must(t, c.SetLink(1, lab.LinkDown))
	for range 2 {
		if _, ok := poll(t, client).Group(groups[1]); !ok {
			t.Error("it is taken for deleted while nobody says so")
		}
	}
	must(t, c.SetLink(1, lab.LinkUp))
	if _, ok := poll(t, client).Group(groups[1]); ok {
		t.Error("it is still there")
	}
}

// A group that is listed, and that its coordinator then knows nothing of, is
// kept until the two agree: it may just have been created, or deleted.
func TestListedButUnknown(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, _ := startClient(t, c, Options{})
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Group: groups[1], Err: kerr.GroupIDNotFound, Count: -1})
	want := append(wantGroup(groups, 1, "group "+groups[1]+" classic / empty coordinator=? generation=?", "  members=?", "  commits=?"),
		"problem describe_groups unavailable group="+groups[1]+" ×1")
	for range 2 {
		check(t, poll(t, client), want...)
	}
}

// A group that two brokers list, as in the moment of a move, is one, read from
// the one that coordinates it (fault 10).
func TestGroupListedTwice(t *testing.T) {
	for _, liar := range []int{0, 2} {
		c, groups := trio(t, lab.Options{})
		client, wire := startClient(t, c, Options{})
		wire.onAnswer(func(k *call, resp kmsg.Response) {
			if r, ok := resp.(*kmsg.ListGroupsResponse); ok && k.addr == c.Addrs()[liar] {
				g := r.Groups[0]
				g.Group = groups[1]
				r.Groups = append(r.Groups, g)
			}
		})
		for range 2 {
			check(t, poll(t, client), trioLines(groups, -1)...)
		}
	}
}

// While a partition of __consumer_offsets has no leader, nobody lists the groups that are
// kept there: all listings looked whole, and an expected group was called deleted. It does
// not matter whether lagwatch is to read that topic.
func TestGroupsThatNobodyLists(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{KeepTopic: func(topic string) bool { return topic == "orders" }})
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic, topic.IsInternal = kmsg.StringPtr("__consumer_offsets"), true
		for id, leader := range []int32{0, -1, 1, -1} {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition, p.Leader = int32(id), leader
			topic.Partitions = append(topic.Partitions, p)
		}
		m.Topics = append(m.Topics, topic)
	}))
	want := append(trioLines(groups, -1), "problem list_groups no_leader topic=__consumer_offsets ×2")
	for range 2 {
		s := poll(t, client)
		check(t, s, want...)
		checkLine(t, s.Problems[0].Detail)
	}
}

// Two brokers at one address list the same groups, in full: each counts once,
// and so does each partition (fault 10).
func TestTwoBrokersAtOneAddress(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(metadataOf(true, func(m *kmsg.MetadataResponse) {
		twin := m.Brokers[0]
		twin.NodeID = 7
		m.Brokers = append(m.Brokers, twin)
		for i := range m.Topics[0].Partitions {
			if p := &m.Topics[0].Partitions[i]; p.Leader == 0 {
				p.Leader = 7
			}
		}
	}))
	want := trioLines(groups, -1)
	want[1] = "  0 leader=7 0..10"
	for range 2 {
		check(t, poll(t, client), want...)
	}
}

// A group that is listed nowhere for a moment, and whose description is
// refused, keeps its offsets: they are known.
func TestUnlistedGroupWithoutDescription(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 1}})
	produce(t, c, "orders", 0, 4)
	consume(t, c, lab.ConsumerSpec{Group: "modern", Topics: []string{"orders"}, Protocol: lab.ProtocolConsumer, CommitEvery: 1})
	assigned(t, c, "modern", 1, 1)
	eventually(t, "all is committed", func() bool { lag, ok := c.Lag("modern", "orders")[0]; return ok && lag == 0 })
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ConsumerGroupDescribe}, Nodes: []int32{c.Fake().CoordinatorFor("modern")}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	wire.onAnswer(unlisted("modern"))
	g, _ := poll(t, client).Group("modern")
	commits, _ := g.Commits.Get()
	if len(commits.Topics) != 1 || g.Coordinator.Or(-1) != c.Fake().CoordinatorFor("modern") {
		t.Errorf("group %+v", g)
	}
}
