package kafka

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// told is what a member comes to.
type told struct {
	Member     snapshot.Member
	Generation int32
	Err        string
}

func tellMember(m snapshot.Member, generation int32, err error) told {
	return told{m, generation, fmt.Sprint(err)}
}

// randomMembers are those of one answer. There are so few different ones that
// most tell what they told before, or what another one told.
func randomMembers(r *rand.Rand) []kmsg.DescribeGroupsResponseGroupMember {
	var list []kmsg.DescribeGroupsResponseGroupMember
	for i := range 1 + r.IntN(3) {
		m := member(fmt.Sprintf("m%d", i+r.IntN(2)), subscription(3, r.Int32N(2), []string{"a", "b"}[r.IntN(2)]), assignment("a", r.Int32N(2)))
		m.ClientID, m.ClientHost = []string{"app", "web"}[r.IntN(2)], []string{"/h1", "/h2"}[r.IntN(2)]
		if r.IntN(2) == 0 {
			m.InstanceID = kmsg.StringPtr([]string{"pod-0", "pod-1"}[r.IntN(2)])
		}
		if r.IntN(10) == 0 {
			m.MemberAssignment = []byte{0, 0, 9}
		}
		list = append(list, m)
	}
	return list
}

// What members come to does not depend on what they told before, whatever
// changes from answer to answer, nor on what becomes of an answer's bytes.
func TestDecodedAsIfForTheFirstTime(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		d := decodings{byGroup: map[string][]decoding{}}
		last := map[string][]kmsg.DescribeGroupsResponseGroupMember{}
		for n := range 200 {
			group := []string{"g", "h"}[r.IntN(2)]
			list := last[group]
			if list == nil || r.IntN(3) > 0 {
				list = changed(r, list)
			}
			last[group] = list
			var want, got []told
			for i := range list {
				want = append(want, tellMember(classicMember(&list[i], true)))
			}
			answer := copied(list)
			d.members(group, answer, func(m snapshot.Member, generation int32, err error) {
				got = append(got, tellMember(m, generation, err))
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, answer %d (-decoded anew +got):\n%s", seed, n, diff)
			}
			for i := range answer {
				clear(answer[i].ProtocolMetadata)
				clear(answer[i].MemberAssignment)
			}
		}
	}
}

// changed is an answer after another: one thing of one member differs, or all.
func changed(r *rand.Rand, list []kmsg.DescribeGroupsResponseGroupMember) []kmsg.DescribeGroupsResponseGroupMember {
	other := randomMembers(r)
	if len(list) == 0 || r.IntN(4) == 0 {
		return other
	}
	list = copied(list)
	m, o := &list[r.IntN(len(list))], &other[0]
	switch r.IntN(5) {
	case 0:
		m.ClientID = o.ClientID
	case 1:
		m.ClientHost = o.ClientHost
	case 2:
		m.InstanceID = o.InstanceID
	case 3:
		m.ProtocolMetadata = o.ProtocolMetadata
	case 4:
		m.MemberAssignment = o.MemberAssignment
	}
	return list
}

func copied(list []kmsg.DescribeGroupsResponseGroupMember) []kmsg.DescribeGroupsResponseGroupMember {
	var out []kmsg.DescribeGroupsResponseGroupMember
	for i := range list {
		out = append(out, toldBy(&list[i]))
	}
	return out
}

// Members that tell the same are decoded once, and groups that are gone take no
// memory.
func TestDecodedOnce(t *testing.T) {
	d := decodings{byGroup: map[string][]decoding{}}
	list := []kmsg.DescribeGroupsResponseGroupMember{member("m", subscription(3, 6, "orders"), assignment("orders", 0, 1))}
	var first, second snapshot.Member
	d.members("g", copied(list), func(m snapshot.Member, _ int32, _ error) { first = m })
	d.members("g", copied(list), func(m snapshot.Member, _ int32, _ error) { second = m })
	if &first.Assignment[0] != &second.Assignment[0] {
		t.Error("a member that told the same was decoded again")
	}
	d.members("h", copied(list), func(snapshot.Member, int32, error) {})
	d.forget(func(group string) bool { return group == "h" })
	if _, ok := d.byGroup["h"]; !ok || len(d.byGroup) != 1 {
		t.Errorf("%d groups are remembered", len(d.byGroup))
	}
}

