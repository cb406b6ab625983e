package kafka

import (
	"bytes"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// decodings remember the members of stable classic groups that were decoded
// last. What a member tells is bytes within bytes, and the same in almost every
// poll. Safe for concurrent use.
type decodings struct {
	mu      sync.Mutex
	byGroup map[string][]decoding
}

// decoding is what a member told, and what that comes to.
type decoding struct {
	told       kmsg.DescribeGroupsResponseGroupMember
	member     snapshot.Member
	generation int32
}

// members decodes those of a group, and calls take for each, in order.
func (d *decodings) members(group string, list []kmsg.DescribeGroupsResponseGroupMember, take func(m snapshot.Member, generation int32, err error)) {
	d.mu.Lock()
	before := d.byGroup[group]
	d.mu.Unlock()
	var now []decoding // nil as long as it is as before
	find := finder(before)
	for i := range list {
		old, at := find(i, &list[i])
		if now == nil && at != i {
			now = append(make([]decoding, 0, len(list)), before[:i]...)
		}
		if old != nil {
			take(old.member, old.generation, nil)
			if now != nil {
				now = append(now, *old)
			}
			continue
		}
		m, generation, err := classicMember(&list[i], true)
		if take(m, generation, err); err == nil {
			now = append(now, decoding{toldBy(&list[i]), m, generation})
		}
	}
	if now == nil {
		if now = before; len(list) < len(before) {
			now = slices.Clone(before[:len(list)])
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byGroup[group] = now
}

// drop forgets a group, which is not stable.
func (d *decodings) drop(group string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byGroup, group)
}

// forget drops the groups that are not kept.
func (d *decodings) forget(keep func(group string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for group := range d.byGroup {
		if !keep(group) {
			delete(d.byGroup, group)
		}
	}
}

// finder returns a function that finds a member that told the same, most likely
// at the place where it is now; the place is −1 if there is none.
func finder(list []decoding) func(at int, m *kmsg.DescribeGroupsResponseGroupMember) (*decoding, int) {
	var places map[string]int // made when the first is not in its place
	return func(at int, m *kmsg.DescribeGroupsResponseGroupMember) (*decoding, int) {
		if at >= len(list) || list[at].told.MemberID != m.MemberID {
			if places == nil {
				places = make(map[string]int, len(list))
				for i := range list {
					places[list[i].told.MemberID] = i
				}
			}
			var ok bool
			if at, ok = places[m.MemberID]; !ok {
				return nil, -1
			}
		}
		if !list[at].same(m) {
			return nil, -1
		}
		return &list[at], at
	}
}

func (d *decoding) same(m *kmsg.DescribeGroupsResponseGroupMember) bool {
	return d.told.ClientID == m.ClientID && d.told.ClientHost == m.ClientHost && sameText(d.told.InstanceID, m.InstanceID) &&
		bytes.Equal(d.told.ProtocolMetadata, m.ProtocolMetadata) && bytes.Equal(d.told.MemberAssignment, m.MemberAssignment)
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// toldBy copies what a member told, since its bytes are a part of the answer.
func toldBy(m *kmsg.DescribeGroupsResponseGroupMember) kmsg.DescribeGroupsResponseGroupMember {
	told := *m
	told.ProtocolMetadata, told.MemberAssignment = bytes.Clone(m.ProtocolMetadata), bytes.Clone(m.MemberAssignment)
	return told
}
