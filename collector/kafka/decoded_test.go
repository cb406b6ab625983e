package kafka

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

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
