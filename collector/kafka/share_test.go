package kafka

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// shareOffsets alters what brokers say of the first partition of share groups.
func shareOffsets(f func(*kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition)) func(*call, kmsg.Response) {
	return func(_ *call, resp kmsg.Response) {
		r, ok := resp.(*kmsg.DescribeShareGroupOffsetsResponse)
		if !ok {
			return
		}
		for i := range r.Groups {
			f(&r.Groups[i].Topics[0].Partitions[0])
		}
	}
}

// startSharing is a cluster with one share group that has read 4 of 10 records
// and done what it has read.
func startSharing(t *testing.T) *lab.Cluster {
	t.Helper()
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	member := joinShareGroup(t, c, "sharing", "orders")
	_, err := c.Fake().WaitGroupInfo(testContext(t), "sharing", func(g *kfake.GroupInfo) bool { return g.Epoch > 0 && g.State == "Stable" })
	must(t, err)
	produce(t, c, "orders", 0, 4)
	for done := 0; done < 4; {
		fetches := member.PollFetches(testContext(t))
		done += fetches.NumRecords()
		fetches.EachRecord(func(r *kgo.Record) { r.Ack(kgo.AckAccept) })
	}
	must(t, member.FlushAcks(testContext(t)))
	member.Close()
	_, err = c.Fake().WaitGroupInfo(testContext(t), "sharing", func(g *kfake.GroupInfo) bool { return len(g.Members) == 0 })
	must(t, err)
	produce(t, c, "orders", 0, 6)
	return c
}

