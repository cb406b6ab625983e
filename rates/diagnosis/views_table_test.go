package diagnosis

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

var views = append(append(append(viewsOfReading, viewsOfPositions...), viewsOfMembers...), viewsOfLag...)

func headroom(left, age float64) func(*Partition) {
	return func(p *Partition) {
		falls(100, 50)(p)
		p.Headroom, p.Estimate.LagAge = rates.Of(left), rates.Of(age)
	}
}

var viewsOfReading = []view{
	{name: "commits could not be read", of: Unreadable, want: Holds, poll: func(g *Group, _ int) { g.CommitsRead = false }},
	{name: "neither members nor state", of: Unreadable, want: Holds, poll: func(g *Group, _ int) {
		g.MembersRead, g.State, g.Members = false, snapshot.StateUnknown, snapshot.Maybe[[]Member]{}
	}},
	{name: "no members, but a state", of: Unreadable, want: Clear, poll: func(g *Group, _ int) { g.MembersRead, g.Members = false, snapshot.Maybe[[]Member]{} }},
	{name: "no single partition", of: Unreadable, want: Holds, poll: func(g *Group, _ int) { g.on(func(p *Partition) { p.Position = Unread }) }},
	{name: "one topic is refused", of: Unreadable, want: Clear, poll: func(g *Group, _ int) { g.at(func(p *Partition) { p.Position = Unread }, 0, 1, 2, 3, 4) }},
	{name: "one poll only", of: Unreadable, want: Clear, polls: 1, poll: func(g *Group, _ int) { g.CommitsRead = false }},
	{name: "what needs positions is unknown", of: UnderCapacity, want: Unknown, polls: 5, other: true, headline: Unreadable,
		poll: func(g *Group, _ int) { g.CommitsRead = false }},

	{name: "in this window", of: DataLost, want: Holds, polls: 60, poll: func(g *Group, poll int) {
		if poll == 0 {
			g.Partitions[3].Lost = 999
		}
	}},
	{name: "before the window", of: DataLost, want: Clear, polls: 64, poll: func(g *Group, poll int) {
		if poll == 0 {
			g.Partitions[3].Lost = 999
		}
	}},
	{name: "cannot be read", of: DataLost, want: Unknown, polls: 5, other: true, headline: Unreadable, poll: func(g *Group, _ int) { g.CommitsRead = false }},

	{name: "under an hour is left", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) { g.at(headroom(3599, 4000), 2) }},
	{name: "an hour is left", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.at(headroom(3600, 4000), 2) }},
	{name: "retention is short and the group not late", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.at(headroom(900, 900), 2) }},
	{name: "more than half of a short retention is over", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) { g.at(headroom(899, 900), 2) }},
	{name: "it keeps up", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.on(func(p *Partition) { p.Headroom = rates.Of(1) }) }},
	{name: "not behind for long enough", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.at(headroom(10, 29), 2) }},
	{name: "nobody reads any more", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) { g.leave().at(headroom(100, 4000), 2) }},

	{name: "for five minutes", of: OpenTransaction, want: Holds, poll: func(g *Group, _ int) { g.Partitions[4].HeldBack = rates.Of(300) }},
	{name: "not for five minutes", of: OpenTransaction, want: Clear, poll: func(g *Group, _ int) { g.Partitions[4].HeldBack = rates.Of(299) }},
	{name: "cannot be read", of: OpenTransaction, want: Unknown, polls: 5, other: true, headline: Unreadable,
		poll: func(g *Group, _ int) { g.CommitsRead = false; g.Partitions[4].HeldBack = rates.Of(300) }},
}

