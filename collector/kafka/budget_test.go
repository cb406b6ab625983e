package kafka

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire/wiretest"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// settled is a cluster with n classic groups that commit on a topic whose
// partitions are spread over all brokers.
func settled(t *testing.T, groups int) *lab.Cluster {
	t.Helper()
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 6}})
	lead(t, c, "orders", 0, 1, 2, 0, 1, 2)
	for i := range groups {
		commit(t, c, fmt.Sprintf("group-%d", i), "orders", int32(i%6), 0)
	}
	return c
}

// A poll costs a broker four requests whatever the number of groups: other
// exporters send one or two requests a group.
func TestRequestBudget(t *testing.T) {
	for _, groups := range []int{10, 500} {
		t.Run(fmt.Sprint(groups), func(t *testing.T) {
			c := settled(t, groups)
			client, wire := startClient(t, c, Options{Configs: true})
			poll(t, client)
			first := requests(wire.reset())
			want := map[string]int{"Metadata": 1, "ListGroups": 3, "DescribeGroups": 3, "OffsetFetch": 3, "ListOffsets": 6, "DescribeConfigs": 1}
			if diff := cmp.Diff(want, first); diff != "" {
				t.Errorf("first poll (-want +got):\n%s", diff)
			}
			delete(want, "DescribeConfigs") // not due for ten minutes
			for range 3 {
				s := poll(t, client)
				sent := wire.reset()
				want["ListOffsets"] = 3 // end offsets only: starts are not due
				if diff := cmp.Diff(want, requests(sent)); diff != "" {
					t.Errorf("later poll (-want +got):\n%s", diff)
				}
				if got := total(requests(sent)); got > 4*3+1 {
					t.Errorf("%d requests a poll", got)
				}
				// The transport may open one more connection when it is asked
				// before it has put the last one back.
				if got := len(sent) - total(requests(sent)); got > 4 {
					t.Errorf("settled connections still cost %d requests of their own", got)
				}
				if diff := cmp.Diff(requests(sent), s.Requests); diff != "" {
					t.Errorf("the snapshot counts otherwise (-wire +snapshot):\n%s", diff)
				}
			}
		})
	}
}

// The brokers count what lagwatch says it sends: nothing goes around its
// dialler, versions are asked for once an address, and whose broker it is once a broker.
func TestBrokersSeeTheSame(t *testing.T) {
	c := settled(t, 10)
	counter := c.CountRequests()
	client, wire := startClient(t, c, Options{})
	for range 3 {
		poll(t, client)
	}
	got, sent, own := counter.Client("lagwatch"), map[string]int{}, map[string]int{}
	connections := wire.connections("")
	for _, k := range wire.reset() {
		sent[k.api()]++
		if k.own {
			own[k.api()]++
		}
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("(-tap +brokers):\n%s", diff)
	}
	const nodes = 1 + 3                   // the bootstrap address that answered, and the brokers
	want := map[string]int{"Metadata": 3} // each broker one, for its cluster; the transport none
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("the transport's own requests (-want +got):\n%s", diff)
	}
	if n := sent["ApiVersions"]; n != nodes {
		t.Errorf("versions were asked for %d times", n)
	}
	if connections > 3*nodes {
		t.Errorf("%d connections", connections)
	}
}

// A second type of groups costs one more request per coordinator that has it.
func TestRequestBudgetTwoTypes(t *testing.T) {
	c := settled(t, 10)
	group := groupOn(c, 1, "modern")
	_, err := c.StartConsumer(lab.ConsumerSpec{Group: group, Topics: []string{"orders"}, Protocol: lab.ProtocolConsumer})
	must(t, err)
	_, err = c.WaitAssigned(testContext(t), group, 1, 6)
	must(t, err)
	client, wire := startClient(t, c, Options{})
	poll(t, client)
	wire.reset()
	poll(t, client)
	sent := requests(wire.reset())
	if sent["ConsumerGroupDescribe"] != 1 || total(sent) != 4*3+1+1 {
		t.Errorf("requests: %v", sent)
	}
}

// A request that is not in the list could write: FindCoordinator creates
// __consumer_offsets, and Metadata can create topics (fault 17).
func TestOnlySpokenRequests(t *testing.T) {
	c := startLab(t, lab.Options{Topics: map[string]int32{"orders": 3, "gone": 1}, AutoCreate: true})
	commit(t, c, "here", "orders", 0, 0)
	client, wire := startClient(t, c, Options{Configs: true})
	poll(t, client)
	must(t, c.DeleteTopic("gone"))
	must(t, c.Fake().MoveTopicPartition("orders", 0, (c.Fake().LeaderFor("orders", 0)+1)%3))
	c.Fake().RehashCoordinators()
	wire.cut(c.Addrs()[0])
	poll(t, client)
	for _, k := range wire.reset() {
		if _, ok := wiretest.Newest[kmsg.Key(k.req.Key())]; !ok {
			t.Errorf("%s was sent", k.api())
		}
		if m, ok := k.req.(*kmsg.MetadataRequest); ok && m.AllowAutoTopicCreation {
			t.Errorf("metadata that may create topics (the transport's own: %t)", k.own)
		}
	}
}

// A commit read after the end offset makes a busy group look ahead of the log,
// or caught up when it is not (fault 1).
func TestCommitsBeforeEndOffsets(t *testing.T) {
	c := settled(t, 30)
	client, wire := startClient(t, c, Options{MaxGroupsPerRequest: 3, MaxPartitionsPerRequest: 1})
	for range 3 {
		s := poll(t, client)
		calls := wire.reset()
		lastCommit, firstEnd := 0, 1<<30
		for _, k := range ofAPI(calls, kmsg.OffsetFetch) {
			lastCommit = max(lastCommit, k.answered)
		}
		for _, k := range ofAPI(calls, kmsg.ListOffsets) {
			firstEnd = min(firstEnd, k.sent)
		}
		if lastCommit == 0 || lastCommit > firstEnd {
			t.Errorf("OffsetFetch was answered at %d, ListOffsets sent at %d", lastCommit, firstEnd)
		}
		for _, g := range s.Groups {
			m, _ := g.Commits.Get()
			for _, p := range s.Topics[0].Partitions {
				if end, _ := p.End.Get(); end.At < snapshot.InstantOf(m.At) {
					t.Errorf("%s was read %s after the end offset", g.ID, snapshot.InstantOf(m.At).Sub(end.At))
				}
			}
		}
	}
}

// Large requests are cut, and each part is asked for once.
func TestChunks(t *testing.T) {
	c := settled(t, 30)
	client, wire := startClient(t, c, Options{MaxGroupsPerRequest: 4, MaxPartitionsPerRequest: 1})
	s := poll(t, client)
	if len(s.Groups) != 30 || len(s.Problems) != 0 {
		t.Errorf("%d groups, problems %v", len(s.Groups), problems(s))
	}
	seen := map[string]int{}
	for _, k := range ofAPI(wire.reset(), kmsg.OffsetFetch) {
		r := k.req.(*kmsg.OffsetFetchRequest)
		if len(r.Groups) > 4 {
			t.Errorf("a request for %d groups", len(r.Groups))
		}
		for _, g := range r.Groups {
			seen[g.Group]++
		}
	}
	for g, n := range seen {
		if n != 1 {
			t.Errorf("%s was asked for %d times", g, n)
		}
	}
	if len(seen) != 30 {
		t.Errorf("%d groups were asked for", len(seen))
	}
}
