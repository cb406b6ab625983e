package kafka

import (
	"cmp"
	"slices"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// positions are what was last known of where a group stands.
type positions struct {
	commits []snapshot.TopicCommits
	shares  []snapshot.TopicShares
}

// keepHidden puts back, with positions unknown, the topics that a group had
// positions on and that its coordinator now leaves out because lagwatch may not
// see them any more: the answer has no error, and a group without them would
// look whole with less lag.
func (r *round) keepHidden(groups []snapshot.Group) {
	held := make(map[string]positions, len(groups))
	for i := range groups {
		g, p := &groups[i], r.held[groups[i].ID]
		if c, ok := g.Commits.Get(); ok {
			c.Topics = withHidden(r, c.Topics, p.commits, commitsTopic, unknownCommits)
			g.Commits, p.commits = snapshot.Known(c), c.Topics
		}
		if s, ok := g.Shares.Get(); ok {
			s.Topics = withHidden(r, s.Topics, p.shares, sharesTopic, unknownShares)
			g.Shares, p.shares = snapshot.Known(s), s.Topics
		}
		held[g.ID] = p
	}
	r.held = held
}

// withHidden returns now and what of before is refused and not in now.
func withHidden[T any](r *round, now, before []T, topic func(T) string, unknown func(T) T) []T {
	all := now
	for _, b := range before {
		t := r.cluster.topics[topic(b)]
		if t == nil || t.refused != wire.CodeTopicUnauthorized ||
			slices.ContainsFunc(now, func(n T) bool { return topic(n) == topic(b) }) {
			continue
		}
		all = append(slices.Clip(all), unknown(b)) // now stays as it is
	}
	if len(all) > len(now) {
		slices.SortFunc(all, func(a, b T) int { return cmp.Compare(topic(a), topic(b)) })
	}
	return all
}

func commitsTopic(t snapshot.TopicCommits) string { return t.Topic }
func sharesTopic(t snapshot.TopicShares) string   { return t.Topic }

func unknownCommits(t snapshot.TopicCommits) snapshot.TopicCommits {
	list := make([]snapshot.Commit, len(t.Partitions))
	for i, p := range t.Partitions {
		list[i].Partition = p.Partition
	}
	t.Partitions = list
	return t
}

func unknownShares(t snapshot.TopicShares) snapshot.TopicShares {
	list := make([]snapshot.Share, len(t.Partitions))
	for i, p := range t.Partitions {
		list[i].Partition = p.Partition
	}
	t.Partitions = list
	return t
}
