package collector

import (
	"cmp"
	"slices"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// owners says who owns what, as some members tell it. It is never changed once
// it is made, and serves all polls in which they tell the same.
type owners struct {
	assigned bool // the members' assignments are known
	unnamed  bool // a member names no topics: it subscribes by a pattern, if to anything
	alike    bool // all name the same topics
	// lists are the lists of owners that pairs have. The first is empty, then
	// follows one of each member alone, in the order of their ids.
	lists [][]*Owner
	// firsts has for each of them which member is the first in it, -1 if none is.
	firsts []int32
	// topics are those that members are assigned or subscribe to.
	topics map[string]*topicOwners
}

// nobody is what is known before anybody was seen.
var nobody = &owners{lists: [][]*Owner{nil}, firsts: []int32{-1}}

// topicOwners says who owns what of one topic.
type topicOwners struct {
	size int     // partitions, counted once for each member
	list []owned // sorted by partition
}

// owned is a partition and the index of the list of its owners.
type owned struct {
	partition int32
	owners    int32
}

func (o *owned) id() int32 { return o.partition }

// ownersNow reads who owns what from the members that a poll saw. Where they
// tell the same as before, it is the same. known is false where that is not
// known: then the last known owners stand, until they are too old.
func ownersNow(next *Group, before snapshot.Maybe[snapshot.Members], g *snapshot.Group, fresh freshness) (of *owners, known bool) {
	m, ok := g.Members.Get()
	if next.OwnersCurrent = ok && m.Assigned; next.OwnersCurrent {
		next.OwnersAt = m.At
	}
	known = ok && m.Assigned || !fresh.since(next.OwnersAt)
	if !ok {
		return nobody, known
	}
	if old, _ := before.Get(); m.Assigned && old.Assigned && next.owned.assigned && sameMembers(old.List, m.List) {
		return next.owned, known
	}
	return newOwners(next.owned, m), known
}

func newOwners(before *owners, m snapshot.Members) *owners {
	o := &owners{assigned: m.Assigned, alike: true, topics: map[string]*topicOwners{}}
	o.lists, o.firsts = append(make([][]*Owner, 0, len(m.List)+1), nil), append(make([]int32, 0, len(m.List)+1), -1)
	for i, owner := range roster(before, m.List) {
		o.lists, o.firsts = append(o.lists, []*Owner{owner}), append(o.firsts, int32(i))
	}
	for i := range m.List {
		o.unnamed = o.unnamed || len(m.List[i].Subscribed) == 0
		o.alike = o.alike && slices.Equal(m.List[i].Subscribed, m.List[0].Subscribed)
		for _, topic := range m.List[i].Subscribed {
			o.of(topic)
		}
	}
	if m.Assigned {
		o.assign(m.List)
	}
	return o
}

// sameMembers tells whether all that is read from members is the same.
func sameMembers(a, b []snapshot.Member) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		a, b := &a[i], &b[i]
		if a.ID != b.ID || a.InstanceID != b.InstanceID || a.ClientID != b.ClientID || a.Host != b.Host ||
			!slices.Equal(a.Subscribed, b.Subscribed) || !slices.EqualFunc(a.Assignment, b.Assignment, sameAssignment) {
			return false
		}
	}
	return true
}

func sameAssignment(a, b snapshot.TopicPartitions) bool {
	return a.Topic == b.Topic && slices.Equal(a.Partitions, b.Partitions)
}

// of finds a topic, or adds it.
func (o *owners) of(topic string) *topicOwners {
	t := o.topics[topic]
	if t == nil {
		t = &topicOwners{}
		o.topics[topic] = t
	}
	return t
}

// partitions lists who owns what of a topic.
func (o *owners) partitions(topic string) []owned {
	if t := o.topics[topic]; t != nil {
		return t.list
	}
	return nil
}

// assign adds what members are assigned.
func (o *owners) assign(members []snapshot.Member) {
	for i := range members {
		for _, t := range members[i].Assignment {
			o.of(t.Topic).size += len(t.Partitions)
		}
	}
	for i := range members {
		for _, t := range members[i].Assignment {
			o.topics[t.Topic].add(t.Partitions, int32(i+1))
		}
	}
	for _, t := range o.topics {
		byPartition := func(a, b owned) int { return cmp.Compare(a.partition, b.partition) }
		if !slices.IsSortedFunc(t.list, byPartition) {
			slices.SortStableFunc(t.list, byPartition)
		}
		t.list = o.merged(t.list)
	}
}

func (t *topicOwners) add(partitions []int32, owner int32) {
	if t.list == nil {
		t.list = make([]owned, 0, t.size)
	}
	for _, p := range partitions {
		t.list = append(t.list, owned{p, owner})
	}
}

// merged makes one of those of a partition with several owners, which keep
// their order. Partitions that follow each other and have the same owners share
// a list.
func (o *owners) merged(list []owned) []owned {
	out := list[:0]
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].partition == list[0].partition {
			n++
		}
		p := list[0]
		if of := o.distinct(list[:n]); len(of) > 1 {
			if last := o.lists[len(o.lists)-1]; !slices.Equal(last, of) {
				o.lists, o.firsts = append(o.lists, of), append(o.firsts, o.firsts[p.owners])
			}
			p.owners = int32(len(o.lists) - 1)
		}
		out, list = append(out, p), list[n:]
	}
	return out
}

// distinct are the owners of one partition, each once, whatever a member says
// of it twice.
func (o *owners) distinct(run []owned) []*Owner {
	if len(run) == 1 {
		return nil
	}
	var of []*Owner
	for i, p := range run {
		if i == 0 || p.owners != run[i-1].owners { // sorted by member
			of = append(of, o.lists[p.owners]...)
		}
	}
	return of
}

// roster makes owners of members, sorted by id as they are; those that were
// there before stay, with their labels.
func roster(before *owners, list []snapshot.Member) []*Owner {
	old := before.lists[1:]
	out := make([]*Owner, len(list))
	for i := range list {
		m := &list[i]
		for len(old) > 0 && len(old[0]) == 1 && old[0][0].MemberID < m.ID {
			old = old[1:]
		}
		if len(old) > 0 && len(old[0]) == 1 && old[0][0].is(m.ID, m.InstanceID, m.ClientID, m.Host) {
			out[i] = old[0][0]
			continue
		}
		out[i] = &Owner{m.ID, m.InstanceID, m.ClientID, m.Host, page.NewLabels("client_id", m.ClientID, "host", m.Host)}
	}
	return out
}
