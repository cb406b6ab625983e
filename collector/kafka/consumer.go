package kafka

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// describeConsumer describes groups of the consumer protocol (KIP-848).
func (r *round) describeConsumer(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = idsOf(groups)
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	takeEach(r, taker[kmsg.ConsumerGroupDescribeResponseGroup]{
		stage: snapshot.StageDescribeGroups, broker: broker,
		id:   func(d *kmsg.ConsumerGroupDescribeResponseGroup) string { return d.Group },
		code: func(d *kmsg.ConsumerGroupDescribeResponseGroup) int16 { return d.ErrorCode },
		take: func(g *reading, d *kmsg.ConsumerGroupDescribeResponseGroup) {
			g.ProtocolType = "consumer"
			g.State, g.Assignor = snapshot.ParseGroupState(d.State), d.AssignorName
			g.Generation = snapshot.Known(d.Epoch)
			takeMembers(r, g, a, d.Members, r.consumerMember)
		},
	}, a.Body.(*kmsg.ConsumerGroupDescribeResponse).Groups, groups)
	return nil
}

func (r *round) consumerMember(d *kmsg.ConsumerGroupDescribeResponseGroupMember) (_ snapshot.Member, err error) {
	m := newMember(d.MemberID, d.ClientID, d.ClientHost, d.InstanceID, d.RackID)
	m.Subscribed = slices.Sorted(slices.Values(d.SubscribedTopics))
	var list []topicByID
	for _, t := range d.Assignment.TopicPartitions {
		list = append(list, topicByID{t.TopicID, t.Topic, t.Partitions})
	}
	m.Assignment, err = r.named(m.ID, list)
	return m, err
}
