package kafka

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// clusterState is what is known of the cluster's topics from poll to poll. A
// topic leaves it only when Kafka, asked by name, says that it does not exist.
type clusterState struct {
	keep   func(topic string) bool
	id     string
	racks  map[int32]string
	topics map[string]*topicState
	sorted []*topicState               // topics by name; nil after it has changed
	names  map[snapshot.TopicID]string // of the topics in the last all-topics answer
	absent map[string]time.Time        // confirmed not to exist, and until when that is believed
}

type topicState struct {
	snapshot.Topic
	answered bool      // the latest metadata says what partitions it has
	wanted   bool      // offsets are read for it
	stable   bool      // a group reads it up to the last stable offset
	refused  int16     // what Kafka answered when it was asked for by name, if not partitions
	recheck  time.Time // when it may be asked for by name again
	counted  time.Time // when it may be asked for again because a partition is missing

	used      bool      // a group has positions on it, is assigned it or subscribes to it
	configAt  time.Time // when its settings were read
	configDue time.Time // when they may be read again
}

func newClusterState(keep func(topic string) bool) clusterState {
	return clusterState{keep: keep, topics: map[string]*topicState{}, absent: map[string]time.Time{}}
}

// begin starts a poll: which partitions there are, and where they end, is to
// be answered anew. Start offsets stay for a while.
func (s *clusterState) begin(now time.Time, startsStay time.Duration) {
	oldest := snapshot.InstantOf(now.Add(-startsStay))
	for _, t := range s.topics {
		t.begin(oldest)
		if now.Sub(t.configAt) > configsStay {
			t.Config = snapshot.Maybe[snapshot.TopicConfig]{}
		}
	}
	maps.DeleteFunc(s.absent, func(_ string, until time.Time) bool { return now.After(until) })
}

// begin leaves what the last snapshot has to it: the partitions are others from
// now on.
func (t *topicState) begin(oldest snapshot.Instant) {
	t.answered = false
	next := make([]snapshot.Partition, len(t.Partitions))
	for i := range next {
		p := &t.Partitions[i]
		next[i] = snapshot.Partition{ID: p.ID, Leader: p.Leader}
		if start, ok := p.Start.Get(); ok && start.At >= oldest {
			next[i].Start = p.Start
		}
	}
	t.Partitions = next
}

// put adds a topic, or puts it in the place of another of its name.
func (s *clusterState) put(t *topicState) {
	s.topics[t.Name], s.sorted = t, nil
}

func (s *clusterState) remove(name string) {
	delete(s.topics, name)
	s.sorted = nil
}

// byName returns all topics, sorted by name.
func (s *clusterState) byName() []*topicState {
	if s.sorted == nil {
		s.sorted = slices.SortedFunc(maps.Values(s.topics), func(a, b *topicState) int { return cmp.Compare(a.Name, b.Name) })
	}
	return s.sorted
}

// update takes in an all-topics answer. What it leaves out stays as it was.
func (s *clusterState) update(m *kmsg.MetadataResponse) {
	if m.ClusterID != nil {
		s.id = *m.ClusterID
	}
	s.racks = map[int32]string{}
	for _, b := range m.Brokers {
		if b.Rack != nil {
			s.racks[b.NodeID] = *b.Rack
		}
	}
	s.names = make(map[snapshot.TopicID]string, len(m.Topics))
	for i := range m.Topics {
		if t := &m.Topics[i]; t.Topic != nil {
			s.names[t.TopicID] = *t.Topic
			if s.keep(*t.Topic) {
				s.take(t)
			}
		}
	}
	delete(s.names, snapshot.TopicID{})
}

// take takes in what metadata says of one topic. An error code leaves its
// partitions unknown.
func (s *clusterState) take(m *kmsg.MetadataResponseTopic) {
	name := *m.Topic
	delete(s.absent, name)
	t := s.topics[name]
	id := snapshot.TopicID(m.TopicID)
	if t == nil || t.ID.Known() && id.Known() && t.ID != id {
		// Another incarnation: nothing carries over but that it is read.
		wanted := t != nil && t.wanted || !m.IsInternal
		t = &topicState{Topic: snapshot.Topic{Name: name}, wanted: wanted}
		s.put(t)
	}
	if id.Known() {
		t.ID = id
	}
	t.Internal = t.Internal || m.IsInternal
	if m.ErrorCode != 0 && len(m.Partitions) == 0 {
		return
	}
	t.answered, t.refused = true, 0
	t.setPartitions(m.Partitions)
}

