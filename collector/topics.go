package collector

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// freshness tells whether something read at a moment may still be shown.
type freshness func(at snapshot.Instant) bool

// since is the same of a time; never is not fresh.
func (f freshness) since(at time.Time) bool { return !at.IsZero() && f(snapshot.InstantOf(at)) }

// rememberDeleted is how long a topic that was deleted is remembered: long enough
// for whoever deletes one to create it again.
const rememberDeleted = 24 * time.Hour

// topics follows the topics of a snapshot. One that the snapshot lacks does
// not exist any more, and is remembered as deleted.
func topics(prev *View, s *snapshot.Snapshot, fresh freshness) ([]Topic, map[string]deletedTopic) {
	out := make([]Topic, 0, len(s.Topics))
	deleted := deletedSince(prev.deleted, s.Finished)
	now := step[snapshot.Topic]{s.Topics, func(t *snapshot.Topic) string { return t.Name }}
	for i := range prev.Topics {
		if t := &prev.Topics[i]; now.at(t.Name) == nil {
			deleted[t.Name] = deletedTopic{t.ID, t.Recreated, t.Added, s.Finished}
		}
	}
	before := step[Topic]{prev.Topics, topicName}
	for i := range s.Topics {
		t := topic(before.at(s.Topics[i].Name), &s.Topics[i], s.Finished, fresh)
		if t.labels == nil {
			t.labels = prev.labels().With("topic", t.Name)
		}
		if old, ok := deleted[t.Name]; ok {
			t.Recreated, t.Added = old.Recreated, old.Added
			// Kafka said that it did not exist, and now it does. An internal
			// topic is also gone while no group uses it.
			if old.ID != t.ID || !t.ID.Known() && !s.Topics[i].Internal {
				t.Recreated++
			}
			delete(deleted, t.Name)
		}
		out = append(out, t)
	}
	return out, deleted
}

// deletedSince copies what is remembered, but for what is too old.
func deletedSince(gone map[string]deletedTopic, now time.Time) map[string]deletedTopic {
	out := make(map[string]deletedTopic, len(gone))
	for name, t := range gone {
		if now.Sub(t.At) <= rememberDeleted {
			out[name] = t
		}
	}
	return out
}

func topic(prev *Topic, s *snapshot.Topic, at time.Time, fresh freshness) Topic {
	t := Topic{Name: s.Name, ID: s.ID, At: at}
	if prev == nil {
		t.Partitions = partitions(s.Partitions, nil, fresh)
		return t
	}
	t.Recreated, t.Added, t.labels = prev.Recreated, prev.Added, prev.labels
	if anotherIncarnation(prev.ID, s.ID) {
		t.Recreated++
		t.Partitions = partitions(s.Partitions, nil, fresh)
		return t
	}
	t.history = prev.history
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
// before until it is too old. Where it lacks none, the list itself is what is
// known.
func partitions(list, prev []snapshot.Partition, fresh freshness) []snapshot.Partition {
	if !lacks(list, prev, fresh) {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		p := &out[i]
		if before := find(prev, p.ID, partitionID); before != nil {
			if start, ok := before.Start.Get(); ok && fresh(start.At) {
				p.Start = newer(p.Start, before.Start)
			}
			p.End = newer(p.End, before.End)
			p.LastStable = newer(p.LastStable, before.LastStable)
		}
		age(p, fresh)
	}
	return out
}

func partitionID(p *snapshot.Partition) int32 { return p.ID }

// lacks tells whether a listing is not all that is known: a reading is missing
// that could be had from before, or too old.
func lacks(list, prev []snapshot.Partition, fresh freshness) bool {
	for i := range list {
		if lacksReading(&list[i], prev, fresh) {
			return true
		}
	}
	return false
}

func lacksReading(p *snapshot.Partition, prev []snapshot.Partition, fresh freshness) bool {
	end, ok := p.End.Get()
	if !ok || !fresh(end.At) || !p.Start.Known() {
		return true
	}
	if stable, ok := p.LastStable.Get(); ok {
		return !fresh(stable.At)
	}
	before := find(prev, p.ID, partitionID)
	return before != nil && before.LastStable.Known()
}

func newer(now, before snapshot.Maybe[snapshot.Reading]) snapshot.Maybe[snapshot.Reading] {
	if now.Known() {
		return now
	}
	return before
}

// age forgets end offsets that are too old, and the start with the end.
func age(p *snapshot.Partition, fresh freshness) {
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
	t.Arrivals, t.StableArrivals = nil, nil
	if !fresh.since(t.At) {
		t.Partitions = nil
		return t
	}
	t.Partitions = slices.Clone(t.Partitions)
	for i := range t.Partitions {
		age(&t.Partitions[i], fresh)
	}
	return t
}
