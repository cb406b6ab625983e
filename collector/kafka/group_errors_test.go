package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// wantGroup replaces the lines of one group of a trio.
func wantGroup(groups [3]string, broker int, with ...string) []string {
	list := trioLines(groups, -1)
	at := slices.IndexFunc(list, func(l string) bool { return l == groupLine(groups, broker, "classic / empty") })
	return slices.Replace(list, at, at+2, with...)
}

func groupLine(groups [3]string, broker int, what string) string {
	return fmt.Sprintf("group %s %s coordinator=%d generation=?", groups[broker], what, broker)
}

// An error for one group costs what was asked of that group, and nothing of
// the others.
func TestGroupErrors(t *testing.T) {
	for _, test := range []struct {
		api    kmsg.Key
		err    *kerr.Error
		reason string
	}{
		{kmsg.DescribeGroups, kerr.GroupAuthorizationFailed, "describe_groups unauthorized broker=1"},
		{kmsg.DescribeGroups, kerr.CoordinatorLoadInProgress, "describe_groups loading broker=1"},
		{kmsg.DescribeGroups, kerr.CoordinatorNotAvailable, "describe_groups loading broker=1"},
		{kmsg.DescribeGroups, kerr.UnknownServerError, "describe_groups other broker=1"},
		{kmsg.OffsetFetch, kerr.GroupAuthorizationFailed, "fetch_offsets unauthorized broker=1"},
		{kmsg.OffsetFetch, kerr.CoordinatorLoadInProgress, "fetch_offsets loading broker=1"},
	} {
		t.Run(kmsg.NameForKey(int16(test.api))+"/"+test.err.Message, func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{test.api}, Group: groups[1], Err: test.err, Count: -1})
			client, wire := startClient(t, c, Options{})
			want := wantGroup(groups, 1, groupLine(groups, 1, "classic / empty"), "  members=?", "  committed orders 1=2")
			if test.api == kmsg.OffsetFetch {
				want = wantGroup(groups, 1, groupLine(groups, 1, "classic / empty"), "  commits=?")
			}
			want = append(want, "problem "+test.reason+" group="+groups[1]+" ×1")
			for range 2 {
				check(t, poll(t, client), want...)
				limit := 4*3 + 3 + 1
				if strings.Contains(test.reason, "loading") {
					limit += 2 * 3 // asked once more, as its coordinator may be elsewhere by now
				}
				if sent := requests(wire.reset()); total(sent) > limit {
					t.Errorf("requests %v", sent)
				}
			}
		})
	}
}

// A group that no broker admits to coordinate is kept, unread, at a bounded
// cost: it may be on its way from one to the other.
func TestNobodyCoordinates(t *testing.T) {
	for _, api := range []kmsg.Key{kmsg.DescribeGroups, kmsg.OffsetFetch} {
		t.Run(kmsg.NameForKey(int16(api)), func(t *testing.T) {
			t.Parallel()
			c, groups := trio(t, lab.Options{})
			c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{api}, Group: groups[1], Err: kerr.NotCoordinator, Count: -1})
			client, wire := startClient(t, c, Options{})
			want := wantGroup(groups, 1, "group "+groups[1]+" classic / empty coordinator=? generation=?", "  members=?", "  commits=?")
			if api == kmsg.OffsetFetch {
				want = slices.Delete(want, 7, 8) // its members were told
			}
			want = append(want, "problem describe_groups unavailable group="+groups[1]+" ×1")
			for range 2 {
				check(t, poll(t, client), want...)
				if sent := requests(wire.reset()); total(sent) > 4*3+3+1+2*3 {
					t.Errorf("requests %v", sent)
				}
			}
		})
	}
}

// Coordinators that move during a poll, after the listing or after the
// description, leave no gap (fault 13).
func TestCoordinatorsMoveDuringPoll(t *testing.T) {
	for _, when := range []kmsg.Key{kmsg.DescribeGroups, kmsg.OffsetFetch} {
		t.Run(kmsg.NameForKey(int16(when)), func(t *testing.T) {
			t.Parallel()
			c := settled(t, 20)
			client, wire := startClient(t, c, Options{})
			before := poll(t, client)
			for range 3 {
				wire.onRequest(once(when, c.Fake().RehashCoordinators))
				s := poll(t, client)
				if len(s.Problems) > 0 || len(s.Groups) != len(before.Groups) {
					t.Errorf("%d groups, problems %v", len(s.Groups), problems(s))
				}
				for i, g := range s.Groups {
					was, _ := before.Groups[i].Commits.Get()
					is, ok := g.Commits.Get()
					if diff := cmp.Diff(was.Topics, is.Topics); !ok || diff != "" || !g.Members.Known() {
						t.Errorf("%+v (-before +after):\n%s", g, diff)
					}
					if id := g.Coordinator.Or(-1); id != c.Fake().CoordinatorFor(g.ID) {
						t.Errorf("%s has coordinator %d", g.ID, id)
					}
				}
			}
		})
	}
}

