package collector

import "github.com/lagwatch/lagwatch/rates/ownership"

// groupOwnershipRows are of who owns what in groups, and how often that changed.
var groupOwnershipRows = []Metric{
	{Name: "group_rebalances_total", Kind: Counter, more: []string{"source"}, upTo: int(ownership.Sources),
		Help:    "How often the group was given a new assignment, by what that is known from: generation, of classic groups whose members tell it; epoch, of consumer, share and streams groups, which moves on with the metadata of topics too; observed, of classic groups without a generation: changes of members, assignment or state that polls saw, which is a lower bound.",
		Unknown: "The sources of the group's type are always there, others once they have counted something; 0 when the group is first seen. While a classic group rebalances it shows no generation: what was missed counts when it is shown again.",
		group:   emitRebalances},
	{Name: "group_partitions_moved_total", Kind: Counter,
		Help:    "How many partitions were assigned to another member than their last known one, as polls saw. A static member is the same one when it comes back, and nobody in between is no move. In share groups, how often the set of a partition's members changed.",
		Unknown: "Always there; 0 when the group is first seen. Stands still while assignments are not known.",
		group:   func(g *Group, s *series) { s.put(float64(g.Ownership.Moved)) }},
	{Name: "group_unstable_seconds_total", Kind: Counter, Unit: "seconds",
		Help:    "For how long the group was between two assignments: from each poll that saw it in preparing_rebalance, completing_rebalance, assigning, reconciling or not_ready to the next.",
		Unknown: "Always there; 0 when the group is first seen. Time in which the state was not read for more than stale_after does not count.",
		group:   func(g *Group, s *series) { s.put(g.Ownership.Unstable.Seconds()) }},
	{Name: "group_last_rebalance_timestamp_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "When the poll was that last saw a rebalance, or members or owners that were not as before, as a Unix time; whether group_rebalances_total counts it yet or not.",
		Unknown: "Absent before one was seen.",
		group:   func(g *Group, s *series) { s.after(g.LastRound, float64(g.LastRound.UnixMilli())/1000) }},
	{Name: "group_rewinds_total", Kind: Counter,
		Help:    "How often a committed position was seen to go back, one for each partition.",
		Unknown: "Always there; 0 when the group is first seen. A topic that is created anew begins anew, and is no rewind.",
		group:   func(g *Group, s *series) { s.put(float64(g.Rewinds)) }},
	{Name: "group_skips_total", Kind: Counter,
		Help:    "How often a committed position was seen to be moved on while the group had no member, one for each partition: somebody has reset it. It counts once a member is seen, or after 12 minutes in which the same partition did not move on again: who commits without being a member, as Flink does, resets nothing.",
		Unknown: "Always there; 0 when the group is first seen.",
		group:   func(g *Group, s *series) { s.put(float64(g.Skips)) }},
}

var sourceLabels = labelsOf("source", []string{ownership.Generation.String(), ownership.Epoch.String(), ownership.Observed.String()})

func emitRebalances(g *Group, s *series) {
	for source, n := range g.Ownership.Rebalances {
		if n > 0 || ownership.Source(source).Applies(g.Type) {
			s.with(sourceLabels[source], float64(n))
		}
	}
}
