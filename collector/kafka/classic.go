package kafka

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// describeClassic describes groups of the classic protocol.
func (r *round) describeClassic(ctx context.Context, broker int32, groups map[string]*reading) error {
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = idsOf(groups)
	a, err := r.askBroker(ctx, broker, req)
	if err != nil {
		return err
	}
	takeEach(r, taker[kmsg.DescribeGroupsResponseGroup]{
		stage: snapshot.StageDescribeGroups, broker: broker,
		id:   func(d *kmsg.DescribeGroupsResponseGroup) string { return d.Group },
		code: func(d *kmsg.DescribeGroupsResponseGroup) int16 { return d.ErrorCode },
		take: func(g *reading, d *kmsg.DescribeGroupsResponseGroup) {
			if g.State = snapshot.ParseGroupState(d.State); g.State == snapshot.StateDead {
				g.gone = true // how versions before 6 say that there is none
				return
			}
			g.ProtocolType, g.Assignor = d.ProtocolType, d.Protocol
			r.classicMembers(g, d, a)
		},
	}, a.Body.(*kmsg.DescribeGroupsResponse).Groups, groups)
	return nil
}

// classicMembers decodes the members of a classic group. Only the protocol
// type "consumer" has subscriptions in its members' bytes, and only a stable
// group has all of them (others show none, or an old assignment). A member
// that cannot be decoded leaves the assignments of the group unknown.
func (r *round) classicMembers(g *reading, d *kmsg.DescribeGroupsResponseGroup, a *wire.Answer) {
	stable := g.State == snapshot.StateStable && g.ProtocolType == "consumer"
	m := snapshot.Members{At: a.At, Assigned: stable || g.State == snapshot.StateEmpty}
	m.List = make([]snapshot.Member, 0, len(d.Members))
	largest := int32(-1)
	take := func(member snapshot.Member, generation int32, err error) {
		r.memberError(g, &m, err)
		largest = max(largest, generation)
		m.List = append(m.List, member)
	}
	if stable {
		r.decoded.members(g.ID, d.Members, take)
	} else {
		r.decoded.drop(g.ID)
		for i := range d.Members {
			take(classicMember(&d.Members[i], false))
		}
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
	m := newMember(d.MemberID, d.ClientID, d.ClientHost, d.InstanceID, nil)
	if !decode {
		return m, -1, nil
	}
	s, err := decodeSubscription(d.ProtocolMetadata)
	if err != nil {
		return m, -1, fmt.Errorf("subscription of member %q: %w", d.MemberID, err)
	}
	if m.Assignment, err = decodeAssignment(d.MemberID, d.MemberAssignment); err != nil {
		return m, -1, err
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
	if err := wire.ReadMember(&s, b); err != nil {
		return s, fmt.Errorf("%w: %s", wire.ErrMalformed, err)
	}
	return s, nil
}

// decodeAssignment reads a consumer's assignment (ConsumerProtocolAssignment).
// No bytes are no partitions.
func decodeAssignment(member string, b []byte) ([]snapshot.TopicPartitions, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var s kmsg.ConsumerMemberAssignment
	if err := wire.ReadMember(&s, b); err != nil {
		return nil, fmt.Errorf("assignment of member %q: %w: %s", member, wire.ErrMalformed, err)
	}
	var list []snapshot.TopicPartitions
	for _, t := range s.Topics {
		list = append(list, snapshot.TopicPartitions{Topic: t.Topic, Partitions: t.Partitions})
	}
	return sortAssignment(member, list)
}
