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

// describeShare describes share groups (KIP-932).
func (r *round) describeShare(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = idsOf(groups)
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	takeEach(r, taker[kmsg.ShareGroupDescribeResponseGroup]{
		stage: snapshot.StageDescribeGroups, broker: broker,
		id:   func(d *kmsg.ShareGroupDescribeResponseGroup) string { return d.GroupID },
		code: func(d *kmsg.ShareGroupDescribeResponseGroup) int16 { return d.ErrorCode },
		take: func(g *reading, d *kmsg.ShareGroupDescribeResponseGroup) {
			g.ProtocolType = "share"
			g.State, g.Assignor = snapshot.ParseGroupState(d.GroupState), d.Assignor
			g.Generation = snapshot.Known(d.GroupEpoch)
			takeMembers(r, g, a, d.Members, r.shareMember)
		},
	}, a.Body.(*kmsg.ShareGroupDescribeResponse).Groups, groups)
	return nil
}

func (r *round) shareMember(d *kmsg.ShareGroupDescribeResponseGroupMember) (_ snapshot.Member, err error) {
	m := newMember(d.MemberID, d.ClientID, d.ClientHost, nil, d.RackID)
	m.Subscribed = slices.Sorted(slices.Values(d.SubscribedTopicNames))
	var list []topicByID
	for _, t := range d.Assignment.TopicPartitions {
		list = append(list, topicByID{t.TopicID, t.Topic, t.Partitions})
	}
	m.Assignment, err = r.named(m.ID, list)
	return m, err
}

// maxAlone is up to how many share groups of a coordinator are asked about one
// by one.
const maxAlone = 200

// fetchShares reads the offsets of share groups at their coordinator, one group
// in a request and one request after the other. For the answer the coordinator
// asks other brokers, and Kafka 4.4 lets what it has to ask them at the same
// time wait: two groups in a request take seconds now and then, where each by
// itself takes milliseconds. More than maxAlone share a request all the same.
//
// A broker that is frozen holds up the groups that need it. They are asked
// about after all others from then on, until they answer.
func (r *round) fetchShares(ctx context.Context, broker int32, list []*reading) {
	size := 1
	if len(list) > maxAlone {
		size = r.opts.MaxGroupsPerRequest
	}
	slices.SortFunc(list, func(a, b *reading) int {
		return cmp.Or(cmp.Compare(r.heldUp(a.ID), r.heldUp(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	for chunk := range slices.Chunk(list, size) {
		err := r.fetchSharesChunk(ctx, broker, byID(chunk))
		if ctx.Err() == nil { // else it was its turn too late, which says nothing of it
			r.holdUp(chunk, wire.TimedOut(err))
		}
		if err != nil {
			p := snapshot.Problem{Stage: snapshot.StageFetchOffsets, Broker: snapshot.Known(broker), Count: len(chunk)}
			if size == 1 {
				p.Group = chunk[0].ID
			}
			r.problem(p, err)
		}
	}
}

// heldUp is 1 for a share group that did not answer in time when it was last
// asked about.
func (r *round) heldUp(group string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slow[group] {
		return 1
	}
	return 0
}

func (r *round) holdUp(chunk []*reading, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range chunk {
		if delete(r.slow, g.ID); held {
			r.slow[g.ID] = true
		}
	}
}

func (r *round) fetchSharesChunk(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	for _, id := range idsOf(groups) {
		g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
		g.GroupID, g.Topics = id, nil // nil: all topics
		req.Groups = append(req.Groups, g)
	}
	a, err := r.askAside(ctx, broker, req)
	if err != nil {
		return err
	}
	resp := a.Body.(*kmsg.DescribeShareGroupOffsetsResponse)
	takeEach(r, taker[kmsg.DescribeShareGroupOffsetsResponseGroup]{
		stage: snapshot.StageFetchOffsets, broker: broker,
		id:   func(d *kmsg.DescribeShareGroupOffsetsResponseGroup) string { return d.GroupID },
		code: func(d *kmsg.DescribeShareGroupOffsetsResponseGroup) int16 { return d.ErrorCode },
		take: func(g *reading, d *kmsg.DescribeShareGroupOffsetsResponseGroup) {
			r.takeShares(g, d.Topics, a, resp.Version >= 1)
		},
	}, resp.Groups, groups)
	return nil
}

// Why a broker gives a share group's position without its lag (KIP-1226).
var (
	errNoLag        = fmt.Errorf("%w: the broker does not know the share group's lag yet", wire.ErrUnavailable)
	errNoLagVersion = fmt.Errorf("%w: brokers tell no lag of share groups before DescribeShareGroupOffsets 1", wire.ErrUnsupported)
)

// takeShares takes in what was answered for one group.
func (r *round) takeShares(g *reading, list []kmsg.DescribeShareGroupOffsetsResponseGroupTopic, a *wire.Answer, lags bool) {
	s := snapshot.Shares{At: a.At}
	for _, t := range list {
		name := cmp.Or(t.Topic, r.cluster.names[t.TopicID])
		if !r.opts.KeepTopic(name) {
			continue
		}
		at := snapshot.Problem{Stage: snapshot.StageFetchOffsets, Broker: g.Coordinator, Group: g.ID, Topic: name}
		topic := snapshot.TopicShares{Topic: name, ID: t.TopicID}
		for i := range t.Partitions {
			if id := t.Partitions[i].Partition; id < 0 {
				r.problem(at, noPartition(id))
				continue
			}
			p, err := readShare(&t.Partitions[i], lags)
			if err != nil {
				r.problem(at, err)
			}
			topic.Partitions = append(topic.Partitions, p)
		}
		slices.SortFunc(topic.Partitions, func(a, b snapshot.Share) int { return cmp.Compare(a.Partition, b.Partition) })
		if len(topic.Partitions) > 0 {
			s.Topics = append(s.Topics, topic)
		}
	}
	slices.SortFunc(s.Topics, func(a, b snapshot.TopicShares) int { return cmp.Compare(a.Topic, b.Topic) })
	g.Shares = snapshot.Known(s)
}

// readShare reads one partition of an answer. The error code counts before the
// values beside it.
func readShare(p *kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition, lags bool) (snapshot.Share, error) {
	s := snapshot.Share{Partition: p.Partition}
	switch {
	case p.ErrorCode != 0:
		return s, wire.CodeError(p.ErrorCode)
	case p.StartOffset < 0:
		s.NoPosition = true
		return s, nil
	}
	s.Start = snapshot.Known(p.StartOffset)
	switch {
	case !lags:
		return s, errNoLagVersion
	case p.Lag < 0:
		return s, errNoLag
	}
	s.Lag = snapshot.Known(p.Lag)
	return s, nil
}
