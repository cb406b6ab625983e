package collector

import (
	"cmp"
	"slices"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// owners says who owns what.
type owners struct {
	known   bool // if not, the last known owners stand, until they are too old
	byTopic map[string][]owned
	all     map[string]bool // topics that members are assigned or subscribe to
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
	o := owners{byTopic: map[string][]owned{}, all: map[string]bool{}}
	m, ok := g.Members.Get()
	if ok && m.Assigned {
		next.OwnersAt = m.At
	}
	o.known = ok && m.Assigned || !fresh(next.OwnersAt)
	if ok {
		next.roster = roster(next.roster, m.List)
	}
	for i := range m.List {
		member := &m.List[i]
		for _, t := range member.Subscribed {
			o.all[t] = true
		}
		if m.Assigned {
			o.assign(member.Assignment, next.roster[i:i+1:i+1])
		}
	}
	for topic, list := range o.byTopic {
		o.byTopic[topic] = merged(list)
	}
	return o
}

// assign adds what one member is assigned. It shares the list of that member
// alone.
func (o *owners) assign(list []snapshot.TopicPartitions, alone []*Owner) {
	for _, t := range list {
		o.all[t.Topic] = true
		of := slices.Grow(o.byTopic[t.Topic], len(t.Partitions))
		for _, p := range t.Partitions {
			of = append(of, owned{p, alone})
		}
		o.byTopic[t.Topic] = of
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
