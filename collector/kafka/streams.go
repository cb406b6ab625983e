package kafka

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// describeStreams describes groups of the streams protocol (KIP-1071).
func (r *round) describeStreams(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrStreamsGroupDescribeRequest()
	req.Groups = idsOf(groups)
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	takeEach(r, taker[kmsg.StreamsGroupDescribeResponseGroup]{
		stage: snapshot.StageDescribeGroups, broker: broker,
		id:   func(d *kmsg.StreamsGroupDescribeResponseGroup) string { return d.Group },
		code: func(d *kmsg.StreamsGroupDescribeResponseGroup) int16 { return d.ErrorCode },
		take: func(g *reading, d *kmsg.StreamsGroupDescribeResponseGroup) { r.takeStreams(g, d, a) },
	}, a.Body.(*kmsg.StreamsGroupDescribeResponse).Groups, groups)
	return nil
}

func (r *round) takeStreams(g *reading, d *kmsg.StreamsGroupDescribeResponseGroup, a *wire.Answer) {
	g.ProtocolType = "streams"
	g.State = snapshot.ParseGroupState(d.State)
	if g.Generation = snapshot.Known(d.Epoch); d.AssignorName != nil {
		g.Assignor = *d.AssignorName
	}
	sources := sourceTopics(d.Topology)
	takeMembers(r, g, a, d.Members, func(d *kmsg.StreamsGroupDescribeResponseGroupMember) (snapshot.Member, error) {
		return r.streamsMember(d, sources)
	})
}

// sourceTopics returns what each subtopology reads: the topics that the
// application names, and those through which it sends records to itself.
func sourceTopics(t *kmsg.StreamsGroupDescribeResponseGroupTopology) map[string][]string {
	sources := map[string][]string{}
	if t == nil {
		return sources // not initialised yet; then there are no tasks either
	}
	for _, s := range t.Subtopologies {
		topics := slices.Clone(s.SourceTopics)
		for _, repartition := range s.RepartitionSourceTopics {
			topics = append(topics, repartition.Topic)
		}
		slices.Sort(topics)
		sources[s.SubtopologyID] = slices.Compact(topics)
	}
	return sources
}

// streamsMember reads one member. Task p of a subtopology reads partition p of
// each of its source topics that has one; standby and warm-up tasks read
// changelogs only, and own nothing.
func (r *round) streamsMember(d *kmsg.StreamsGroupDescribeResponseGroupMember, sources map[string][]string) (snapshot.Member, error) {
	m := newMember(d.MemberID, d.ClientID, d.ClientHost, d.InstanceID, d.RackID)
	for _, topics := range sources {
		m.Subscribed = append(m.Subscribed, topics...)
	}
	slices.Sort(m.Subscribed)
	m.Subscribed = slices.Compact(m.Subscribed)
	for _, task := range d.Assignment.ActiveTasks {
		topics, ok := sources[task.SubtopologyID]
		if !ok {
			return m, fmt.Errorf("assignment of member %q: %w: subtopology %q is not in the group's topology", d.MemberID, errIncomplete, task.SubtopologyID)
		}
		for _, topic := range topics {
			if p := r.cluster.have(topic, task.Partitions); len(p) > 0 {
				m.Assignment = append(m.Assignment, snapshot.TopicPartitions{Topic: topic, Partitions: p})
			}
		}
	}
	var err error
	m.Assignment, err = sortAssignment(d.MemberID, m.Assignment)
	return m, err
}
