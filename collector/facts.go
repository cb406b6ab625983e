package collector

import (
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// facts are what a group is diagnosed by: of one group after the other, in the same
// room. They belong to one goroutine; a diagnosis keeps nothing of them.
type facts struct {
	view      *View
	now       snapshot.Instant
	obstacles *obstacles
	group     diagnosis.Group
	members   []diagnosis.Member
	firsts    []int32 // as of the group's owners; nil where it is not known who owns what
}

// begin takes in what is known of a group as a whole.
func (f *facts) begin(g *Group) {
	f.group = diagnosis.Group{
		ID: g.ID, Bootstrap: f.obstacles.bootstrap, Secured: f.obstacles.secured, Cluster: f.obstacles.cluster, Now: f.now, Interval: f.view.Interval,
		Objective: g.Objective.Age, Expected: g.reasons.expected,
		Type: g.Type, ProtocolType: g.ProtocolType, State: g.State,
		Failed: !f.view.Up, MembersRead: g.read.members, CommitsRead: g.read.positions, Problem: f.obstacles.why(g),
		Ownership: g.recently(f.now, g.reasons.thresholds.Window),
		Topics:    f.group.Topics[:0], Partitions: f.group.Partitions[:0],
	}
	m, known := g.Members.Get()
	f.members, f.firsts = f.members[:0], nil
	for i := range m.List {
		f.members = append(f.members, memberFacts(&m.List[i], m.Assigned))
	}
	if known {
		f.group.Members, f.group.Assigned = snapshot.Known(f.members), m.Assigned
	}
	if room, ok := g.room(); ok {
		f.group.Room = snapshot.Known(room)
	}
	if f.group.Assigned {
		f.firsts = g.owned.firsts
	}
}

func memberFacts(m *snapshot.Member, assigned bool) diagnosis.Member {
	out := diagnosis.Member{ID: m.ID, InstanceID: m.InstanceID, ClientID: m.ClientID, Host: m.Host}
	if assigned {
		for i := range m.Assignment {
			out.Partitions += len(m.Assignment[i].Partitions)
		}
	}
	return out
}

// topic takes in the topic that the pairs are on which follow; log is nil where its log
// is not known.
func (f *facts) topic(g *Group, topic string, log *Topic) {
	f.group.Topics = append(f.group.Topics, diagnosis.Topic{
		Name: topic, Subscribed: g.subscribed(topic), Unlimited: log != nil && log.history.unlimited(),
	})
}

// subscribed tells whether a member subscribes to a topic or is assigned a partition
// of it; unknown while assignments are, since subscriptions are not shown then either,
// and where a member names no topics: it may subscribe by a pattern.
func (g *Group) subscribed(topic string) snapshot.Maybe[bool] {
	m, known := g.Members.Get()
	if !known || !m.Assigned {
		return snapshot.Maybe[bool]{}
	}
	named := g.owned.topics[topic] != nil
	if !named && g.owned.unnamed {
		return snapshot.Maybe[bool]{}
	}
	return snapshot.Known(named)
}

// pair takes in a pair on the topic of the last call, and returns what is known of it
// for more to be added.
func (f *facts) pair(p *Pair) *diagnosis.Partition {
	owner := int32(-1)
	if f.firsts != nil {
		owner = f.firsts[p.owners]
	}
	f.group.Partitions = append(f.group.Partitions, diagnosis.Partition{
		Topic: int32(len(f.group.Topics) - 1), ID: p.Partition, Owner: owner,
		Position: p.known(), Fresh: p.Fresh, Lag: p.Lag.maybe(), Available: p.Available.maybe(),
	})
	return &f.group.Partitions[len(f.group.Partitions)-1]
}

// known is what is known of where the pair's group is.
func (p *Pair) known() diagnosis.Position {
	switch p.State {
	case PairCommitted:
		return diagnosis.Committed
	case PairUncommitted:
		return diagnosis.Uncommitted
	case PairBeyondEnd, PairNoPartition:
		return diagnosis.Elsewhere
	case PairUnread:
	}
	return diagnosis.Unread
}

// moved tells from where to where a group has gone in the last poll, and what it lost.
// A pair that the poll did not renew has done neither; one without a track has no past.
func (h *pairHistory) moved(t *track, p *Pair, to *diagnosis.Partition) {
	if t == nil {
		return
	}
	to.Before = t.habit.Usual()
	if !p.Fresh || t.at != p.At {
		return
	}
	if now, ok := t.pair.Committed(); ok && now != t.from {
		to.From, to.To = snapshot.Known(t.from), snapshot.Known(now)
	}
	if l := find(h.losses, p.Partition, (*loss).id); l != nil {
		to.Lost = l.offsets
	}
}

// heldBack is for how long a group has been kept from reading on by a transaction that
// is open; unknown where it does not wait for any, or the ends are too old.
func (r *reckoner) heldBack(g *Group, log *Topic, partition int32) rates.Value {
	if !g.ReadCommitted || log == nil {
		return rates.Value{}
	}
	stable, end := log.history.stable.log(partition), log.history.ends.log(partition)
	p := find(log.Partitions, partition, partitionID)
	if p == nil || stable == nil || end == nil || !p.LastStable.Known() || !p.End.Known() {
		return rates.Value{}
	}
	return stable.HeldBack(r.clock, end)
}
