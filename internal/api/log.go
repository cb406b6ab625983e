package api

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// mostReaders is how many groups a topic's document has at most.
const mostReaders = 1000

// logDocument is all that is known of a topic but for its partitions.
func logDocument(v *collector.View, t *collector.Topic) document.Log {
	d := document.Log{
		Cluster: name(v.Cluster), Topic: name(t.Name), ID: topicID(t.ID), Recreated: t.Recreated, Added: t.Added,
		Groups: []document.Reader{},
	}
	if t.Partitions != nil {
		n := len(t.Partitions)
		d.PartitionCount = &n
	}
	readers := readersOf(v, t.Name)
	d.GroupsTotal = len(readers)
	for _, r := range readers[:min(len(readers), mostReaders)] {
		d.Groups = append(d.Groups, document.Reader{
			Group: name(r.group.ID), Path: document.GroupPath(name(r.group.ID), name(v.Cluster)), Lag: number(r.on.Lag),
			Estimates: estimates(&r.on.Estimates, r.on.AgeAtLeast()), States: states(r.on), Conditions: names(r.group.Diagnosis.Findings),
		})
	}
	return d
}

// reader is a group on a topic.
type reader struct {
	group *collector.Group
	on    *collector.GroupTopic
}

// readersOf are the groups that have a place on a topic, the most lag first, those whose
// lag is not known last.
func readersOf(v *collector.View, topic string) (list []reader) {
	for i := range v.Groups {
		g := &v.Groups[i]
		j, ok := slices.BinarySearchFunc(g.Topics, topic, func(t collector.GroupTopic, n string) int { return strings.Compare(t.Topic, n) })
		if ok {
			list = append(list, reader{g, &g.Topics[j]})
		}
	}
	slices.SortStableFunc(list, func(a, b reader) int { return cmp.Compare(b.on.Lag.Or(-1), a.on.Lag.Or(-1)) })
	return list
}

// logPartitions are a topic's partitions, by number.
func logPartitions(t *collector.Topic) iter.Seq[document.LogPartition] {
	return func(yield func(document.LogPartition) bool) {
		for i := range t.Partitions {
			if !yield(logPartition(t, i)) {
				return
			}
		}
	}
}

// logPartition is what is known of the log of a topic's partition, by its index.
func logPartition(t *collector.Topic, i int) document.LogPartition {
	p := &t.Partitions[i]
	d := document.LogPartition{
		Partition: p.ID, Leader: number(p.Leader), Start: offset(p.Start), End: offset(p.End), LastStable: offset(p.LastStable),
	}
	if t.Arrivals != nil {
		d.Arrival = finite(t.Arrivals[i])
	}
	return d
}

// findPartition is the index of a topic's partition; false where there is none.
func findPartition(t *collector.Topic, id int32) (i int, ok bool) {
	if t == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(t.Partitions, id, func(p snapshot.Partition, n int32) int { return cmp.Compare(p.ID, n) })
}

func offset(m snapshot.Maybe[snapshot.Reading]) *int64 {
	r, ok := m.Get()
	if !ok {
		return nil
	}
	return &r.Offset
}