// A share group is read by its own requests, and by no one else's.
func TestShareGroup(t *testing.T) {
	c := startSharing(t)
	client, wire := startClient(t, c, Options{})
	s := poll(t, client)
	check(t, s,
		"topic orders", "  0 leader=0 0..10",
		"group sharing share share/simple empty coordinator=0 generation=2",
		"  shares orders 0=4+6")
	if n := requests(wire.reset()); n["OffsetFetch"]+n["DescribeGroups"]+n["ConsumerGroupDescribe"] != 0 || n["ShareGroupDescribe"] != 1 || n["DescribeShareGroupOffsets"] != 1 {
		t.Errorf("requests %v", n)
	}
	joinShareGroup(t, c, "sharing", "orders")
	_, err := c.Fake().WaitGroupInfo(testContext(t), "sharing", func(g *kfake.GroupInfo) bool { return len(g.Members) == 1 && g.State == "Stable" })
	must(t, err)
	g, _ := poll(t, client).Group("sharing")
	m, _ := g.Members.Get()
	if len(m.List) != 1 || !m.Assigned || g.State != snapshot.StateStable {
		t.Fatalf("group %+v", g)
	}
	if diff := cmp.Diff([]string{"orders"}, m.List[0].Subscribed); diff != "" {
		t.Errorf("subscribed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]snapshot.TopicPartitions{{Topic: "orders", Partitions: []int32{0}}}, m.List[0].Assignment); diff != "" {
		t.Errorf("assignment (-want +got):\n%s", diff)
	}
}

// What a broker says of a position is believed as far as it goes: an error
// counts before the numbers beside it, and −1 is no number.
func TestShareOffsets(t *testing.T) {
	type partition = kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition
	c := startSharing(t)
	client, wire := startClient(t, c, Options{})
	for _, test := range []struct {
		name  string
		alter func(*partition)
		want  []string
	}{
		{"as it is", func(*partition) {}, []string{"  shares orders 0=4+6"}},
		{"done out of order", func(p *partition) { p.Lag = 1 }, []string{"  shares orders 0=4+1"}},
		{"no lag", func(p *partition) { p.Lag = -1 }, []string{"  shares orders 0=4+?", "problem fetch_offsets unavailable broker=0 group=sharing topic=orders ×1"}},
		{"not begun", func(p *partition) { p.StartOffset, p.Lag = -1, -1 }, []string{"  shares orders 0=none"}},
		{"error", func(p *partition) { p.ErrorCode = kerr.NotLeaderForPartition.Code }, []string{"  shares orders 0=?+?", "problem fetch_offsets not_leader broker=0 group=sharing topic=orders ×1"}},
		{"error without values", func(p *partition) { p.StartOffset, p.Lag, p.ErrorCode = -1, -1, kerr.TopicAuthorizationFailed.Code }, []string{"  shares orders 0=?+?", "problem fetch_offsets unauthorized broker=0 group=sharing topic=orders ×1"}},
	} {
		wire.onAnswer(shareOffsets(test.alter))
		t.Run(test.name, func(t *testing.T) {
			check(t, poll(t, client), append([]string{
				"topic orders", "  0 leader=0 0..10",
				"group sharing share share/simple empty coordinator=0 generation=2"}, test.want...)...)
		})
	}
}

// Before version 1 the answer has no lag; kmsg decodes it as one of 0.
func TestShareOffsetsWithoutLag(t *testing.T) {
	c := startSharing(t)
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(apiVersions(c.Addrs()[0], enabled(), capped(map[kmsg.Key]int16{kmsg.DescribeShareGroupOffsets: 0})))
	check(t, poll(t, client),
		"topic orders", "  0 leader=0 0..10",
		"group sharing share share/simple empty coordinator=0 generation=2",
		"  shares orders 0=4+?",
		"problem fetch_offsets unsupported broker=0 group=sharing topic=orders ×1")
}

// A coordinator asks other brokers for the offsets of share groups. When one of
// them is frozen, the groups that it does not concern are known again at the
// next poll at the latest, nothing else of the coordinator's is lost, and when
// it is back all are.
func TestShareOffsetsThatOthersHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() { <-time.After(time.Minute) }() // what is held back ends with the bubble
		network := &kfake.VirtualNetwork{}
		c, err := lab.Start(lab.Options{Network: network, Brokers: 1, Topics: map[string]int32{"orders": 1}})
		must(t, err)
		defer c.Close()
		held := []string{"held-1", "held-2", "held-3", "held-4"} // asked about before the others
		free := []string{"other-1", "other-2"}
		for _, group := range slices.Concat(held, free) {
			joinShareGroup(t, c, group, "orders").Close()
		}
		commit(t, c, "plain", "orders", 0, 0)
		client, wire := newClient(t, Options{Dial: network.DialContext, RequestTimeout: 2500 * time.Millisecond}, c.Addrs()...)
		defer client.Close()
		read := func(s *snapshot.Snapshot, groups ...string) (n int) {
			for _, id := range groups {
				if g, ok := s.Group(id); ok && (g.Shares.Known() || g.Commits.Known()) {
					n++
				}
			}
			return n
		}
		next := func(wantFree, wantHeld int) {
			t.Helper()
			ctx, cancel := context9(t)
			defer cancel()
			s, err := client.Poll(ctx)
			must(t, err)
			if read(s, "plain") != 1 || !s.Topics[0].Partitions[0].End.Known() || !s.Brokers[0].Answered.Or(false) {
				t.Errorf("the rest was not read: %v", problems(s))
			}
			if f, h := read(s, free...), read(s, held...); f != wantFree || h != wantHeld {
				t.Errorf("%d and %d were read, want %d and %d: %v", f, h, wantFree, wantHeld, problems(s))
			}
		}
		next(2, 4)
		wire.onRequest(late(5*time.Second, func(k *call) bool {
			r, ok := k.req.(*kmsg.DescribeShareGroupOffsetsRequest)
			return ok && strings.HasPrefix(r.Groups[0].GroupID, "held")
		}))
		next(0, 0) // the time for groups ran out with the first of them
		next(2, 0)
		next(2, 0)
		wire.onRequest(nil)
		next(2, 4)
	})
}

// Two share groups in one request would wait for each other in Kafka.
func TestShareGroupsAreAskedAboutOneByOne(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	for i := range 5 {
		joinShareGroup(t, c, fmt.Sprintf("sharing-%d", i), "orders").Close()
	}
	client, wire := startClient(t, c, Options{})
	var open, most int
	var mu sync.Mutex
	count := func(k kmsg.Key, n int) {
		if k == kmsg.DescribeShareGroupOffsets {
			mu.Lock()
			defer mu.Unlock()
			open += n
			most = max(most, open)
		}
	}
	wire.onRequest(func(k *call) verdict { count(kmsg.Key(k.req.Key()), 1); return pass })
	wire.onAnswer(func(k *call, _ kmsg.Response) { count(kmsg.Key(k.req.Key()), -1) })
	s := poll(t, client)
	if n := s.Requests["DescribeShareGroupOffsets"]; n != 5 || most != 1 {
		t.Errorf("%d requests, %d at a time", n, most)
	}
}
