package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// retention is Kafka's default, where a simulated log is kept for ever.
const retention = 7 * 24 * time.Hour

// topic is the log side. A partition that the poll could not read is there, and its
// offsets are unknown.
func (p *player) topic(poll *trace.Poll) snapshot.Topic {
	t := snapshot.Topic{Name: simulate.Topic, ID: snapshot.TopicID{1}, Partitions: make([]snapshot.Partition, p.run.Partitions())}
	t.Config = snapshot.Known(snapshot.TopicConfig{
		Delete: true, RetentionTime: snapshot.Known(cmp.Or(p.run.Retain(), retention)), Remote: snapshot.Known(false),
	})
	for i := range t.Partitions {
		t.Partitions[i] = snapshot.Partition{ID: int32(i), Leader: snapshot.Known(int32(1))}
	}
	for _, l := range poll.Logs {
		at := snapshot.InstantOf(p.time(l.At))
		part := &t.Partitions[l.Partition]
		part.Start = snapshot.Known(snapshot.Reading{Offset: l.Start, At: at})
		part.End = snapshot.Known(snapshot.Reading{Offset: l.End, At: at})
	}
	return t
}

// group is the consuming side, of a classic group whose members tell their generation.
func (p *player) group(poll *trace.Poll) snapshot.Group {
	g := snapshot.Group{
		ID: simulate.Group, Type: snapshot.TypeClassic, State: p.state(), Coordinator: snapshot.Known(int32(1)),
		Members: snapshot.Known(p.members()), Commits: snapshot.Known(p.commits(poll)),
	}
	if !p.look.Standalone {
		g.ProtocolType, g.Assignor = "consumer", "range"
	}
	if g.State == snapshot.StateStable {
		g.Generation = snapshot.Known(p.look.Generation)
	}
	return g
}

func (p *player) state() snapshot.GroupState {
	switch {
	case p.look.Between:
		return snapshot.StatePreparingRebalance
	case len(p.look.Members) == 0:
		return snapshot.StateEmpty
	}
	return snapshot.StateStable
}

func (p *player) members() snapshot.Members {
	m := snapshot.Members{At: time.Now(), Assigned: !p.look.Between, List: make([]snapshot.Member, 0, len(p.look.Members))}
	for _, j := range p.look.Members {
		client := fmt.Sprintf("worker-%d", j.Member)
		one := snapshot.Member{ID: fmt.Sprintf("%s-%04x", client, j.Joins), ClientID: client, Host: fmt.Sprintf("10.0.0.%d", j.Member+1)}
		if m.Assigned {
			one.Subscribed, one.Assignment = []string{simulate.Topic}, assignment(j.Owns)
		}
		m.List = append(m.List, one)
	}
	slices.SortFunc(m.List, func(a, b snapshot.Member) int { return cmp.Compare(a.ID, b.ID) })
	return m
}

func assignment(owns []int) []snapshot.TopicPartitions {
	if len(owns) == 0 {
		return nil
	}
	of := snapshot.TopicPartitions{Topic: simulate.Topic}
	for _, i := range owns {
		of.Partitions = append(of.Partitions, int32(i))
	}
	return []snapshot.TopicPartitions{of}
}

// commits are those of a coordinator that answers for every partition: where the poll
// could not read one, with an error.
func (p *player) commits(poll *trace.Poll) snapshot.Commits {
	list := make([]snapshot.Commit, p.run.Partitions())
	for i := range list {
		list[i].Partition = int32(i)
	}
	for _, c := range poll.Positions {
		list[c.Partition].Offset = snapshot.Known(c.Committed)
	}
	return snapshot.Commits{At: time.Now(), Topics: []snapshot.TopicCommits{{Topic: simulate.Topic, Partitions: list}}}
}
