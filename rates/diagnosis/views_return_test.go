package diagnosis

import "github.com/lagwatch/lagwatch/internal/snapshot"

// comesBack is a partition on which a commit ended a silence in this poll.
func comesBack(p *Partition) { p.Estimate.Resumed = true }

// What is said of a group that just came back.
var viewsOfReturn = []view{
	// After each outage of a group that commits once a minute what it drained in the outage
	// was its drain: all its members were slow.
	{name: "it just came back", of: SlowDependency, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(falls(100, 1)).on(comesBack) }},
	// So it was after a redeploy, where the silence was not unusually long.
	{name: "owners changed before its second commit", of: SlowDependency, want: Clear, poll: first(1, func(g *Group) { g.State = snapshot.StatePreparingRebalance }, slower)},
	{name: "owners changed before that", of: SlowDependency, want: Holds, polls: 7, poll: first(1, func(g *Group) { g.State = snapshot.StatePreparingRebalance }, slower)},
	{name: "one just came back", of: SlowMember, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.at(falls(100, 1), 1, 4).at(comesBack, 1, 4) }},
	{name: "others wait for their turn of one that just came back", of: StalledPartition, want: Clear, poll: func(g *Group, _ int) {
		g.at(falls(100, 1), 1).at(comesBack, 1).at(silences, 4)
	}},
	{name: "who waits for a turn of one that just came back", of: SlowMember, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.at(falls(100, 1), 1).at(comesBack, 1).at(silences, 4)
	}},
	{name: "the others catch up", of: SlowMember, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.on(shrinks).at(falls(100, 60), 1, 4)
	}},
}