// Partitions have numbers from 0 on. One below it lost its label on the page, and
// two of them were one series twice.
func TestPartitionsBelowZero(t *testing.T) {
	m := member("m", subscription(3, 1, "a"), assignment("a", 0, -1, 0))
	if got, _, err := classicMember(&m, true); wire.ReasonOf(err) != snapshot.ReasonMalformed || got.Assignment != nil {
		t.Errorf("assignment %v, %v", got.Assignment, err)
	}
	c0, err := New(Options{Brokers: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	r := newRound(c0)
	g := &reading{Group: snapshot.Group{ID: "g"}}
	r.takeCommits(g, []kmsg.OffsetFetchResponseGroupTopic{{Topic: "t", Partitions: []kmsg.OffsetFetchResponseGroupTopicPartition{
		{Partition: -1, Offset: 7}, {Partition: 0, Offset: 5},
	}}}, &wire.Answer{})
	c, _ := g.Commits.Get()
	if len(c.Topics) != 1 || len(c.Topics[0].Partitions) != 1 || c.Topics[0].Partitions[0].Partition != 0 {
		t.Errorf("commits %+v", c.Topics)
	}
	if p := r.sortedProblems(); len(p) != 1 || p[0].Reason != snapshot.ReasonMalformed {
		t.Errorf("problems %+v", p)
	}
	topic := &topicState{}
	topic.setPartitions([]kmsg.MetadataResponseTopicPartition{{Partition: -1}, {Partition: 1}, {Partition: 0}, {Partition: 1}})
	if len(topic.Partitions) != 2 || topic.Partitions[0].ID != 0 || topic.Partitions[1].ID != 1 {
		t.Errorf("partitions %+v", topic.Partitions)
	}
}

// A start offset that could not be read again for long was kept for good.
func TestOldStartOffsets(t *testing.T) {
	now := time.Now()
	s := newClusterState(func(string) bool { return true })
	s.put(&topicState{Topic: snapshot.Topic{Name: "t", Partitions: []snapshot.Partition{
		{ID: 0, Start: snapshot.Known(snapshot.Reading{Offset: 1, At: snapshot.InstantOf(now.Add(-90 * time.Second))})},
		{ID: 1, Start: snapshot.Known(snapshot.Reading{Offset: 2, At: snapshot.InstantOf(now.Add(-91 * time.Second))})},
	}}})
	s.begin(now, 90*time.Second)
	p := s.topics["t"].Partitions
	if !p[0].Start.Known() || p[1].Start.Known() {
		t.Errorf("%+v", p)
	}
}

// Many members that are all new, or come in another order, are found at once:
// that took the square of their number.
func TestManyMembersInAnotherOrder(t *testing.T) {
	d := decodings{byGroup: map[string][]decoding{}}
	var list []kmsg.DescribeGroupsResponseGroupMember
	for i := range 20_000 {
		list = append(list, member(fmt.Sprint("m", i), subscription(3, 1, "a"), assignment("a", int32(i))))
	}
	for range 2 {
		n := 0
		d.members("g", list, func(m snapshot.Member, _ int32, err error) {
			if err != nil || m.ID != list[n].MemberID {
				t.Fatalf("member %q, %v", m.ID, err)
			}
			n++
		})
		slices.Reverse(list)
	}
	d.members("g", list[:10], func(snapshot.Member, int32, error) {})
	if got := d.byGroup["g"]; len(got) != 10 || cap(got) > 100 {
		t.Errorf("%d members are kept, in room for %d", len(got), cap(got))
	}
	if d.drop("g"); len(d.byGroup) != 0 {
		t.Error("a group that is not stable is kept")
	}
}
