package collector

import "github.com/lagwatch/lagwatch/internal/snapshot"

// positions are where a group is, as one poll read it: its committed offsets,
// or what the broker says of a share group. Topics are sorted by name.
type positions struct {
	read    bool // at readAt
	readAt  snapshot.Instant
	commits []snapshot.TopicCommits
	isShare bool // what counts are the shares
	shares  []snapshot.TopicShares
}

// topicPositions are those on one topic, sorted by partition; one of the two
// lists is empty.
type topicPositions struct {
	commits []snapshot.Commit
	shares  []snapshot.Share
	id      snapshot.TopicID // of the topic that shares are of
}

func positionsOf(g *snapshot.Group) positions {
	at := positions{isShare: g.Type == snapshot.TypeShare}
	if s, ok := g.Shares.Get(); ok {
		at.read, at.readAt, at.shares = true, snapshot.InstantOf(s.At), s.Topics
	}
	if c, ok := g.Commits.Get(); ok {
		at.read, at.readAt, at.commits = true, snapshot.InstantOf(c.At), c.Topics
	}
	return at
}

// appendTopics appends the names of the topics that there are positions on.
func (at *positions) appendTopics(names []string) []string {
	for i := range at.commits {
		names = append(names, at.commits[i].Topic)
	}
	for i := range at.shares {
		names = append(names, at.shares[i].Topic)
	}
	return names
}

func (at *positions) on(topic string) (t topicPositions) {
	if c := previous(at.commits, topic, func(t *snapshot.TopicCommits) string { return t.Topic }); c != nil {
		t.commits = c.Partitions
	}
	if s := previous(at.shares, topic, func(t *snapshot.TopicShares) string { return t.Topic }); s != nil {
		t.shares, t.id = s.Partitions, s.ID
	}
	return t
}

func (t topicPositions) commit(id int32) (snapshot.Maybe[int64], bool) {
	c := find(t.commits, id, func(c *snapshot.Commit) int32 { return c.Partition })
	if c == nil {
		return snapshot.Maybe[int64]{}, false
	}
	return c.Offset, true
}

func (t topicPositions) share(id int32) (snapshot.Share, bool) {
	s := find(t.shares, id, func(s *snapshot.Share) int32 { return s.Partition })
	if s == nil {
		return snapshot.Share{}, false
	}
	return *s, true
}

// sharePair decides what is known of one partition of a share group; false if
// there is no such partition and no position on it. Its lag is the broker's.
func (b *pairBuilder) sharePair(id int32, before Pair) (Pair, bool) {
	if b.exists && anotherIncarnation(b.here.id, b.log.ID) {
		return before.kept(b.fresh), true // the coordinator and the metadata do not agree yet
	}
	p := Pair{Partition: id, At: b.at.readAt, Fresh: true, Begun: before.Begun}
	part, state := b.partition(id)
	share, listed := b.here.share(id)
	start, known := share.Start.Get()
	switch {
	case state == partitionMissing && listed:
		p.State, p.ShareStart = PairNoPartition, quantityOf(share.Start)
		return p, true
	case state == partitionMissing:
		return Pair{}, false
	case !listed, share.NoPosition && !before.Begun:
		p.Begun = false
		return b.uncommitted(p, part), true
	case !known: // an error, or no position where there was one
		return before.kept(b.fresh), true
	case !share.Lag.Known():
		return b.lagUnread(start, before), true
	}
	p.State, p.ShareStart, p.Lag, p.Begun = PairCommitted, quantityOf(share.Start), quantityOf(share.Lag), true
	return p, true
}

// lagUnread is a share group's position of which the broker does not tell the
// lag: it stays until it is too old, if there was one.
func (b *pairBuilder) lagUnread(start int64, before Pair) Pair {
	p := before.kept(b.fresh)
	if !p.Lag.Known() || p.State != PairCommitted {
		p = Pair{Partition: before.Partition, At: b.at.readAt, State: PairCommitted}
	}
	p.ShareStart, p.Begun = quantity(start), true // this much is known
	return p
}
