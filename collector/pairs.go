package collector

import (
	"slices"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// groupTopics makes the pairs of a group: every partition of every topic that
// it commits on, is assigned or subscribes to. It tells whether the partitions
// of all of these are known.
func groupTopics(prev *Group, g *snapshot.Group, logs logs, own *owners, known bool, fresh freshness) (_ []GroupTopic, listed bool) {
	at := positionsOf(g)
	names := at.appendTopics(make([]string, 0, len(prev.Topics)))
	for name := range own.topics {
		names = append(names, name)
	}
	if m, _ := g.Members.Get(); !at.read || !m.Assigned {
		// What could not be read is what it was.
		for _, t := range prev.Topics {
			names = append(names, t.Topic)
		}
	}
	listed = true
	slices.Sort(names)
	names = slices.Compact(names)
	out := make([]GroupTopic, 0, len(names))
	b := pairBuilder{at: &at, stable: g.ReadCommitted, ownersKnown: known, fresh: fresh}
	for _, name := range names {
		b.topic, b.here, b.owned = name, at.on(name), own.partitions(name)
		b.log, b.exists = logs[name]
		listed = listed && !(b.exists && b.log.Partitions == nil)
		b.prev = previous(prev.Topics, name, groupTopicName)
		if t := b.build(); len(t.Pairs) > 0 {
			if t.labels == nil {
				t.labels = prev.labels.With("topic", name)
			}
			out = append(out, t)
		}
	}
	return out, listed
}

// pairBuilder makes the pairs of one group on one topic.
type pairBuilder struct {
	topic  string
	log    *snapshot.Topic
	exists bool // the topic does; its partitions may be unknown all the same
	stable bool // the log ends at the last stable offset
	at     *positions
	here   topicPositions // those on the topic
	prev   *GroupTopic
	owned  []owned // of the topic

	ownersKnown bool
	fresh       freshness
	ids         []int32 // scratch
}

func (b *pairBuilder) build() GroupTopic {
	t := GroupTopic{Topic: b.topic}
	if b.exists {
		t.ID = b.log.ID
	}
	if b.prev != nil {
		t.labels, t.at = b.prev.labels, b.prev.at
		if anotherIncarnation(b.prev.ID, t.ID) {
			b.prev = nil // nothing of the topic before it is true of this one
		} else {
			t.history = b.prev.history
			if !t.ID.Known() {
				t.ID = b.prev.ID
			}
		}
	}
	ids := b.partitions()
	t.Pairs = make([]Pair, 0, len(ids))
	for _, id := range ids {
		if p, ok := b.pair(id); ok {
			b.setOwner(&p)
			t.Pairs = append(t.Pairs, p)
		}
	}
	return t
}

// partitions lists every partition that a pair is to be made for, sorted.
func (b *pairBuilder) partitions() []int32 {
	ids := b.ids[:0]
	if b.exists {
		for i := range b.log.Partitions {
			ids = append(ids, b.log.Partitions[i].ID)
		}
	}
	// Most of what follows is among these: ids have no gap.
	add := func(id int32) {
		if id < 0 || int(id) >= len(ids) || ids[id] != id {
			ids = append(ids, id)
		}
	}
	for i := range b.here.commits {
		add(b.here.commits[i].Partition)
	}
	for i := range b.here.shares {
		add(b.here.shares[i].Partition)
	}
	for i := range b.owned {
		add(b.owned[i].partition)
	}
	if b.prev != nil && (!b.at.read || b.exists && b.log.Partitions == nil) {
		for i := range b.prev.Pairs {
			add(b.prev.Pairs[i].Partition)
		}
	}
	if !slices.IsSorted(ids) {
		slices.Sort(ids)
	}
	b.ids = slices.Compact(ids)
	return b.ids
}

// pair decides what is known of one partition; false if there is no such
// partition and nothing committed on it.
func (b *pairBuilder) pair(id int32) (Pair, bool) {
	if !b.at.read {
		return b.before(id).kept(b.fresh), true
	}
	if b.at.isShare {
		return b.sharePair(id, b.before(id))
	}
	p := Pair{Partition: id, At: b.at.readAt, Fresh: true}
	part, state := b.partition(id)
	commit, committed := b.here.commit(id)
	offset, known := commit.Get()
	switch {
	case committed && !known:
		return b.before(id).kept(b.fresh), true
	case state == partitionMissing && committed:
		p.State, p.Committed = PairNoPartition, quantityOf(commit)
		return p, true
	case state == partitionMissing:
		return Pair{}, false
	case !committed:
		return b.uncommitted(p, part), true
	}
	end, okEnd := part.end()
	start, okStart := part.start()
	if !okEnd || !okStart {
		return b.logUnread(id, commit), true
	}
	p.Committed, p.At = quantity(offset), end.At
	p.Lag = quantity(max(0, end.Offset-max(offset, start.Offset)))
	p.Lost = quantity(max(0, start.Offset-offset))
	if p.State = PairCommitted; offset > end.Offset {
		p.State = PairBeyondEnd
	}
	return p, true
}

// logUnread is a pair with a position on a log that could not be read: its lag
// stays until it is too old, if it had one.
func (b *pairBuilder) logUnread(id int32, commit snapshot.Maybe[int64]) Pair {
	p := b.before(id).kept(b.fresh)
	if p.State != PairCommitted && p.State != PairBeyondEnd {
		p = Pair{Partition: id, At: b.at.readAt}
	}
	p.Committed = quantityOf(commit) // this much is known
	return p
}

// uncommitted is a pair without a position. Where the log is empty there is
// nothing to read, wherever the group would start. Where the log could not be
// read, what there was to read stays until it is too old.
func (b *pairBuilder) uncommitted(p Pair, part logEnds) Pair {
	p.State = PairUncommitted
	end, okEnd := part.end()
	start, okStart := part.start()
	if !okEnd || !okStart {
		if before := b.before(p.Partition); before.State == PairUncommitted && b.fresh(before.At) {
			p = before
		}
		p.Fresh = false
		return p
	}
	p.Available = quantity(max(0, end.Offset-start.Offset))
	if end.Offset <= start.Offset {
		p.Lag = quantity(0)
	}
	return p
}

// before is the pair of the view before, or an unread one.
func (b *pairBuilder) before(id int32) Pair {
	if b.prev != nil {
		if p := find(b.prev.Pairs, id, (*Pair).id); p != nil {
			return *p
		}
	}
	return Pair{Partition: id}
}

// setOwner sets who owns the partition, or leaves the last known one while
// that is not known.
func (b *pairBuilder) setOwner(p *Pair) {
	if !b.ownersKnown {
		p.owners = b.before(p.Partition).owners
		return
	}
	p.owners = 0
	if o := find(b.owned, p.Partition, (*owned).id); o != nil {
		p.owners = o.owners
	}
}

func (p *Pair) id() int32 { return p.Partition }

// kept is a pair that was not renewed: it stays as it was until it is too old,
// and is unread from then on.
func (p Pair) kept(fresh freshness) Pair {
	p.Fresh = false
	if fresh(p.At) {
		return p
	}
	return Pair{Partition: p.Partition, At: p.At, Begun: p.Begun}
}
