package lab

import (
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// shortRange is an assignor that takes each topic for smaller than it is, by
// short partitions: nobody owns the last ones.
type shortRange struct {
	kgo.GroupBalancer
	short *atomic.Int32
}

// MemberBalancer implements [kgo.GroupBalancer].
func (b shortRange) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	inner, topics, err := b.GroupBalancer.MemberBalancer(members)
	if err != nil {
		return nil, nil, err
	}
	plan, ok := inner.(*kgo.ConsumerBalancer)
	if !ok {
		return nil, nil, fmt.Errorf("the assignor is a %T", inner)
	}
	return shortPlan{plan, b.short}, topics, nil
}

type shortPlan struct {
	*kgo.ConsumerBalancer
	short *atomic.Int32
}

// BalanceOrError implements [kgo.GroupMemberBalancerOrError].
func (p shortPlan) BalanceOrError(topics map[string]int32) (kgo.IntoSyncAssignment, error) {
	seen := maps.Clone(topics)
	for topic, n := range seen {
		seen[topic] = max(0, n-p.short.Load())
	}
	return p.ConsumerBalancer.BalanceOrError(seen)
}
