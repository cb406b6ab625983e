package diagnosis

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

func waits(seconds float64) func(*Partition) {
	return func(p *Partition) {
		falls(100, 0)(p)
		p.Estimate.Waiting, p.Estimate.CommitAge = rates.Of(seconds), rates.Of(seconds)
	}
}

func commitsEvery(seconds float64) func(*Partition) {
	return func(p *Partition) { p.Estimate.Usual = rates.Of(seconds) }
}

// ageless has no age: as after a restart of lagwatch that may not ask for records' times.
func ageless(p *Partition) { p.Estimate.LagAge = rates.Value{} }

func unusual(p *Partition) { p.Estimate.Usual = rates.Value{} }

func storm(rounds, moved int, unstable, since time.Duration) func(*Group, int) {
	return func(g *Group, _ int) {
		g.Ownership = ownership.Recent{Known: true, Window: 10 * time.Minute, Rounds: rounds, Moved: moved, Unstable: unstable, Since: since}
	}
}

var viewsOfMembers = []view{
	{name: "longer than usual", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(waits(88)).on(commitsEvery(60)) }},
	{name: "not longer than usual", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) { g.leave().on(waits(87)).on(commitsEvery(60)) }},
	{name: "a deployment takes half a minute, whatever is usual", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) { g.leave().on(waits(30)) }},
	{name: "and no more", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(waits(31)) }},
	{name: "never had members, and has a usual pause", of: NoConsumers, want: Holds, polls: 8, fresh: true, poll: func(g *Group, _ int) { g.leave().on(waits(31)).ProtocolType = "" }},
	// Regression: of a job with a checkpoint each three minutes and few records, nobody was
	// said to be there between one and the next: what arrives late shows a short pause.
	{name: "never had members, and a sparse partition shows a part of the pause", of: NoConsumers, want: Clear, fresh: true, poll: func(g *Group, _ int) {
		g.leave().on(waits(150)).on(commitsEvery(180)).at(commitsEvery(20), 1, 2).ProtocolType = ""
	}},
	{name: "had members, and one of its partitions is committed more often", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) {
		g.leave().on(waits(150)).on(commitsEvery(180)).at(commitsEvery(20), 1, 2)
	}},
	{name: "for half a minute where nothing is usual", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(waits(31)).on(unusual) }},
	{name: "not for half a minute", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) { g.leave().on(waits(30)).on(unusual) }},
	{name: "since when is not known", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(waits(88)).on(ageless) }},
	{name: "since when is known of some", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(waits(88)).at(ageless, 1, 2) }},
	{name: "never had members", of: NoConsumers, want: Unknown, polls: 8, fresh: true, poll: func(g *Group, _ int) { g.leave().on(waits(720)).on(unusual).ProtocolType = "" }},
	{name: "never had members, for twelve minutes", of: NoConsumers, want: Holds, polls: 8, fresh: true, poll: func(g *Group, _ int) {
		g.leave().on(waits(721)).on(unusual).ProtocolType = ""
	}},
	{name: "a marker is no lag", of: NoConsumers, want: Clear, poll: func(g *Group, _ int) {
		g.leave().on(waits(900)).on(func(p *Partition) { p.Lag, p.Arrival = snapshot.Known(int64(1)), rates.Of(0) })
	}},
	{name: "nothing to read", of: NoConsumers, want: Clear, polls: 10, poll: func(g *Group, _ int) { g.leave().on(idles) }},
	{name: "nothing to read, but expected", of: NoConsumers, want: Holds, polls: 10, poll: func(g *Group, _ int) { g.leave().on(idles).Expected = true }},
	// Regression: where one partition had stood still for long, as on an abandoned topic, each
	// redeploy was an outage after two polls.
	{name: "for three polls only, and a partition stood still before", of: NoConsumers, want: Clear, polls: 3, poll: func(g *Group, _ int) { g.leave().on(moves).at(waits(900), 3) }},
	// Regression: that nothing waits for it was said beside all that it has no position for.
	{name: "expected, and its commits are gone", of: NoConsumers, want: Clear, polls: 10, other: true, headline: CommitsVanished, poll: func(g *Group, _ int) {
		g.leave().on(uncommits).Expected = true
	}},
	{name: "a share group", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().retype(snapshot.TypeShare).on(waits(60)) }},
	{name: "members are not known", of: NoConsumers, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(waits(900)).Members = snapshot.Maybe[[]Member]{} }},

	{name: "unstable for a minute", of: Rebalancing, want: Holds, poll: storm(1, 0, time.Minute, time.Minute)},
	{name: "not for a minute", of: Rebalancing, want: Clear, poll: storm(1, 0, time.Minute, time.Minute-1)},
	{name: "ninety seconds of ten minutes", of: Rebalancing, want: Holds, poll: storm(4, 6, 90*time.Second, 0)},
	{name: "not ninety", of: Rebalancing, want: Clear, poll: storm(4, 6, 90*time.Second-1, 0)},
	{name: "no more than three polls happened on it", of: Rebalancing, want: Clear, poll: func(g *Group, poll int) {
		storm(4, 6, 111*time.Second, 0)(g, poll)
		g.Interval = 37 * time.Second
	}},
	// Regression: where each poll of some happened on another short rebalance, it was said
	// that one went on without an end and nobody committed, though positions moved on.
	{name: "rare polls happen on one after the other", of: Rebalancing, want: Clear, poll: func(g *Group, poll int) {
		g.Interval = 57 * time.Second
		storm(6, 6, time.Duration(poll+1)*g.Interval, time.Duration(poll+1)*g.Interval)(g, poll)
		g.on(moves)
	}},
	{name: "rare polls, of which none sees a position move on", of: Rebalancing, want: Holds, poll: func(g *Group, poll int) {
		g.Interval = 57 * time.Second
		storm(6, 6, time.Duration(poll+1)*g.Interval, time.Duration(poll+1)*g.Interval)(g, poll)
	}},
	{name: "without an end, and positions move on", of: Rebalancing, want: Holds, polls: 8, poll: func(g *Group, poll int) {
		storm(0, 0, time.Duration(poll+1)*g.Interval, time.Duration(poll+1)*g.Interval)(g, poll)
		g.on(moves)
	}},
	{name: "rare polls for longer than restarts explain", of: Rebalancing, want: Holds, polls: 7, poll: func(g *Group, poll int) {
		g.Interval = 57 * time.Second
		storm(6, 6, time.Duration(poll+1)*g.Interval, 0)(g, poll)
		g.on(moves)
	}},
	{name: "partitions move about", of: Rebalancing, want: Holds, poll: storm(9, 24, time.Minute, 0)},
	{name: "not as many", of: Rebalancing, want: Clear, poll: storm(9, 23, time.Minute, 0)},
	{name: "a rolling restart", of: Rebalancing, want: Clear, poll: storm(8, 24, time.Minute, 0)},
	{name: "owners could not be followed", of: Rebalancing, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.Ownership = ownership.Recent{} }},

	{name: "three polls", of: UnownedPartitions, want: Holds, polls: 3, poll: func(g *Group, _ int) { g.Partitions[2].Owner = -1 }},
	{name: "since when is not known", of: UnownedPartitions, want: Holds, polls: 3, poll: func(g *Group, _ int) { g.on(ageless).Partitions[2].Owner = -1 }},
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
	{name: "one beyond what range gives", of: IdleMembers, want: Holds, poll: func(g *Group, _ int) { g.crowd(5).room(4, 4, 12).Partitions[4].Owner = 0; g.idle(4) }},
	{name: "tasks may be fewer than partitions", of: IdleMembers, want: Unknown, polls: 6, poll: func(g *Group, _ int) { g.crowd(6).room(4, 8, 8).idle(5) }},
	{name: "they cannot be more", of: IdleMembers, want: Holds, poll: func(g *Group, _ int) { g.crowd(7).room(4, 6, 6) }},
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

// room says how many members can be assigned anything, of so many partitions.
func (g *Group) room(least, most, partitions int) *Group {
	g.Room = snapshot.Known(ownership.Room{Least: least, Most: most, Partitions: partitions})
	return g
}

// idle takes what a member owns.
func (g *Group) idle(member int) {
	members, _ := g.Members.Get()
	members[member].Partitions = 0
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