// setPartitions takes in a listing, which it may sort; the offsets of partitions
// that stay are kept.
func (t *topicState) setPartitions(list []kmsg.MetadataResponseTopicPartition) {
	if !t.sameAs(list) {
		slices.SortFunc(list, func(a, b kmsg.MetadataResponseTopicPartition) int { return cmp.Compare(a.Partition, b.Partition) })
		list = slices.CompactFunc(list, func(a, b kmsg.MetadataResponseTopicPartition) bool { return a.Partition == b.Partition })
		for len(list) > 0 && list[0].Partition < 0 {
			list = list[1:] // no such thing
		}
		t.replacePartitions(list)
	}
	for i := range list {
		t.Partitions[i].Leader = snapshot.Maybe[int32]{}
		if p := &list[i]; p.Leader >= 0 && p.ErrorCode != wire.CodeLeaderNotAvailable {
			t.Partitions[i].Leader = snapshot.Known(p.Leader)
		}
	}
}

// sameAs tells whether a listing has the same partitions in order.
func (t *topicState) sameAs(list []kmsg.MetadataResponseTopicPartition) bool {
	if len(list) != len(t.Partitions) {
		return false
	}
	for i := range list {
		if list[i].Partition != t.Partitions[i].ID {
			return false
		}
	}
	return true
}

func (t *topicState) replacePartitions(list []kmsg.MetadataResponseTopicPartition) {
	old := t.Topic
	t.Partitions = make([]snapshot.Partition, len(list))
	for i := range list {
		t.Partitions[i].ID = list[i].Partition
		if o, ok := old.Partition(list[i].Partition); ok {
			t.Partitions[i] = *o
		}
	}
}

// missing returns the topics that were known before or are named now and that
// the all-topics answer lacks, sorted, but for those that were asked for by
// name a moment ago.
func (s *clusterState) missing(named map[string]int32, now time.Time) []string {
	var list []string
	for name, t := range s.topics {
		if !t.answered && !now.Before(t.recheck) {
			list = append(list, name)
		}
	}
	for name := range named {
		_, known := s.topics[name]
		_, gone := s.absent[name]
		if !known && !gone {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// short returns the topics that have fewer partitions than are named, sorted,
// but for those that were asked for by name a moment ago: commits on partitions
// of a topic before the present one may stay for good.
func (s *clusterState) short(named map[string]int32, now time.Time) []string {
	var list []string
	for name, highest := range named {
		t := s.topics[name]
		if t != nil && t.answered && int(highest) >= len(t.Partitions) && !now.Before(t.counted) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// expect makes topics that are only named so far exist, unread, until Kafka
// says that they do not.
func (s *clusterState) expect(names []string) {
	for _, name := range names {
		if s.topics[name] == nil {
			s.put(&topicState{Topic: snapshot.Topic{Name: name}})
		}
	}
}

// secondLook takes in the answer for a topic that was asked for by name; one
// that does not exist is forgotten. Neither it nor one that is refused is asked
// for by name again before recheck.
func (s *clusterState) secondLook(m *kmsg.MetadataResponseTopic, recheck time.Time) {
	name := *m.Topic
	if m.ErrorCode == wire.CodeUnknownTopic || m.ErrorCode == wire.CodeInvalidTopic {
		s.remove(name)
		s.absent[name] = recheck
		return
	}
	s.take(m)
	t := s.topics[name]
	if t.counted = recheck; !t.answered {
		t.refused, t.recheck = m.ErrorCode, recheck
	}
}

// have returns which of some partitions a topic has: all, where that is not
// known.
func (s *clusterState) have(topic string, partitions []int32) []int32 {
	t := s.topics[topic]
	if t == nil || !t.answered {
		return slices.Clone(partitions)
	}
	return slices.DeleteFunc(slices.Clone(partitions), func(id int32) bool {
		_, ok := t.Partition(id)
		return !ok
	})
}

// want decides which topics have their offsets read: all but Kafka's own, and
// of those what groups use; and which their last stable offsets: what groups
// that read committed records use. Not all that they use is known while one is
// unread.
func (s *clusterState) want(named, stable map[string]int32, allRead bool) {
	for name, t := range s.topics {
		_, used := named[name]
		t.used = used || t.used && !allRead
		t.wanted = !t.Internal || used || t.wanted && !allRead
		_, used = stable[name]
		t.stable = used || t.stable && !allRead
	}
}

// snapshotTopics hands the state over as plain values, sorted by name; nothing
// may change until the next poll begins. A topic that the latest metadata did
// not answer for has no partitions: unknown.
func (s *clusterState) snapshotTopics() []snapshot.Topic {
	list := make([]snapshot.Topic, 0, len(s.topics))
	for _, t := range s.byName() {
		if !t.wanted {
			continue
		}
		c := t.Topic
		if !t.answered {
			c.Partitions = nil
		}
		list = append(list, c)
	}
	return list
}
