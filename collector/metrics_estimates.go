package collector

import (
	"github.com/lagwatch/lagwatch/rates"
)

// The units and what is said of several families.
const (
	perSecondUnit = "offsets per second"
	drainFormula  = "lag / (drain - arrival), as long as both rates stay what they are, or, where the group keeps up and the lag is only what came since its last commit, lag / drain, which is until its next; 0 where the lag is 0, +Inf where it is not shrinking"
	lagAgeUnknown = "Absent when nothing is known of it, and where it would be 0 while a partition's age is not known."
	drainsUnknown = "Absent where it is not known of a partition that has a lag, as before both its rates are, or whose lag is not known; unless it is +Inf of another."
)

// logRateRows are of how partitions grow.
var logRateRows = []Metric{
	{Name: "partition_arrival_offsets_per_second", Kind: Gauge, Unit: perSecondUnit,
		Help:    "How fast the end offset advances now, over the longest recent time in which that was steady.",
		Unknown: "Absent until two polls have read the end, and when it could not be read for stale_after.",
		arrival: func(r rates.Value, s *series) { s.estimate(r) }},
}

// groupEstimateRows are of what is estimated of groups as a whole.
var groupEstimateRows = []Metric{
	{Name: "group_lag_age_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long the oldest unread record of the group has been waiting: the greatest group_partition_lag_age_seconds. Where one is not known, at least that long, or as long as polls have seen its record unread; group_estimates_complete is 0 then.",
		Unknown: lagAgeUnknown,
		group:   func(g *Group, s *series) { s.estimate(g.Estimates.LagAge) }},
	{Name: "group_unread_age_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "As group_lag_age_seconds, of what is certainly a record: partitions are left out that have ten unread offsets or less and to which nothing was seen to arrive since the group's last commit there, or since lagwatch started. These may be the markers of transactions, which no group reads or commits. 0 where nothing else is unread. Alerts go by this.",
		Unknown: "As group_lag_age_seconds, of the partitions that are not left out.",
		group:   func(g *Group, s *series) { s.estimate(g.Estimates.UnreadAge) }},
	{Name: "group_drain_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long until the group has caught up everywhere: the greatest over its partitions of " + drainFormula + ".",
		Unknown: drainsUnknown,
		group:   func(g *Group, s *series) { s.estimate(g.Estimates.DrainSeconds) }},
	{Name: "group_drain_low_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "The least that group_drain_seconds may be: the same of the bounds of the rates that fit to what was seen.",
		Unknown: "Known when group_drain_seconds is.",
		group:   func(g *Group, s *series) { s.estimate(g.Estimates.DrainLow) }},
	{Name: "group_drain_high_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "The most that group_drain_seconds may be; +Inf where the lag may not be shrinking.",
		Unknown: "Known when group_drain_seconds is.",
		group:   func(g *Group, s *series) { s.estimate(g.Estimates.DrainHigh) }},
	{Name: "group_estimates_complete", Kind: Gauge,
		Help:    "Whether the estimates are of everything that the group reads: 1 where age and drain time of every partition with a lag are known; 0 where group_lag_age_seconds is only at least that, where group_drain_seconds of a partition is not known, where a lag could not be read for stale_after, or where a limit deletes records and the headroom is not known.",
		Unknown: always,
		group:   func(g *Group, s *series) { s.truth(g.EstimatesComplete()) }},
	{Name: "group_members_needed", Kind: Gauge,
		Help:    "How many members would keep up and drain the lag within group_lag_objective_seconds, from what a member was seen to drain while it was behind. Never more than can be assigned anything, and as many where the lag of one partition alone is too much for a member in that time.",
		Unknown: "Absent where no member was seen behind in the last 24 hours, while assignments, an arrival rate or a lag are not known, where more arrives on one partition than a member can do, and where it is more than the assignor is known to keep busy.",
		group:   func(g *Group, s *series) { s.number(g.MembersNeeded) }},
}