var viewsOfPositions = []view{
	{name: "the cluster does not have it", of: CommitsVanished, want: Holds, poll: func(g *Group, _ int) {
		*g = Group{ID: g.ID, Interval: g.Interval, Expected: true, Missing: true}
	}},
	{name: "all else is unknown then", of: NoConsumers, want: Unknown, polls: 5, other: true, headline: CommitsVanished, poll: func(g *Group, _ int) {
		*g = Group{ID: g.ID, Interval: g.Interval, Expected: true, Missing: true}
	}},
	{name: "all commits are gone", of: CommitsVanished, want: Holds, poll: func(g *Group, _ int) { g.Expected = true; g.on(uncommits) }},
	{name: "one is left", of: CommitsVanished, want: Clear, poll: func(g *Group, _ int) { g.Expected = true; g.at(uncommits, 1, 2, 3, 4, 5) }},
	{name: "one could not be read", of: CommitsVanished, want: Clear, poll: func(g *Group, _ int) {
		g.Expected = true
		g.at(uncommits, 1, 2, 3, 4, 5).Partitions[0].Position = Unread
	}},
	{name: "nobody said that it must be there", of: CommitsVanished, want: Clear, poll: func(g *Group, _ int) { g.on(uncommits) }},
	{name: "a new group has a minute to commit", of: CommitsVanished, want: Clear, fresh: true, polls: 6, poll: func(g *Group, _ int) { g.Expected = true; g.on(uncommits) }},
	{name: "and no more", of: CommitsVanished, want: Holds, fresh: true, polls: 8, poll: func(g *Group, _ int) { g.Expected = true; g.on(uncommits) }},
	{name: "an empty group without commits", of: CommitsVanished, want: Holds, fresh: true, poll: func(g *Group, _ int) {
		g.leave().Partitions, g.Expected = nil, true
	}},
	{name: "cannot be read", of: CommitsVanished, want: Unknown, polls: 5, other: true, headline: Unreadable, poll: func(g *Group, _ int) { g.Expected, g.CommitsRead = true, false }},

	{name: "for a minute", of: NeverCommitted, want: Holds, fresh: true, polls: 8, poll: func(g *Group, _ int) { g.on(uncommits) }},
	{name: "not for a minute", of: NeverCommitted, want: Clear, fresh: true, polls: 6, poll: func(g *Group, _ int) { g.on(uncommits) }},
	{name: "it had commits", of: NeverCommitted, want: Clear, polls: 20, poll: func(g *Group, _ int) { g.on(uncommits) }},
	{name: "one partition has a commit", of: NeverCommitted, want: Clear, fresh: true, polls: 20, poll: func(g *Group, _ int) { g.at(uncommits, 1, 2, 3, 4, 5) }},
	{name: "the log is empty", of: NeverCommitted, want: Clear, fresh: true, polls: 20, poll: func(g *Group, _ int) {
		g.on(uncommits).on(func(p *Partition) { p.Available = snapshot.Known(int64(0)) })
	}},
	{name: "who owns what is not known", of: NeverCommitted, want: Unknown, fresh: true, polls: 20, poll: func(g *Group, _ int) { g.on(uncommits).Assigned = false }},

	{name: "in this window", of: Rewound, want: Holds, polls: 60, poll: func(g *Group, poll int) {
		if poll == 0 {
			g.at(func(p *Partition) { p.From, p.To = snapshot.Known(int64(900)), snapshot.Known(int64(200)) }, 1, 2)
		}
	}},
	{name: "before the window", of: Rewound, want: Clear, polls: 64, poll: func(g *Group, poll int) {
		if poll == 0 {
			g.at(func(p *Partition) { p.From, p.To = snapshot.Known(int64(900)), snapshot.Known(int64(200)) }, 1, 2)
		}
	}},
	{name: "it moved on", of: Rewound, want: Clear, poll: func(g *Group, _ int) { g.on(moves) }},

	{name: "for ten minutes", of: AbandonedTopic, want: Holds, poll: func(g *Group, _ int) { g.drop().Partitions[6].Estimate.CommitAge = rates.Of(600) }},
	{name: "not for ten minutes: it is unowned", of: AbandonedTopic, want: Clear, other: true, headline: UnownedPartitions,
		poll: func(g *Group, _ int) { g.drop().Partitions[6].Estimate.CommitAge = rates.Of(599) }},
	{name: "somebody may subscribe", of: AbandonedTopic, want: Clear, other: true, headline: UnownedPartitions, poll: func(g *Group, _ int) {
		g.drop().Topics[1].Subscribed = snapshot.Maybe[bool]{}
	}},
	{name: "not watched for ten minutes", of: AbandonedTopic, want: Unknown, fresh: true, poll: func(g *Group, _ int) { g.drop() }},
	{name: "watched for ten minutes", of: AbandonedTopic, want: Holds, fresh: true, polls: 63, poll: func(g *Group, _ int) { g.drop() }},
	{name: "nobody is a member", of: AbandonedTopic, want: Clear, poll: func(g *Group, _ int) {
		g.drop().leave().Partitions[6].Estimate.CommitAge = rates.Of(600)
	}},
}

