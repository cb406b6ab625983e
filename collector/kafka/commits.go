package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
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
	v, err := r.brokers[broker].Highest(kmsg.OffsetFetch)
	return err != nil || v >= 8
}

// fetchChunk sends one OffsetFetch request. It takes the groups that are
// answered out of groups.
func (r *round) fetchChunk(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrOffsetFetchRequest()
	for _, id := range idsOf(groups) {
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group, g.MemberEpoch, g.Topics = id, -1, nil // nil: all topics
		req.Groups = append(req.Groups, g)
		req.Group, req.Topics = id, nil // before version 8
	}
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	resp := a.Body.(*kmsg.OffsetFetchResponse)
	if resp.Version >= 8 {
		takeEach(r, taker[kmsg.OffsetFetchResponseGroup]{
			stage: snapshot.StageFetchOffsets, broker: broker,
			id:   func(d *kmsg.OffsetFetchResponseGroup) string { return d.Group },
			code: func(d *kmsg.OffsetFetchResponseGroup) int16 { return d.ErrorCode },
			take: func(g *reading, d *kmsg.OffsetFetchResponseGroup) { r.takeCommits(g, d.Topics, a) },
		}, resp.Groups, groups)
		return nil
	}
	if len(groups) != 1 {
		return fmt.Errorf("%w: the broker was replaced by an older one during the poll", wire.ErrUnsupported)
	}
	if g := groups[req.Group]; !r.refuse(snapshot.StageFetchOffsets, g, resp.ErrorCode) {
		r.takeCommits(g, grouped(resp.Topics), a)
	}
	return nil
}

// grouped is the answer before version 8 in the shape of those since.
func grouped(list []kmsg.OffsetFetchResponseTopic) []kmsg.OffsetFetchResponseGroupTopic {
	topics := make([]kmsg.OffsetFetchResponseGroupTopic, len(list))
	for i, t := range list {
		topics[i].Topic = t.Topic
		for _, p := range t.Partitions {
			topics[i].Partitions = append(topics[i].Partitions, kmsg.OffsetFetchResponseGroupTopicPartition{
				Partition: p.Partition, Offset: p.Offset, ErrorCode: p.ErrorCode,
			})
		}
	}
	return topics
}

// takeCommits takes in what was answered for one group.
func (r *round) takeCommits(g *reading, list []kmsg.OffsetFetchResponseGroupTopic, a *wire.Answer) {
	list = slices.DeleteFunc(list, func(t kmsg.OffsetFetchResponseGroupTopic) bool { return !r.opts.KeepTopic(t.Topic) })
	topics := make([]snapshot.TopicCommits, 0, len(list))
	n := 0
	for i := range list {
		n += len(list[i].Partitions)
	}
	all := make([]snapshot.Commit, 0, n) // of all topics, one after the other
	for i := range list {
		t := &list[i]
		from := len(all)
		for j := range t.Partitions {
			p := &t.Partitions[j]
			err := wire.CodeError(p.ErrorCode)
			if p.Partition < 0 {
				err = noPartition(p.Partition)
			}
			if err != nil {
				r.problem(snapshot.Problem{Stage: snapshot.StageFetchOffsets, Broker: g.Coordinator, Group: g.ID, Topic: t.Topic}, err)
			}
			all = appendCommit(all, p.Partition, p.Offset, p.ErrorCode)
		}
		if commits := all[from:len(all):len(all)]; len(commits) > 0 {
			sortIfNot(commits, func(a, b snapshot.Commit) int { return cmp.Compare(a.Partition, b.Partition) })
			topics = append(topics, snapshot.TopicCommits{Topic: t.Topic, Partitions: commits})
		}
	}
	sortIfNot(topics, func(a, b snapshot.TopicCommits) int { return cmp.Compare(a.Topic, b.Topic) })
	g.Commits = snapshot.Known(snapshot.Commits{At: a.At, Topics: topics})
}

// sortIfNot sorts a list that mostly is sorted.
func sortIfNot[T any](list []T, less func(a, b T) int) {
	if !slices.IsSortedFunc(list, less) {
		slices.SortFunc(list, less)
	}
}

// appendCommit reads one partition of an answer. The error code counts before
// the offset beside it: −1 with an error is unknown, −1 without is no commit.
// There is no partition below 0.
func appendCommit(list []snapshot.Commit, partition int32, offset int64, code int16) []snapshot.Commit {
	switch {
	case partition < 0:
		return list
	case code != 0:
		return append(list, snapshot.Commit{Partition: partition})
	case offset < 0:
		return list
	default:
		return append(list, snapshot.Commit{Partition: partition, Offset: snapshot.Known(offset)})
	}
}
