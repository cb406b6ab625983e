package kafka

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// describer sends one description request for some groups of one type, and
// takes those that are answered out of groups.
type describer func(r *round, ctx context.Context, broker int32, groups map[string]*reading) error

// describers are the requests that describe groups, by type.
var describers = map[snapshot.GroupType]describer{
	snapshot.TypeClassic:  (*round).describeClassic,
	snapshot.TypeConsumer: (*round).describeConsumer,
	snapshot.TypeShare:    (*round).describeShare,
	snapshot.TypeStreams:  (*round).describeStreams,
}

func (r *round) describe(ctx context.Context, id int32, list []*reading, ask describer) {
	for chunk := range slices.Chunk(list, r.opts.MaxGroupsPerRequest) {
		if err := ask(r, ctx, id, byID(chunk)); err != nil {
			r.problem(snapshot.Problem{Stage: snapshot.StageDescribeGroups, Broker: snapshot.Known(id), Count: len(chunk)}, err)
		}
	}
}

func byID(list []*reading) map[string]*reading {
	m := make(map[string]*reading, len(list))
	for _, g := range list {
		m[g.ID] = g
	}
	return m
}

func idsOf(groups map[string]*reading) []string { return slices.Sorted(maps.Keys(groups)) }

// taker hands out what an answer says of each group.
type taker[G any] struct {
	stage  snapshot.Stage
	broker int32
	id     func(*G) string
	code   func(*G) int16
	take   func(*reading, *G)
}

// takeEach takes in an answer's groups: once each, those that were asked for,
// if the code beside it is none. What the answer leaves out is noted.
func takeEach[G any](r *round, t taker[G], list []G, groups map[string]*reading) {
	asked := len(groups)
	for i := range list {
		d := &list[i]
		g, ok := groups[t.id(d)]
		delete(groups, t.id(d))
		if ok && !r.refuse(t.stage, g, t.code(d)) {
			t.take(g, d)
		}
	}
	if missing := len(groups); missing > 0 {
		r.problem(snapshot.Problem{Stage: t.stage, Broker: snapshot.Known(t.broker), Count: missing},
			fmt.Errorf("%w: %d of %d groups", errIncomplete, missing, asked))
	}
}

// takeMembers takes in the members of a group that tell their assignment.
func takeMembers[M any](r *round, g *reading, a *wire.Answer, list []M, read func(*M) (snapshot.Member, error)) {
	m := snapshot.Members{At: a.At, Assigned: true}
	for i := range list {
		member, err := read(&list[i])
		r.memberError(g, &m, err)
		m.List = append(m.List, member)
	}
	sortMembers(m.List)
	g.Members = snapshot.Known(m)
}

// memberError notes a member that cannot be read, which leaves the assignments
// of its group unknown.
func (r *round) memberError(g *reading, m *snapshot.Members, err error) {
	if err != nil {
		m.Assigned = false
		r.problem(snapshot.Problem{Stage: snapshot.StageDescribeGroups, Group: g.ID}, err)
	}
}

// newMember makes a member of what all types tell of one.
func newMember(id, clientID, host string, instance, rack *string) snapshot.Member {
	m := snapshot.Member{ID: id, ClientID: clientID, Host: strings.TrimPrefix(host, "/")}
	if instance != nil {
		m.InstanceID = *instance
	}
	if rack != nil {
		m.Rack = *rack
	}
	return m
}

// topicByID are some partitions of a topic with an id and a name.
type topicByID struct {
	id         [16]byte
	topic      string
	partitions []int32
}

// named reads an assignment. Topics have both an id and a name; where the name
// is left out, the metadata of this poll has it.
func (r *round) named(member string, list []topicByID) ([]snapshot.TopicPartitions, error) {
	var out []snapshot.TopicPartitions
	for _, t := range list {
		name := cmp.Or(t.topic, r.cluster.names[t.id])
		if name == "" {
			return nil, fmt.Errorf("assignment of member %q: %w: topic id %x has no name", member, errIncomplete, t.id)
		}
		out = append(out, snapshot.TopicPartitions{Topic: name, Partitions: t.partitions})
	}
	return sortAssignment(member, out)
}

func sortMembers(list []snapshot.Member) {
	slices.SortFunc(list, func(a, b snapshot.Member) int { return cmp.Compare(a.ID, b.ID) })
}

// sortAssignment sorts the assignment of a member, which says what it wants: a
// partition counts once, and one below 0 is none.
func sortAssignment(member string, list []snapshot.TopicPartitions) ([]snapshot.TopicPartitions, error) {
	for i := range list {
		t := &list[i]
		slices.Sort(t.Partitions)
		t.Partitions = slices.Compact(t.Partitions)
		if len(t.Partitions) > 0 && t.Partitions[0] < 0 {
			return nil, fmt.Errorf("assignment of member %q: %w", member, noPartition(t.Partitions[0]))
		}
	}
	slices.SortFunc(list, func(a, b snapshot.TopicPartitions) int { return cmp.Compare(a.Topic, b.Topic) })
	return list, nil
}