// drop adds a topic to which nobody subscribes any more, with a lag.
func (g *Group) drop() *Group {
	g.Topics = append(g.Topics, Topic{Name: "returns", Subscribed: snapshot.Known(false)})
	p := keepsUp(0, -1)
	silences(&p)
	p.Topic, p.Estimate.CommitAge = 1, rates.Value{}
	g.Partitions = append(g.Partitions, p)
	return g
}

func waits(seconds float64) func(*Partition) {
	return func(p *Partition) {
		falls(100, 0)(p)
		p.Estimate.Waiting, p.Estimate.CommitAge = rates.Of(seconds), rates.Of(seconds)
	}
}

func unusual(p *Partition) { p.Estimate.Usual = rates.Value{} }

func storm(rounds, moved int, unstable, since time.Duration) func(*Group, int) {
	return func(g *Group, _ int) {
		g.Ownership = ownership.Recent{Known: true, Window: 10 * time.Minute, Rounds: rounds, Moved: moved, Unstable: unstable, Since: since}
	}
}

var viewsOfMembers = []view{
	{name: "longer than usual", of: NoConsumers, want: Holds, poll: func(g *Group, _ int) { g.leave().on(waits(28)) }},
	{name: "not longer than usual", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) { g.leave().on(waits(27)) }},
	{name: "for half a minute where nothing is usual", of: NoConsumers, want: Holds, poll: func(g *Group, _ int) { g.leave().on(waits(31)).on(unusual) }},
	{name: "not for half a minute", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) { g.leave().on(waits(30)).on(unusual) }},
	{name: "never had members", of: NoConsumers, want: Unknown, fresh: true, poll: func(g *Group, _ int) { g.leave().on(waits(720)).on(unusual).ProtocolType = "" }},
	{name: "never had members, for twelve minutes", of: NoConsumers, want: Holds, fresh: true, poll: func(g *Group, _ int) {
		g.leave().on(waits(721)).on(unusual).ProtocolType = ""
	}},
	{name: "a marker is no lag", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) {
		g.leave().on(waits(900)).on(func(p *Partition) { p.Lag, p.Arrival = snapshot.Known(int64(1)), rates.Of(0) })
	}},
	{name: "nothing to read", of: NoConsumers, want: Clear, polls: 10, poll: func(g *Group, _ int) { g.leave().on(idles) }},
	{name: "nothing to read, but expected", of: NoConsumers, want: Holds, polls: 10, poll: func(g *Group, _ int) { g.leave().on(idles).Expected = true }},
	{name: "a share group", of: NoConsumers, want: Holds, poll: func(g *Group, _ int) { g.leave().retype(snapshot.TypeShare).on(waits(60)) }},
	{name: "members are not known", of: NoConsumers, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(waits(900)).Members = snapshot.Maybe[[]Member]{} }},

	{name: "unstable for a minute", of: Rebalancing, want: Holds, poll: storm(1, 0, time.Minute, time.Minute)},
	{name: "not for a minute", of: Rebalancing, want: Clear, poll: storm(1, 0, time.Minute, time.Minute-1)},
	{name: "ninety seconds of ten minutes", of: Rebalancing, want: Holds, poll: storm(4, 6, 90*time.Second, 0)},
	{name: "not ninety", of: Rebalancing, want: Clear, poll: storm(4, 6, 90*time.Second-1, 0)},
	{name: "partitions move about", of: Rebalancing, want: Holds, poll: storm(9, 24, time.Minute, 0)},
	{name: "not as many", of: Rebalancing, want: Clear, poll: storm(9, 23, time.Minute, 0)},
	{name: "a rolling restart", of: Rebalancing, want: Clear, poll: storm(8, 24, time.Minute, 0)},
	{name: "owners could not be followed", of: Rebalancing, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.Ownership = ownership.Recent{} }},

	{name: "three polls", of: UnownedPartitions, want: Holds, polls: 3, poll: func(g *Group, _ int) { g.Partitions[2].Owner = -1 }},
	{name: "two polls", of: UnownedPartitions, want: Clear, polls: 2, poll: func(g *Group, _ int) { g.Partitions[2].Owner = -1 }},
	{name: "nothing to read there", of: UnownedPartitions, want: Clear, poll: func(g *Group, _ int) { g.at(idles, 2).Partitions[2].Owner = -1 }},
	{name: "a share group", of: UnownedPartitions, want: Clear, poll: func(g *Group, _ int) { g.retype(snapshot.TypeShare).Partitions[2].Owner = -1 }},
	{name: "a streams group", of: UnownedPartitions, want: Holds, poll: func(g *Group, _ int) { g.retype(snapshot.TypeStreams).Partitions[2].Owner = -1 }},
	{name: "while it rebalances", of: UnownedPartitions, want: Unknown, polls: 6, poll: func(g *Group, _ int) {
		g.State, g.Partitions[2].Owner = snapshot.StatePreparingRebalance, -1
	}},
	{name: "owners are not known", of: UnownedPartitions, want: Unknown, polls: 6, poll: func(g *Group, _ int) {
		g.Assigned = false
		g.on(func(p *Partition) { p.Owner = -1 })
	}},

	{name: "one beyond the partitions", of: IdleMembers, want: Holds, poll: func(g *Group, _ int) { g.crowd(7) }},
	{name: "as many as partitions", of: IdleMembers, want: Clear, poll: func(g *Group, _ int) { g.crowd(6) }},
	{name: "a share group", of: IdleMembers, want: Clear, poll: func(g *Group, _ int) { g.crowd(7).retype(snapshot.TypeShare) }},
	{name: "who owns what is not known", of: IdleMembers, want: Unknown, polls: 6, poll: func(g *Group, _ int) { g.crowd(7).Assigned = false }},

	{name: "two polls saw commits", of: Standalone, want: Holds, fresh: true, poll: func(g *Group, poll int) {
		g.leave().ProtocolType = ""
		g.at(moves, 0)
	}},
	{name: "one did", of: Standalone, want: Clear, fresh: true, poll: func(g *Group, poll int) {
		if g.leave().ProtocolType = ""; poll == 1 {
			g.at(moves, 0)
		}
	}},
	{name: "somebody has reset a group that had members", of: Standalone, want: Clear, poll: func(g *Group, poll int) {
		if g.leave(); poll == 1 {
			g.on(moves)
		}
	}},
	{name: "the last commit is five minutes ago", of: Standalone, want: Holds, fresh: true, polls: 34, poll: func(g *Group, poll int) {
		if g.leave().ProtocolType = ""; poll < 4 {
			g.at(moves, 0)
		}
	}},
	{name: "it is longer ago", of: Standalone, want: Clear, fresh: true, polls: 40, poll: func(g *Group, poll int) {
		if g.leave().ProtocolType = ""; poll < 4 {
			g.at(moves, 0)
		}
	}},
	{name: "members are not known", of: Standalone, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.Members = snapshot.Maybe[[]Member]{} }},
}

