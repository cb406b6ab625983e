package kafka

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// describeClassic describes groups of the classic protocol.
func (r *round) describeClassic(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = slices.Sorted(maps.Keys(groups))
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	resp, asked := a.body.(*kmsg.DescribeGroupsResponse), len(groups)
	for i := range resp.Groups {
		d := &resp.Groups[i]
		g, ok := groups[d.Group]
		delete(groups, d.Group)
		if !ok || r.refuse(snapshot.StageDescribeGroups, g, d.ErrorCode) {
			continue
		}
		if g.State = snapshot.ParseGroupState(d.State); g.State == snapshot.StateDead {
			g.gone = true // how versions before 6 say that there is none
			continue
		}
		g.ProtocolType, g.Assignor = d.ProtocolType, d.Protocol
		r.classicMembers(g, d, a)
	}
	r.unanswered(snapshot.StageDescribeGroups, broker, len(groups), asked)
	return nil
}

// classicMembers decodes the members of a classic group. Only the protocol
// type "consumer" has subscriptions in its members' bytes, and only a stable
// group has all of them (others show none, or an old assignment). A member
// that cannot be decoded leaves the assignments of the group unknown.
func (r *round) classicMembers(g *reading, d *kmsg.DescribeGroupsResponseGroup, a *answer) {
	stable := g.State == snapshot.StateStable && g.ProtocolType == "consumer"
	m := snapshot.Members{At: a.at, Assigned: stable || g.State == snapshot.StateEmpty}
	largest := int32(-1)
	for i := range d.Members {
		member, generation, err := classicMember(&d.Members[i], stable)
		if err != nil {
			m.Assigned = false
			r.problem(snapshot.Problem{Stage: snapshot.StageDescribeGroups, Group: g.ID}, err)
		}
		largest = max(largest, generation)
		m.List = append(m.List, member)
	}
	sortMembers(m.List)
	if stable && largest >= 0 && largest < math.MaxInt32 {
		// A member tells the generation in which it last joined, which was
		// the one before the round that it joined for.
		g.Generation = snapshot.Known(largest + 1)
	}
	g.Members = snapshot.Known(m)
}

// classicMember reads one member; generation is −1 where it tells none.
func classicMember(d *kmsg.DescribeGroupsResponseGroupMember, decode bool) (_ snapshot.Member, generation int32, err error) {
	m := snapshot.Member{ID: d.MemberID, ClientID: d.ClientID, Host: strings.TrimPrefix(d.ClientHost, "/")}
	if d.InstanceID != nil {
		m.InstanceID = *d.InstanceID
	}
	if !decode {
		return m, -1, nil
	}
	s, err := decodeSubscription(d.ProtocolMetadata)
	if err != nil {
		return m, -1, fmt.Errorf("subscription of member %q: %w", d.MemberID, err)
	}
	if m.Assignment, err = decodeAssignment(d.MemberAssignment); err != nil {
		return m, -1, fmt.Errorf("assignment of member %q: %w", d.MemberID, err)
	}
	m.Subscribed = slices.Sorted(slices.Values(s.Topics))
	if s.Rack != nil {
		m.Rack = *s.Rack
	}
	return m, s.Generation, nil
}

// decodeSubscription reads a consumer's subscription, versions 0 to 3
// (ConsumerProtocolSubscription); later ones only append fields. No bytes are
// no subscription.
func decodeSubscription(b []byte) (kmsg.ConsumerMemberMetadata, error) {
	s := kmsg.NewConsumerMemberMetadata()
	s.Generation = -1
	if len(b) == 0 {
		return s, nil
	}
	if err := readMember(&s, b); err != nil {
		return s, fmt.Errorf("%w: %s", errMalformed, err)
	}
	return s, nil
}

// decodeAssignment reads a consumer's assignment (ConsumerProtocolAssignment).
// No bytes are no partitions.
func decodeAssignment(b []byte) ([]snapshot.TopicPartitions, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var s kmsg.ConsumerMemberAssignment
	if err := readMember(&s, b); err != nil {
		return nil, fmt.Errorf("%w: %s", errMalformed, err)
	}
	var list []snapshot.TopicPartitions
	for _, t := range s.Topics {
		list = append(list, snapshot.TopicPartitions{Topic: t.Topic, Partitions: t.Partitions})
	}
	return sortAssignment(list), nil
}

// describeConsumer describes groups of the consumer protocol (KIP-848).
func (r *round) describeConsumer(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = slices.Sorted(maps.Keys(groups))
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	resp, asked := a.body.(*kmsg.ConsumerGroupDescribeResponse), len(groups)
	for i := range resp.Groups {
		d := &resp.Groups[i]
		g, ok := groups[d.Group]
		delete(groups, d.Group)
		if !ok || r.refuse(snapshot.StageDescribeGroups, g, d.ErrorCode) {
			continue
		}
		g.ProtocolType = "consumer"
		g.State, g.Assignor = snapshot.ParseGroupState(d.State), d.AssignorName
		g.Generation = snapshot.Known(d.Epoch)
		m := snapshot.Members{At: a.at, Assigned: true}
		for j := range d.Members {
			member, err := r.consumerMember(&d.Members[j])
			if err != nil {
				m.Assigned = false
				r.problem(snapshot.Problem{Stage: snapshot.StageDescribeGroups, Group: g.ID}, err)
			}
			m.List = append(m.List, member)
		}
		sortMembers(m.List)
		g.Members = snapshot.Known(m)
	}
	r.unanswered(snapshot.StageDescribeGroups, broker, len(groups), asked)
	return nil
}

func (r *round) consumerMember(d *kmsg.ConsumerGroupDescribeResponseGroupMember) (snapshot.Member, error) {
	m := snapshot.Member{ID: d.MemberID, ClientID: d.ClientID, Host: strings.TrimPrefix(d.ClientHost, "/")}
	if d.InstanceID != nil {
		m.InstanceID = *d.InstanceID
	}
	if d.RackID != nil {
		m.Rack = *d.RackID
	}
	m.Subscribed = slices.Sorted(slices.Values(d.SubscribedTopics))
	var list []snapshot.TopicPartitions
	for _, t := range d.Assignment.TopicPartitions {
		// Topics have both an id and a name; where the name is left out, the
		// metadata of this poll has it.
		name := cmp.Or(t.Topic, r.cluster.names[t.TopicID])
		if name == "" {
			return m, fmt.Errorf("assignment of member %q: %w: topic id %x has no name", d.MemberID, errIncomplete, t.TopicID)
		}
		list = append(list, snapshot.TopicPartitions{Topic: name, Partitions: t.Partitions})
	}
	m.Assignment = sortAssignment(list)
	return m, nil
}

// unanswered notes groups that an answer left out.
func (r *round) unanswered(stage snapshot.Stage, broker int32, missing, asked int) {
	if missing > 0 {
		r.problem(snapshot.Problem{Stage: stage, Broker: snapshot.Known(broker), Count: missing},
			fmt.Errorf("%w: %d of %d groups", errIncomplete, missing, asked))
	}
}

func sortMembers(list []snapshot.Member) {
	slices.SortFunc(list, func(a, b snapshot.Member) int { return cmp.Compare(a.ID, b.ID) })
}

func sortAssignment(list []snapshot.TopicPartitions) []snapshot.TopicPartitions {
	for _, t := range list {
		slices.Sort(t.Partitions)
	}
	slices.SortFunc(list, func(a, b snapshot.TopicPartitions) int { return cmp.Compare(a.Topic, b.Topic) })
	return list
}