// groupTopicEstimateRows are of what is estimated of groups on a topic.
var groupTopicEstimateRows = []Metric{
	{Name: "group_topic_lag_age_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long the oldest unread record of the topic has been waiting: the greatest group_partition_lag_age_seconds. Where one is not known, at least that long, or as long as polls have seen its record unread.",
		Unknown: lagAgeUnknown,
		joined:  func(t *GroupTopic, s *series) { s.estimate(t.Estimates.LagAge) }},
	{Name: "group_topic_arrival_offsets_per_second", Kind: Gauge, Unit: perSecondUnit,
		Help:    "How fast the topic grows where the group has a position: the sum of the partitions' arrival rates, for groups with isolation read_committed those of the last stable offset.",
		Unknown: "Absent where one of them is not known, or a partition could not be read for stale_after.",
		joined:  func(t *GroupTopic, s *series) { s.estimate(t.Estimates.Arrival) }},
	{Name: "group_topic_drain_offsets_per_second", Kind: Gauge, Unit: perSecondUnit,
		Help:    "How fast the group's committed offsets advance on the topic: the sum of group_partition_drain_offsets_per_second.",
		Unknown: "Absent where one of them is not known, or a partition could not be read for stale_after.",
		joined:  func(t *GroupTopic, s *series) { s.estimate(t.Estimates.Drain) }},
	{Name: "group_topic_drain_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long until the group has caught up on the topic: the greatest over its partitions of " + drainFormula + ".",
		Unknown: drainsUnknown,
		joined:  func(t *GroupTopic, s *series) { s.estimate(t.Estimates.DrainSeconds) }},
	{Name: "group_topic_retention_headroom_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long until the oldest unread record of the topic may be deleted: the least group_partition_retention_headroom_seconds of those that are known.",
		Unknown: "Absent when it is known of no partition.",
		joined:  func(t *GroupTopic, s *series) { s.estimate(t.Estimates.Headroom) }},
}

// pairEstimateRows are of what is estimated of groups on a partition.
var pairEstimateRows = []Metric{
	{Name: "group_partition_lag_age_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long the record at the group's position has been waiting: now - when the log's end passed it, as polls saw that, or as the record's own timestamp says for an older one. 0 where the lag is 0.",
		Unknown: "Absent where the lag is, and where nothing tells when the record arrived. Grows on while the lag is shown that could not be read again.",
		pair:    func(p *Pair, s *series) { s.estimate(p.LagAge) }},
	{Name: "group_partition_drain_offsets_per_second", Kind: Gauge, Unit: perSecondUnit, Optional: true,
		Help:     "How fast the committed offset advances now, between the steps that commits are.",
		Unknown:  "Absent until enough commits were seen, and when the lag could not be read for stale_after.",
		estimate: func(e *PairEstimate, s *series) { s.estimate(e.Drain) }},
	{Name: "group_partition_drain_seconds", Kind: Gauge, Unit: "seconds", Optional: true,
		Help:     "How long until the lag is 0: " + drainFormula + ".",
		Unknown:  "Absent before both rates are known, which takes two commits, or twelve minutes (twelve polls, if that is longer) without one, and when the lag could not be read for stale_after.",
		estimate: func(e *PairEstimate, s *series) { s.estimate(e.DrainSeconds) }},
	{Name: "group_partition_processing_seconds", Kind: Gauge, Unit: "seconds", Optional: true,
		Help:     "How long the owner takes for one offset: 1 / drain rate, while there was a backlog all the time.",
		Unknown:  "Absent where there is no backlog, which shows nothing of the owner's speed, for the owner before, and when the lag could not be read for stale_after.",
		estimate: func(e *PairEstimate, s *series) { s.estimate(e.Processing) }},
	{Name: "group_partition_commit_age_seconds", Kind: Gauge, Unit: "seconds", Optional: true,
		Help:     "How long ago the committed offset was last seen to change.",
		Unknown:  "Absent until it was seen to change once, and when the lag could not be read for stale_after.",
		estimate: func(e *PairEstimate, s *series) { s.estimate(e.CommitAge) }},
	{Name: "group_partition_retention_headroom_seconds", Kind: Gauge, Unit: "seconds", Optional: true,
		Help:     "How long until the record at the group's position may be deleted: retention.ms - lag age, or, with retention.bytes, the time in which the log's start gets there at its present speed, whichever is less. 0 where this poll has told that unread records were deleted.",
		Unknown:  "Absent where nothing is unread, where neither cleanup.policy nor a limit deletes, where the lag age or that speed is not known, and without permission to read the topic's settings.",
		estimate: func(e *PairEstimate, s *series) { s.estimate(e.Headroom) }},
	{Name: "group_partition_lost_offsets_total", Kind: Counter, Unit: "offsets", Optional: true,
		Help:     "Positions that retention removed before the group read them, as far as polls saw: by how far the log's start has gone on beyond the committed offset, once the next poll finds the group still before it, or they were due by retention. What an application deletes after it has read it does not count, nor where the topic's policy does not delete.",
		Unknown:  "Absent where group_partition_lost_offsets is; begins with 0 when the pair is first seen, and anew with a topic that is created anew.",
		estimate: func(e *PairEstimate, s *series) { s.quantity(e.Lost) }},
}

// estimate puts what is known.
func (s *series) estimate(v rates.Value) {
	if n, ok := v.Get(); ok {
		s.put(n)
	}
}