// crowd makes so many members of the group, of which each owns one partition at most.
func (g *Group) crowd(n int) *Group {
	members := make([]Member, n)
	for i := range members {
		members[i] = Member{ID: string(rune('a' + i)), ClientID: "c", Partitions: 0}
		if i < len(g.Partitions) {
			members[i].Partitions, g.Partitions[i].Owner = 1, int32(i)
		}
	}
	g.Members = snapshot.Known(members)
	return g
}

func marker(p *Partition) {
	silences(p)
	p.Lag, p.Arrival = snapshot.Known(int64(1)), rates.Of(0)
}

// slower makes the members drain less of what arrives as before.
func slower(g *Group, _ int) { g.on(falls(100, 60)) }

var viewsOfLag = []view{
	{name: "all has stopped", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) { g.on(silences) }},
	{name: "some has nothing to read", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) { g.on(idles).at(silences, 0, 1, 2) }},
	{name: "one still commits", of: StalledGroup, want: Clear, poll: func(g *Group, _ int) { g.at(silences, 0, 1, 2, 4, 5) }, other: true, headline: StalledMember},
	{name: "a group with one partition", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) { g.on(silences).Partitions = g.Partitions[:1] }},
	{name: "a group with one member", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) {
		g.crowd(1).on(func(p *Partition) { silences(p); p.Owner = 0 })
	}},
	{name: "the rest may stop", of: StalledGroup, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.on(func(p *Partition) { p.Estimate.CommitAge = rates.Of(190) }).at(silences, 0, 1, 2)
	}},
	{name: "markers only", of: StalledGroup, want: Clear, poll: func(g *Group, _ int) { g.on(marker) }},
	{name: "nobody is a member", of: StalledGroup, want: Clear, other: true, headline: NoConsumers, poll: func(g *Group, _ int) { g.leave().on(silences) }},
	{name: "members are not known", of: StalledGroup, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(silences).Members = snapshot.Maybe[[]Member]{} }},
	{name: "others tell what is usual", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) {
		g.on(silences).at(func(p *Partition) {
			p.Estimate.Stopped, p.Estimate.Usual, p.Estimate.Waiting = false, rates.Value{}, rates.Of(28)
		}, 0)
	}},

	{name: "both of its partitions", of: StalledMember, want: Holds, poll: func(g *Group, _ int) { g.at(silences, 1, 4) }},
	{name: "one of both", of: StalledMember, want: Clear, poll: func(g *Group, _ int) { g.at(silences, 1) }, other: true, headline: StalledPartition},
	{name: "its only one", of: StalledMember, want: Holds, poll: func(g *Group, _ int) { g.crowd(6).at(silences, 1) }},
	{name: "the other may stop", of: StalledMember, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.at(silences, 1).at(func(p *Partition) { p.Estimate.CommitAge = rates.Of(190) }, 4)
	}},

	{name: "its owner goes on", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.at(silences, 3) }},
	{name: "its owner has nothing else to read", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.on(idles).at(silences, 3) }},
	{name: "a marker", of: StalledPartition, want: Clear, poll: func(g *Group, _ int) { g.at(marker, 3) }},
	{name: "two offsets", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) {
		g.at(marker, 3).Partitions[3].Lag = snapshot.Known(int64(2))
	}},
	{name: "one offset and more to come", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.at(marker, 3).Partitions[3].Arrival = rates.Of(0.1) }},
	{name: "who owns what is not known", of: StalledPartition, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.at(silences, 3).on(func(p *Partition) { p.Owner = -1 }).Assigned = false
	}},

	{name: "twice the median", of: HotPartition, want: Holds, poll: func(g *Group, _ int) { g.at(falls(200, 150), 3) }},
	{name: "less than that", of: HotPartition, want: Clear, poll: func(g *Group, _ int) { g.at(falls(199, 150), 3) }, other: true, headline: UnderCapacity},
	{name: "its owner falls behind on another too", of: HotPartition, want: Holds, poll: func(g *Group, _ int) { g.at(falls(400, 150), 3).at(falls(100, 90), 0) }},
	{name: "and another member does", of: HotPartition, want: Clear, poll: func(g *Group, _ int) { g.at(falls(400, 150), 3).at(falls(150, 120), 1, 4) }, other: true, headline: UnderCapacity},
	{name: "it was as hot and no trouble", of: HotPartition, want: Clear, other: true, headline: SlowMember, poll: func(g *Group, _ int) {
		g.at(falls(400, 50), 3).Partitions[3].Before = rates.Usual{Arrival: rates.Of(400), Drain: rates.Of(400)}
	}},
	{name: "nobody is a member", of: HotPartition, want: Holds, fresh: true, other: true, headline: HotPartition, poll: func(g *Group, _ int) {
		g.leave().at(falls(400, 150), 3).at(moves, 0).ProtocolType = ""
	}},
	{name: "most is not known yet", of: HotPartition, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.at(falls(400, 150), 3).at(undecides, 1, 2) }},
	{name: "not behind for half a minute", of: HotPartition, want: Clear, poll: func(g *Group, _ int) {
		g.at(falls(400, 150), 3).Partitions[3].Estimate.LagAge = rates.Of(29)
	}},
	{name: "behind for half a minute", of: HotPartition, want: Holds, poll: func(g *Group, _ int) {
		g.at(falls(400, 150), 3).Partitions[3].Estimate.LagAge = rates.Of(30)
	}},

	{name: "one of three", of: SlowMember, want: Holds, poll: func(g *Group, _ int) { g.at(falls(100, 40), 1, 4) }},
	{name: "what was before is not known", of: SlowMember, want: Holds, fresh: true, poll: func(g *Group, _ int) {
		g.at(falls(100, 40), 1, 4).on(func(p *Partition) { p.Before = rates.Usual{} })
	}},
	{name: "it does more than the others", of: SlowMember, want: Clear, other: true, headline: UnderCapacity, poll: func(g *Group, _ int) { g.at(falls(180, 120), 1, 4) }},
	{name: "two of three", of: SlowMember, want: Clear, other: true, headline: SlowDependency, poll: func(g *Group, _ int) { g.at(falls(100, 40), 1, 4, 2, 5) }},
	{name: "it has more partitions than others", of: SlowMember, want: Clear, other: true, headline: UnderCapacity, poll: func(g *Group, _ int) {
		g.Partitions[5].Owner = 1
		g.at(falls(100, 75), 1, 4, 5)
		members, _ := g.Members.Get()
		members[1].Partitions, members[2].Partitions = 3, 1
	}},
	{name: "who owns what is not known", of: SlowMember, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.at(falls(100, 40), 1, 4).Assigned = false }},

	{name: "everywhere", of: SlowDependency, want: Holds, poll: slower},
	{name: "a tenth less", of: SlowDependency, want: Holds, poll: func(g *Group, _ int) { g.on(falls(100, 89.9)) }},
	{name: "hardly less", of: SlowDependency, want: Clear, poll: func(g *Group, _ int) { g.on(falls(100, 90)) }, other: true, headline: UnderCapacity},
	{name: "arrivals grew by more than drains fell", of: SlowDependency, want: Clear, poll: func(g *Group, _ int) { g.on(falls(115, 88)) }, other: true, headline: UnderCapacity},
	{name: "arrivals grew by a quarter", of: SlowDependency, want: Holds, poll: func(g *Group, _ int) { g.on(falls(125, 60)) }},
	{name: "arrivals grew by more", of: SlowDependency, want: Clear, poll: func(g *Group, _ int) { g.on(falls(126, 60)) }, other: true, headline: UnderCapacity},
	{name: "what was before is not known", of: SlowDependency, want: Unknown, polls: 6, other: true, headline: UnderCapacity, poll: func(g *Group, poll int) {
		g.on(falls(100, 60)).on(func(p *Partition) { p.Before = rates.Usual{} })
	}},
	{name: "a third of the members has left", of: SlowDependency, want: Clear, other: true, headline: UnderCapacity, poll: func(g *Group, _ int) {
		g.on(falls(100, 65)).on(func(p *Partition) { p.Owner %= 2 })
		members, _ := g.Members.Get()
		members = members[:2]
		members[0].Partitions, members[1].Partitions = 4, 2
		g.Members = snapshot.Known(members)
	}},

	{name: "arrivals grew", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(200, 140)) }},
	{name: "a stable backlog", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(100, 100)) }},
	{name: "stopped is not falling", of: UnderCapacity, want: Clear, poll: func(g *Group, _ int) { g.on(silences) }, other: true, headline: StalledGroup},
	{name: "not known yet", of: UnderCapacity, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(undecides) }},

	{name: "all that is behind shrinks", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) { g.at(shrinks, 0, 1) }},
	{name: "one does not", of: CatchingUp, want: Clear, poll: func(g *Group, _ int) { g.at(shrinks, 0).at(falls(100, 90), 1) }, other: true, headline: SlowMember},
	{name: "one has stopped", of: CatchingUp, want: Clear, poll: func(g *Group, _ int) { g.at(shrinks, 0).at(silences, 1) }, other: true, headline: StalledPartition},
	{name: "one is not known", of: CatchingUp, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.at(shrinks, 0).at(undecides, 1) }},
	{name: "not old yet", of: CatchingUp, want: Clear, poll: func(g *Group, _ int) {
		g.at(shrinks, 0).Partitions[0].Estimate.LagAge = rates.Of(29)
	}},
	{name: "older than anybody knows", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) {
		g.at(shrinks, 0).Partitions[0].Estimate.LagAge = rates.Value{}
	}},
	{name: "a drain time that nobody lives to see", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) {
		g.at(shrinks, 0).Partitions[0].Estimate.DrainHigh = rates.Of(math.Inf(1))
	}},
}
