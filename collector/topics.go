package collector

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// freshness tells whether something read at a time may still be shown.
type freshness func(at time.Time) bool

// topics follows the topics of a snapshot. One that the snapshot lacks does
// not exist any more.
func topics(prev []Topic, s *snapshot.Snapshot, fresh freshness) []Topic {
	out := make([]Topic, 0, len(s.Topics))
	for i := range s.Topics {
		out = append(out, topic(previous(prev, s.Topics[i].Name, topicName), &s.Topics[i], s.Finished, fresh))
	}
	return out
}

func topic(prev *Topic, s *snapshot.Topic, at time.Time, fresh freshness) Topic {
	t := Topic{Name: s.Name, ID: s.ID, At: at}
	if prev == nil {
		t.Partitions = partitions(s.Partitions, nil, fresh)
		return t
	}
	t.Recreated, t.Added = prev.Recreated, prev.Added
	if anotherIncarnation(prev.ID, s.ID) {
		t.Recreated++
		t.Partitions = partitions(s.Partitions, nil, fresh)
		return t
	}
	if !t.ID.Known() {
		t.ID = prev.ID // an id of zero is an unknown one, not another
	}
	if s.Partitions == nil {
		old := *prev
		old.ID = t.ID
		return agedTopic(old, fresh)
	}
	if had := len(prev.Partitions); had > 0 && len(s.Partitions) > had {
		t.Added += uint64(len(s.Partitions) - had)
	}
	t.Partitions = partitions(s.Partitions, prev.Partitions, fresh)
	return t
}

// anotherIncarnation tells whether two ids of one name prove that the topic
// was deleted and created again.
func anotherIncarnation(before, now snapshot.TopicID) bool {
	return before.Known() && now.Known() && before != now
}

// partitions takes in a listing; a reading that it lacks stays as it was
// before until it is too old.
func partitions(list []snapshot.Partition, prev []Partition, fresh freshness) []Partition {
	if list == nil {
		return nil
	}
	out := make([]Partition, len(list))
	for i, p := range list {
		out[i] = Partition{ID: p.ID, Leader: p.Leader, Start: p.Start, End: p.End, LastStable: p.LastStable}
		if i < len(prev) && prev[i].ID == p.ID {
			out[i].Start = newer(p.Start, prev[i].Start)
			out[i].End = newer(p.End, prev[i].End)
			out[i].LastStable = newer(p.LastStable, prev[i].LastStable)
		}
		out[i].age(fresh)
	}
	return out
}

func newer(now, before snapshot.Maybe[snapshot.Reading]) snapshot.Maybe[snapshot.Reading] {
	if now.Known() {
		return now
	}
	return before
}

// age forgets end offsets that are too old. A start offset is read less
// often; it goes with the end.
func (p *Partition) age(fresh freshness) {
	if end, ok := p.End.Get(); !ok || !fresh(end.At) {
		p.Start, p.End = snapshot.Maybe[snapshot.Reading]{}, snapshot.Maybe[snapshot.Reading]{}
	}
	if stable, ok := p.LastStable.Get(); !ok || !fresh(stable.At) {
		p.LastStable = snapshot.Maybe[snapshot.Reading]{}
	}
}

func agedTopics(prev []Topic, fresh freshness) []Topic {
	out := make([]Topic, len(prev))
	for i := range prev {
		out[i] = agedTopic(prev[i], fresh)
	}
	return out
}

// agedTopic is a topic that could not be read: its partitions stay until they
// are too old, its counters for good.
func agedTopic(t Topic, fresh freshness) Topic {
	if !fresh(t.At) {
		t.Partitions = nil
		return t
	}
	t.Partitions = append([]Partition(nil), t.Partitions...)
	for i := range t.Partitions {
		t.Partitions[i].age(fresh)
	}
	return t
}
