package api

import (
	"iter"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// document is all that is known of the group but for its partitions.
func (e *entry) document() document.Group {
	v := e.view
	d := document.Group{
		Cluster: name(v.Cluster), Group: name(e.id), IntervalSeconds: seconds(v.Interval), Missing: e.group == nil,
		Conditions: conditions(v, e.why), Verdicts: verdicts(e.why),
	}
	if e.group != nil {
		describe(&d, v, e.group)
	}
	return d
}

func describe(d *document.Group, v *collector.View, g *collector.Group) {
	d.Type, d.ProtocolType, d.Assignor, d.State = known(g.Type.String()), name(g.ProtocolType), name(g.Assignor), known(g.State.String())
	d.Coordinator, d.Generation = number(g.Coordinator), number(g.Generation)
	d.Complete, d.ReadAt, d.ReadAgeSeconds = &g.Complete, moment(g.ReadAt), ago(g.ReadAt, v.Built)
	d.ReadCommitted, d.Lag, d.MembersNeeded = &g.ReadCommitted, number(g.Lag), number(g.MembersNeeded)
	objective := seconds(g.Objective.Age)
	d.Objective, d.Target, d.Mode, d.Team = &objective, &g.Objective.Target, g.Objective.Mode(), name(g.Objective.Team)
	d.Estimates = groupEstimates(g)
	d.Rewinds, d.Skips = &g.Rewinds, &g.Skips
	d.Ownership = document.Ownership{
		Current: g.OwnersCurrent, KnownAt: moment(g.OwnersAt), Rebalances: rebalances(g),
		Moved: g.Ownership.Moved, UnstableSeconds: seconds(g.Ownership.Unstable), LastRoundAt: moment(g.LastRound),
	}
	d.Rounds, d.Shifts = []document.Round{}, []document.Shift{}
	for _, r := range g.Rounds {
		d.Rounds = append(d.Rounds, document.Round{
			At: document.Time(r.At), Source: r.Source.String(), Count: r.Count, Generation: number(r.Generation),
			Moved: r.Moved, Joined: r.Joined, Left: r.Left,
		})
	}
	d.Members = members(g)
	d.Ownership.Unowned, d.Ownership.Surplus = counted(g.Unowned()), counted(g.Surplus())
	if m, ok := g.Members.Get(); ok {
		d.Ownership.Idle = counted(m.Idle())
	}
	for _, s := range g.Shifts {
		d.Shifts = append(d.Shifts, document.Shift{
			At: document.Time(s.At), Topic: name(s.Topic), Back: s.Back, Partitions: s.Partitions, Offsets: s.Offsets,
			Empty: s.Empty, NearRound: s.NearRound,
		})
	}
	if g.PositionsKnown() {
		d.Topics = make([]document.Topic, 0, len(g.Topics))
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		d.Topics = append(d.Topics, document.Topic{
			Topic: name(t.Topic), Path: document.TopicPath(name(t.Topic), name(v.Cluster)), Lag: number(t.Lag), Available: number(t.Available), States: states(t),
			Estimates: estimates(&t.Estimates, t.AgeAtLeast()),
		})
	}
}

// rebalances are counted by the sources that there are for the group's type, and by those
// that have counted something.
func rebalances(g *collector.Group) map[string]uint64 {
	out := map[string]uint64{}
	for source, n := range g.Ownership.Rebalances {
		if s := ownership.Source(source); n > 0 || s.Applies(g.Type) {
			out[s.String()] = n
		}
	}
	return out
}

// states counts the pairs in each state in which there is one.
func states(t *collector.GroupTopic) map[string]int {
	out := map[string]int{}
	for state, n := range t.States {
		if n > 0 {
			out[collector.PairState(state).String()] = n
		}
	}
	return out
}

var verdictNames = [...]string{diagnosis.Unknown: "unknown", diagnosis.Clear: "clear", diagnosis.Holds: "holds"}

func verdicts(d *diagnosis.Diagnosis) map[string]string {
	out := make(map[string]string, diagnosis.Conditions)
	for c, verdict := range d.Verdicts {
		out[diagnosis.Condition(c).String()] = verdictNames[verdict]
	}
	return out
}

func conditions(v *collector.View, d *diagnosis.Diagnosis) []document.Condition {
	out := make([]document.Condition, 0, len(d.Findings))
	for i := range d.Findings {
		f := &d.Findings[i]
		c := document.Condition{
			Condition: f.Condition.String(), Since: document.Time(wall(v, f.Since)),
			Seconds:  seconds(max(0, f.Age(snapshot.InstantOf(v.Built)))),
			Sentence: f.Sentence, Evidence: []document.Evidence{}, Next: []document.Step{},
		}
		for _, n := range f.Evidence {
			c.Evidence = append(c.Evidence, document.Evidence{Name: n.Name, Value: bounded(n.Value), Unit: n.Unit})
		}
		for _, id := range f.Members {
			c.Members = append(c.Members, name(id))
		}
		for _, p := range f.Partitions {
			c.Partitions = append(c.Partitions, document.TopicPartition{Topic: name(p.Topic), Partition: p.Partition})
		}
		for _, s := range f.Next {
			c.Next = append(c.Next, document.Step{Text: s.Text, Command: s.Command})
		}
		out = append(out, c)
	}
	return out
}

// members are those of the group with what they own, by member id, nil where they are
// not known.
func members(g *collector.Group) []document.Member {
	m, ok := g.Members.Get()
	if !ok {
		return nil
	}
	list, at := make([]document.Member, len(m.List)), make(map[string]int, len(m.List))
	for i := range m.List {
		one := &m.List[i]
		at[one.ID] = i
		list[i] = document.Member{Owner: owner(one.ID, one.InstanceID, one.ClientID, one.Host)}
		if g.OwnersCurrent {
			list[i].Owned, list[i].Partitions = new(int), []document.TopicPartitions{}
		}
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		for j := range t.Pairs {
			p := &t.Pairs[j]
			for _, o := range g.Owners(p) {
				if k, ok := at[o.MemberID]; ok {
					own(&list[k], name(t.Topic), p)
					list[k].LastKnown = !g.OwnersCurrent
				}
			}
		}
	}
	return list
}

func own(m *document.Member, topic string, p *collector.Pair) {
	if m.Owned == nil {
		m.Owned = new(int)
	}
	*m.Owned++
	if lag, ok := p.Lag.Get(); ok {
		if m.Lag == nil {
			m.Lag = new(int64)
		}
		*m.Lag += lag
	}
	if n := len(m.Partitions); n == 0 || m.Partitions[n-1].Topic != topic {
		m.Partitions = append(m.Partitions, document.TopicPartitions{Topic: topic})
	}
	last := &m.Partitions[len(m.Partitions)-1]
	last.Partitions = append(last.Partitions, p.Partition)
}

func owner(member, instance, client, host string) document.Owner {
	return document.Owner{MemberID: name(member), InstanceID: name(instance), ClientID: name(client), Host: name(host)}
}

// partitions are the group's places, by topic and partition.
func (e *entry) partitions() iter.Seq[document.Partition] {
	return func(yield func(document.Partition) bool) {
		g := e.group
		if g == nil {
			return
		}
		old := !g.OwnersCurrent
		for i := range g.Topics {
			t := &g.Topics[i]
			log := topic(e.view, t.Topic)
			for j := range t.Pairs {
				d := pair(g, t, j, log)
				if d.OwnersLastKnown = old && len(d.Owners) > 0; old && !d.OwnersLastKnown {
					d.Owners = nil // not known
				}
				if !yield(d) {
					return
				}
			}
		}
	}
}

// topic is the log side of a topic, nil where it is not known.
func topic(v *collector.View, name string) *collector.Topic {
	i, ok := slices.BinarySearchFunc(v.Topics, name, func(t collector.Topic, n string) int {
		return strings.Compare(t.Name, n)
	})
	if !ok {
		return nil
	}
	return &v.Topics[i]
}

func pair(g *collector.Group, t *collector.GroupTopic, i int, log *collector.Topic) document.Partition {
	p := &t.Pairs[i]
	d := document.Partition{
		TopicPartition: document.TopicPartition{Topic: name(t.Topic), Partition: p.Partition},
		State:          p.State.String(), Fresh: p.Fresh,
		Committed: number(p.Committed), ShareStart: number(p.ShareStart), Lag: number(p.Lag), Available: number(p.Available),
		Lost: number(p.Lost), LagAge: finite(p.LagAge), Drain: document.Drain{State: document.DrainUnknown}, Owners: []document.Owner{},
	}
	if i, ok := findPartition(log, p.Partition); ok {
		ends := logPartition(log, i)
		d.Start, d.End, d.LastStable, d.Arrival = ends.Start, ends.End, ends.LastStable, finite(log.ArrivalOf(g, i))
	}
	if t.PairEstimates != nil {
		e := &t.PairEstimates[i]
		d.Drain = document.DrainOf(e.DrainSeconds, e.DrainLow, e.DrainHigh)
		d.DrainRate, d.Processing, d.CommitAge, d.Headroom = finite(e.Drain), finite(e.Processing), finite(e.CommitAge), finite(e.Headroom)
		d.LostTotal = number(e.Lost)
	}
	for _, o := range g.Owners(p) {
		d.Owners = append(d.Owners, owner(o.MemberID, o.InstanceID, o.ClientID, o.Host))
	}
	return d
}
