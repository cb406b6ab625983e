package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// fetchCommits reads the committed offsets of groups at their coordinator:
// many groups in one request where the broker can (Kafka 3.0, KIP-709), one
// request a group where it cannot.
func (r *round) fetchCommits(ctx context.Context, broker int32, list []*reading) {
	size := r.opts.MaxGroupsPerRequest
	if !r.batchesOffsetFetch(broker) {
		size = 1
	}
	for chunk := range slices.Chunk(list, size) {
		if err := r.fetchChunk(ctx, broker, byID(chunk)); err != nil {
			r.problem(snapshot.Problem{Stage: snapshot.StageFetchOffsets, Broker: snapshot.Known(broker), Count: len(chunk)}, err)
		}
	}
}

func (r *round) batchesOffsetFetch(broker int32) bool {
	n := r.brokers[broker]
	n.mu.Lock()
	defer n.mu.Unlock()
	v, err := n.versions.highest(int16(kmsg.OffsetFetch))
	return err != nil || v >= 8
}

func (r *round) fetchChunk(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrOffsetFetchRequest()
	for id := range groups {
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group, g.MemberEpoch, g.Topics = id, -1, nil // nil: all topics
		req.Groups = append(req.Groups, g)
		req.Group, req.Topics = id, nil // before version 8
	}
	slices.SortFunc(req.Groups, func(a, b kmsg.OffsetFetchRequestGroup) int { return cmp.Compare(a.Group, b.Group) })
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	resp := a.body.(*kmsg.OffsetFetchResponse)
	if resp.Version < 8 {
		if len(groups) != 1 {
			return fmt.Errorf("%w: the broker was replaced by an older one during the poll", errUnsupported)
		}
		r.takeCommits(groups[req.Group], resp.ErrorCode, topicCommits(resp.Topics, readOld), a)
		return nil
	}
	for i := range resp.Groups {
		d := &resp.Groups[i]
		if g, ok := groups[d.Group]; ok {
			r.takeCommits(g, d.ErrorCode, topicCommits(d.Topics, readNew), a)
		}
	}
	return r.unanswered(groups, len(resp.Groups))
}

func (r *round) takeCommits(g *reading, code int16, topics []snapshot.TopicCommits, a *answer) {
	if r.refuse(snapshot.StageFetchOffsets, g, code) {
		return
	}
	g.Commits = snapshot.Known(snapshot.Commits{At: a.at, Topics: topics})
	for _, t := range topics {
		failed := 0
		for _, p := range t.Partitions {
			if !p.Offset.Known() {
				failed++
			}
		}
		if failed > 0 {
			r.problem(snapshot.Problem{Stage: snapshot.StageFetchOffsets, Group: g.ID, Topic: t.Topic, Count: failed}, errIncomplete)
		}
	}
}

// topicCommits turns either shape of an answer into sorted commits.
func topicCommits[T any](list []T, read func(*T) (string, []snapshot.Commit)) []snapshot.TopicCommits {
	topics := make([]snapshot.TopicCommits, 0, len(list))
	for i := range list {
		topic, commits := read(&list[i])
		if len(commits) == 0 {
			continue
		}
		slices.SortFunc(commits, func(a, b snapshot.Commit) int { return cmp.Compare(a.Partition, b.Partition) })
		topics = append(topics, snapshot.TopicCommits{Topic: topic, Partitions: commits})
	}
	slices.SortFunc(topics, func(a, b snapshot.TopicCommits) int { return cmp.Compare(a.Topic, b.Topic) })
	return topics
}

func readNew(t *kmsg.OffsetFetchResponseGroupTopic) (string, []snapshot.Commit) {
	commits := make([]snapshot.Commit, 0, len(t.Partitions))
	for _, p := range t.Partitions {
		commits = appendCommit(commits, p.Partition, p.Offset, p.ErrorCode)
	}
	return t.Topic, commits
}

func readOld(t *kmsg.OffsetFetchResponseTopic) (string, []snapshot.Commit) {
	commits := make([]snapshot.Commit, 0, len(t.Partitions))
	for _, p := range t.Partitions {
		commits = appendCommit(commits, p.Partition, p.Offset, p.ErrorCode)
	}
	return t.Topic, commits
}

// appendCommit reads one partition of an answer. The error code counts before
// the offset beside it: −1 with an error is unknown, −1 without is no commit.
func appendCommit(list []snapshot.Commit, partition int32, offset int64, code int16) []snapshot.Commit {
	switch {
	case code != 0:
		return append(list, snapshot.Commit{Partition: partition})
	case offset < 0:
		return list
	default:
		return append(list, snapshot.Commit{Partition: partition, Offset: snapshot.Known(offset)})
	}
}
