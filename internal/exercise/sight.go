package exercise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/words"
)

// clientPrefix begins the client ids of the exercise; of a member the rest is its
// name.
const clientPrefix = "lagwatch-exercise-"

// Sight is what lagwatch saw of the group at one moment. What it did not know is
// absent.
type Sight struct {
	State      string `json:"state"`
	Members    *int   `json:"members,omitempty"`
	Generation *int32 `json:"generation,omitempty"`
	Lag        *int64 `json:"lag,omitempty"` // in offsets
	// Rebalances and Moved count since lagwatch watches the group: its rounds, from
	// whichever source they are known, and partitions that got another owner than
	// their last one.
	Rebalances uint64 `json:"rebalances"`
	Moved      uint64 `json:"moved"`
	// LastKnown says that the owners are the last known ones.
	LastKnown bool `json:"last_known_owners,omitempty"`
	// Partitions are sorted by id.
	Partitions []PartitionSight `json:"partitions"`
	// Handovers are those since the step before.
	Handovers []Handover `json:"handovers,omitempty"`
}

// PartitionSight is what lagwatch saw of the group on one partition.
type PartitionSight struct {
	Partition int32 `json:"partition"`
	// Owner is a consumer's name; "" if nobody is the owner, or that is not known.
	Owner     string `json:"owner,omitempty"`
	Committed *int64 `json:"committed,omitempty"`
	// End is where reading committed records ends, the last stable offset.
	End *int64 `json:"end,omitempty"`
	Lag *int64 `json:"lag,omitempty"`
}

// sightOf reads a view.
func sightOf(v *collector.View, group string) Sight {
	i := slices.IndexFunc(v.Groups, func(g collector.Group) bool { return g.ID == group })
	if i < 0 {
		return Sight{State: snapshot.StateUnknown.String()}
	}
	g := &v.Groups[i]
	s := Sight{
		State: g.State.String(), Lag: known(g.Lag.Get()), Generation: known(g.Generation.Get()),
		Moved: g.Ownership.Moved, LastKnown: !g.OwnersCurrent,
	}
	for _, n := range g.Ownership.Rebalances {
		s.Rebalances += n
	}
	if m, ok := g.Members.Get(); ok {
		n := len(m.List)
		s.Members = &n
	}
	for _, t := range g.Topics {
		for i := range t.Pairs {
			s.Partitions = append(s.Partitions, partitionSight(v, g, t.Topic, &t.Pairs[i]))
		}
	}
	return s
}

func partitionSight(v *collector.View, g *collector.Group, topic string, p *collector.Pair) PartitionSight {
	var owners []string
	for _, o := range g.Owners(p) {
		owners = append(owners, strings.TrimPrefix(o.ClientID, clientPrefix))
	}
	return PartitionSight{
		Partition: p.Partition, Owner: strings.Join(owners, "+"), End: endOf(v, topic, p.Partition),
		Committed: known(p.Committed.Get()), Lag: known(p.Lag.Get()),
	}
}

// endOf is the last stable offset of a partition, nil if it is not known.
func endOf(v *collector.View, topic string, partition int32) *int64 {
	for i := range v.Topics {
		for _, p := range v.Topics[i].Partitions {
			if v.Topics[i].Name == topic && p.ID == partition {
				r, ok := p.LastStable.Get()
				return known(r.Offset, ok)
			}
		}
	}
	return nil
}

// known is a pointer to a value that is known, nil to one that is not.
func known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// ownedBy is how many partitions a consumer owns.
func (s Sight) ownedBy(name string) int {
	n := 0
	for _, p := range s.Partitions {
		if p.Owner == name {
			n++
		}
	}
	return n
}

func value[T any](p *T) string {
	if p == nil {
		return words.Unknown
	}
	return fmt.Sprint(*p)
}
