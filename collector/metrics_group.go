package collector

import (
	"slices"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// groupRows are of groups as a whole.
var groupRows = []Metric{
	{Name: "group_lag", Kind: Gauge, Unit: "offsets",
		Help:    "Sum of group_partition_lag over everything that the group reads. A part of the truth while group_complete is 0.",
		Unknown: "Absent when no partition's lag is known.",
		group:   func(g *Group, s *series) { s.number(g.Lag) }},
	{Name: "group_members", Kind: Gauge,
		Help:    "Members in the group.",
		Unknown: "Absent when the group could not be described for stale_after.",
		group:   emitMembers},
	{Name: "group_idle_members", Kind: Gauge,
		Help:    "Members to which no partition is assigned.",
		Unknown: "Absent while assignments are not known, as in a rebalance.",
		group:   emitIdle},
	{Name: "group_complete", Kind: Gauge,
		Help:    "Whether the last poll read all of the group's members, commits and offsets: 1 yes; 0 no, and its numbers are older, or a part of the truth. Owners that a rebalance hides do not count.",
		Unknown: always,
		group:   func(g *Group, s *series) { s.truth(g.Complete) }},
	{Name: "group_read_age_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long ago the group was last complete, as of the last poll.",
		Unknown: "Absent before it was complete once.",
		group:   func(g *Group, s *series) { s.age(g.ReadAt) }},
	{Name: "group_lag_objective_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How old the oldest unread record of the group may become, from the configured objectives.",
		Unknown: always,
		group:   func(g *Group, s *series) { s.put(g.Objective.Age.Seconds()) }},
	{Name: "group_lag_objective_ratio", Kind: Gauge,
		Help:    "In which share of the time the group has to be within group_lag_objective_seconds, from the configured objectives: 0.99 where they say nothing else.",
		Unknown: always,
		group:   func(g *Group, s *series) { s.put(g.Objective.Target) }},
	{Name: "group_objective_info", Kind: Gauge, more: []string{"mode", "team"},
		Help:    "Always 1; the labels are of the group's objective: its mode (continuous, or batch for a group that has members now and then) and the team that is told when it is late, empty where none is named. An expected group that does not exist has it too.",
		Unknown: always,
		group:   func(g *Group, s *series) { s.with(g.owes, 1) },
		missing: func(g *MissingGroup, s *series) { s.with(g.owes, 1) }},
	{Name: "group_detail_lowered", Kind: Gauge, more: []string{"detail"}, Always: true,
		Help:    "Always 1; the label says in how much detail the group is shown, because its series would go beyond max_series: topic (no group_partition_ series) or group (no group_topic_ series either).",
		Unknown: "Always there for lowered groups, whatever include, exclude and by_group say; absent where the group is shown in the detail that the config asks for.",
		group:   emitLowered},
	{Name: "group_info", Kind: Gauge, more: []string{"type", "protocol"},
		Help:    "Always 1; the labels are the group's type (classic, consumer, share, streams) and the protocol type of its members (consumer, connect, ...).",
		Unknown: always,
		group:   emitGroupInfo},
	{Name: "group_state", Kind: Gauge, more: []string{"state"}, upTo: 8,
		Help:    "1 for the state that the group is in, 0 for the others that its type has.",
		Unknown: "Absent when it could not be read for stale_after.",
		group:   emitState},
	{Name: "group_coordinator", Kind: Gauge,
		Help:    "The id of the broker that coordinates the group.",
		Unknown: "Absent when no broker said so in the last poll.",
		group:   func(g *Group, s *series) { s.id(g.Coordinator) }},
	{Name: "group_generation", Kind: Gauge,
		Help:    "The group epoch of consumer, share and streams groups, or the generation of classic groups whose members tell it; the last one known of the group's type.",
		Unknown: "Absent before one was known, after a change of the type until one is told, and when the group could not be read for stale_after.",
		group:   func(g *Group, s *series) { s.id(g.Generation) }},
}

// groupTopicRows are of what a group reads of a topic.
var groupTopicRows = []Metric{
	{Name: "group_topic_lag", Kind: Gauge, Unit: "offsets",
		Help:    "Sum of group_partition_lag over the topic's partitions. A part of the truth while group_complete is 0.",
		Unknown: "Absent when no partition's lag is known.",
		joined:  func(t *GroupTopic, s *series) { s.number(t.Lag) }},
	{Name: "group_topic_partitions", Kind: Gauge, more: []string{"state"}, upTo: len(pairStates),
		Help:    "Partitions of the topic by what is known of the group's position: committed (or, in a share group, begun), uncommitted, beyond_end (committed beyond the end: the log was cut or made anew), no_partition (committed where there is no such partition), unread (could not be read).",
		Unknown: "Each partition is counted in exactly one state.",
		joined:  emitStates},
	{Name: "group_topic_uncommitted_offsets", Kind: Gauge, Unit: "offsets",
		Help:    "What there is to read in the partitions where the group has no position, end - start: the lag of a group that starts at the beginning, no lag of one that starts at the end. In no sum.",
		Unknown: "Absent when the group has a position everywhere, or the log could not be read.",
		joined:  func(t *GroupTopic, s *series) { s.number(t.Available) }},
}

// pairRows are of what a group reads of a partition.
var pairRows = []Metric{
	{Name: "group_partition_lag", Kind: Gauge, Unit: "offsets",
		Help:    "How far the group's committed offset is behind the end: max(0, end - max(committed, start)), from a commit and a later end offset of one poll. The end is the last stable offset for groups with isolation read_committed. For a share group it is the lag that the broker tells, which counts what is not done from the share-partition start offset on (KIP-1226).",
		Unknown: "Absent where the group has no position (unless the log is empty: then 0), where the partition does not exist, where the broker does not know a share group's lag, and when it could not be read for stale_after.",
		pair:    func(p *Pair, s *series) { s.quantity(p.Lag) }},
	{Name: "group_partition_committed_offset", Kind: Gauge, Unit: "offsets",
		Help:    "The next offset that the group would read after a restart.",
		Unknown: "Absent where nothing is committed, for share groups, and when it could not be read for stale_after.",
		pair:    func(p *Pair, s *series) { s.quantity(p.Committed) }},
	{Name: "group_partition_share_start_offset", Kind: Gauge, Unit: "offsets",
		Help:    "The share-partition start offset of a share group: everything before it is done. One record that nobody acknowledges holds it back.",
		Unknown: "Absent for other groups, where the share group has no position, and when it could not be read for stale_after.",
		pair:    func(p *Pair, s *series) { s.quantity(p.ShareStart) }},
	{Name: "group_partition_lost_offsets", Kind: Gauge, Unit: "offsets", Optional: true,
		Help:    "Positions that retention removed before the group read them, as of now: max(0, start - committed). It falls back to 0 when the group commits again.",
		Unknown: "Absent where nothing is committed, for share groups, and when it could not be read for stale_after.",
		pair:    func(p *Pair, s *series) { s.quantity(p.Lost) }},
	{Name: "group_partition_owner", Kind: Gauge, more: []string{"client_id", "host"},
		Help:    "Always 1; the labels name the member to which the partition is assigned. Of a streams group it is the member whose active task reads it; in a share group there may be several. While a group rebalances the last known owner stands, for stale_after at most.",
		Unknown: "Absent where no member owns the partition or that is not known.",
		pair:    emitOwners},
}

func emitMembers(g *Group, s *series) {
	if m, ok := g.Members.Get(); ok {
		s.put(float64(len(m.List)))
	}
}

func emitIdle(g *Group, s *series) {
	if m, ok := g.Members.Get(); ok {
		if idle, ok := m.Idle(); ok {
			s.put(float64(idle))
		}
	}
}

func emitGroupInfo(g *Group, s *series) { s.with(g.kind, 1) }

func emitLowered(g *Group, s *series) {
	if g.Detail < g.shown.detail {
		s.with(detailLabels[g.Detail], 1)
	}
}

// The labels of what has few values are made once.
var (
	detailLabels = labelsOf("detail", details[:])
	statesLabels = labelsOf("state", pairStates[:])
	stateLabels  = labelsOf("state", append([]string{"unknown"}, snapshot.GroupStates()...))
)

func labelsOf(name string, values []string) []*page.Labels {
	list := make([]*page.Labels, len(values))
	for i, v := range values {
		list[i] = page.NewLabels(name, v)
	}
	return list
}

func emitState(g *Group, s *series) {
	if g.State == snapshot.StateUnknown {
		return
	}
	for _, state := range statesOf(g.Type) {
		s.with(stateLabels[state], truth(g.State == state))
	}
}

func emitStates(t *GroupTopic, s *series) {
	for state, n := range t.States {
		s.with(statesLabels[state], float64(n))
	}
}

func emitOwners(p *Pair, s *series) {
	list := s.group.Owners(p)
	for i, o := range list {
		// Members of one client are one series.
		if !slices.ContainsFunc(list[:i], func(b *Owner) bool { return b.ClientID == o.ClientID && b.Host == o.Host }) {
			s.with(o.labels, 1)
		}
	}
}

// statesOf lists the states that groups of a type can be in.
func statesOf(t snapshot.GroupType) []snapshot.GroupState {
	switch t {
	case snapshot.TypeClassic:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StatePreparingRebalance, snapshot.StateCompletingRebalance, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeConsumer:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateAssigning, snapshot.StateReconciling, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeShare:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeStreams:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateNotReady, snapshot.StateAssigning, snapshot.StateReconciling, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeUnknown:
	}
	return nil
}
