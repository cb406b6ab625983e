package collector

import (
	"cmp"
	"slices"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// owners says who owns what.
type owners struct {
	known bool // if not, the last known owners stand, until they are too old
	// topics are those that members are assigned or subscribe to.
	topics map[string]*topicOwners
}

// topicOwners says who owns what of one topic.
type topicOwners struct {
	assigned int     // partitions, counted once for each member
	list     []owned // sorted by partition
}

// owned is a partition and its owners, sorted by member id; it lies in a list
// that is sorted by partition.
type owned struct {
	partition int32
	by        []*Owner
}

func (o *owned) id() int32 { return o.partition }

// ownership reads who owns what from the members.
func ownership(next *Group, g *snapshot.Group, fresh freshness) owners {
	o := owners{topics: map[string]*topicOwners{}}
	m, ok := g.Members.Get()
	if ok && m.Assigned {
		next.OwnersAt = m.At
	}
	o.known = ok && m.Assigned || !fresh(next.OwnersAt)
	if ok {
		next.roster = roster(next.roster, m.List)
	}
	for i := range m.List {
		for _, topic := range m.List[i].Subscribed {
			o.of(topic)
		}
	}
	if m.Assigned {
		o.assign(m.List, next.roster)
	}
	return o
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

// assign adds what members are assigned. What a member owns alone shares one
// list of owners.
func (o *owners) assign(members []snapshot.Member, roster []*Owner) {
	for i := range members {
		for _, t := range members[i].Assignment {
			o.of(t.Topic).assigned += len(t.Partitions)
		}
	}
	for i := range members {
		for _, t := range members[i].Assignment {
			o.topics[t.Topic].add(t.Partitions, roster[i:i+1:i+1])
		}
	}
	for _, t := range o.topics {
		t.list = merged(t.list)
	}
}

func (t *topicOwners) add(partitions []int32, alone []*Owner) {
	if t.list == nil {
		t.list = make([]owned, 0, t.assigned)
	}
	for _, p := range partitions {
		t.list = append(t.list, owned{p, alone})
	}
}

// merged sorts a list by partition and makes one of those of a partition with
// several owners, which keep their order.
func merged(list []owned) []owned {
	byPartition := func(a, b owned) int { return cmp.Compare(a.partition, b.partition) }
	if !slices.IsSortedFunc(list, byPartition) {
		slices.SortStableFunc(list, byPartition)
	}
	out := list[:0]
	for _, o := range list {
		if n := len(out); n > 0 && out[n-1].partition == o.partition {
			out[n-1].by = append(slices.Clip(out[n-1].by), o.by...)
		} else {
			out = append(out, o)
		}
	}
	return out
}

// roster makes owners of members, sorted by id as they are; those that are in
// the list before stay, with their labels.
func roster(before []*Owner, list []snapshot.Member) []*Owner {
	out := make([]*Owner, len(list))
	for i := range list {
		m := &list[i]
		for len(before) > 0 && before[0].MemberID < m.ID {
			before = before[1:]
		}
		if len(before) > 0 && before[0].is(m.ID, m.InstanceID, m.ClientID, m.Host) {
			out[i] = before[0]
			continue
		}
		out[i] = &Owner{m.ID, m.InstanceID, m.ClientID, m.Host, page.NewLabels("client_id", m.ClientID, "host", m.Host)}
	}
	return out
}