// An error code counts before the offset beside it: −1 with an error is not
// "never committed", and its reason is the code's.
func TestCommitErrors(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	commit(t, c, groups[1], "orders", 0, 7)
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(func(_ *call, resp kmsg.Response) {
		r, ok := resp.(*kmsg.OffsetFetchResponse)
		if !ok || r.Groups[0].Group != groups[1] {
			return
		}
		ps := r.Groups[0].Topics[0].Partitions
		for i := range ps {
			if ps[i].Partition == 1 {
				ps[i].Offset, ps[i].ErrorCode = -1, kerr.TopicAuthorizationFailed.Code
			}
		}
		never := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		never.Partition, never.Offset = 2, -1 // no error: no commit
		r.Groups[0].Topics[0].Partitions = append(ps, never)
	})
	want := wantGroup(groups, 1, groupLine(groups, 1, "classic / empty"), "  committed orders 0=7 1=?")
	want = append(want, "problem fetch_offsets unauthorized broker=1 group="+groups[1]+" topic=orders ×1")
	check(t, poll(t, client), want...)
}

// Groups that an answer leaves out are unknown and counted, by number; those
// it names twice count once, and those nobody asked for not at all.
func TestGroupAnswersAreShort(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	for _, g := range []string{"a", "b", "c"} {
		commit(t, c, g, "orders", 0, 0)
	}
	client, wire := startClient(t, c, Options{})
	wire.onAnswer(func(_ *call, resp kmsg.Response) {
		switch r := resp.(type) {
		case *kmsg.DescribeGroupsResponse:
			foreign := r.Groups[0]
			foreign.Group = "foreign"
			r.Groups = append(r.Groups[:1], r.Groups[0], foreign)
		case *kmsg.OffsetFetchResponse:
			r.Groups = append(r.Groups[:1], r.Groups[0])
		}
	})
	want := []string{
		"topic orders",
		"  0 leader=0 0..0",
		"group a classic / empty coordinator=0 generation=?",
		"  committed orders 0=0",
		"group b classic / empty coordinator=0 generation=?",
		"  members=?",
		"  commits=?",
		"group c classic / empty coordinator=0 generation=?",
		"  members=?",
		"  commits=?",
		"problem describe_groups incomplete broker=0 ×2",
		"problem fetch_offsets incomplete broker=0 ×2",
	}
	check(t, poll(t, client), want...)
}

// One topic that lagwatch may not see refuses the whole description of a
// consumer-protocol group; its offsets are still read.
func TestConsumerDescriptionRefused(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	produce(t, c, "orders", 0, 4)
	consume(t, c, lab.ConsumerSpec{Group: "modern", Topics: []string{"orders"}, Protocol: lab.ProtocolConsumer, CommitEvery: 1})
	assigned(t, c, "modern", 1, 1)
	eventually(t, "all is committed", func() bool { lag, ok := c.Lag("modern", "orders")[0]; return ok && lag == 0 })
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ConsumerGroupDescribe}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	client, _ := startClient(t, c, Options{})
	want := []string{
		"topic orders",
		"  0 leader=0 0..4",
		"group modern consumer / stable coordinator=0 generation=?",
		"  members=?",
		"  committed orders 0=4",
		"problem describe_groups unauthorized broker=0 group=modern ×1",
	}
	check(t, poll(t, client), want...)
}

// A listing that is refused, in part or in whole, hides groups; none of them
// is gone by that.
func TestListingIsRefused(t *testing.T) {
	c, groups := trio(t, lab.Options{})
	client, _ := startClient(t, c, Options{})
	poll(t, client)
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListGroups}, Nodes: []int32{1}, Err: kerr.CoordinatorLoadInProgress, Count: -1})
	want := append(wantGroup(groups, 1, groupLine(groups, 1, "classic / empty"), "  committed orders 1=2"),
		"problem list_groups loading broker=1 ×1")
	check(t, poll(t, client), want...)
}

// A share group that a refused listing hides is not gone because the
// coordinator, asked for a classic group of that name, has none.
func TestListingOfShareGroupIsRefused(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	joinShareGroup(t, c, "sharing", "orders")
	client, _ := startClient(t, c, Options{})
	poll(t, client)
	c.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListGroups}, Err: kerr.CoordinatorLoadInProgress, Count: -1})
	if s := poll(t, client); len(s.Groups) != 1 {
		t.Errorf("groups %+v, problems %v", s.Groups, problems(s))
	}
}
