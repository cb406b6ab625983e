package diagnosis

import (
	"slices"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

var views = slices.Concat(viewsOfReading, viewsOfPositions, viewsOfMembers, viewsOfLag, viewsOfReturn)

func headroom(left, age float64) func(*Partition) {
	return func(p *Partition) {
		falls(100, 50)(p)
		p.Headroom, p.Estimate.LagAge = rates.Of(left), rates.Of(age)
	}
}

// removed is so much that retention removes at a poll; nothing is left.
func removed(lost int64, now bool) func(*Partition) {
	return func(p *Partition) {
		if now {
			p.Lost, p.Lag = lost, snapshot.Known(int64(0))
		}
	}
}

// abandon drops a topic, of which retention takes what is left: a group all of whose real
// partitions had stopped was told that its data is at risk.
func (g *Group) abandon() *Group {
	g.drop()
	p := &g.Partitions[len(g.Partitions)-1]
	headroom(60, 86000)(p)
	p.Estimate.CommitAge = rates.Of(80000)
	return g
}

var viewsOfReading = []view{
	{name: "commits could not be read", of: Unreadable, want: Holds, poll: func(g *Group, _ int) { g.CommitsRead = false }},
	{name: "nothing of it", of: Unreadable, want: Holds, poll: func(g *Group, _ int) { g.CommitsRead, g.MembersRead = false, false }},
	{name: "nothing of the cluster", of: Unreadable, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.Failed, g.CommitsRead, g.MembersRead, g.Problem = true, false, false, "connection refused"
	}},
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
	{name: "of a topic that nobody reads any more", of: DataLost, want: Clear, other: true, headline: StalledGroup, poll: func(g *Group, _ int) {
		g.on(silences).abandon().Partitions[6].Lost = 500
	}},
	{name: "nobody reads any more", of: DataLost, want: Holds, polls: 6, poll: func(g *Group, _ int) { g.leave().on(waits(900)).Partitions[3].Lost = 999 }},
	// The last marker of a transaction, and what aborted ones leave, were data that was lost
	// once retention removed them.
	{name: "a marker", of: DataLost, want: Clear, polls: 6, poll: func(g *Group, poll int) { g.at(tail(1), 2).at(removed(1, poll == 2), 2) }},
	{name: "a tail", of: DataLost, want: Clear, polls: 6, poll: func(g *Group, poll int) { g.at(tail(3), 2).at(removed(3, poll == 2), 2) }},
	{name: "more than a tail", of: DataLost, want: Holds, polls: 6, poll: func(g *Group, poll int) { g.at(tail(11), 2).at(removed(11, poll == 2), 2) }},
	{name: "what arrived after the last commit", of: DataLost, want: Holds, polls: 6, poll: func(g *Group, poll int) { g.at(removed(3, poll == 2), 2) }},
	{name: "a tail", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) {
		g.at(tail(3), 2).at(func(p *Partition) { p.Headroom, p.Estimate.LagAge = rates.Of(1200), rates.Of(600_000) }, 2)
	}},
	{name: "cannot be read", of: DataLost, want: Unknown, polls: 5, other: true, headline: Unreadable, poll: func(g *Group, _ int) { g.CommitsRead = false }},

	{name: "under an hour is left", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) { g.at(headroom(3599, 4000), 2) }},
	{name: "an hour is left", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.at(headroom(3600, 4000), 2) }},
	{name: "retention is short and the group not late", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.at(headroom(900, 900), 2) }},
	{name: "more than half of a short retention is over", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) { g.at(headroom(899, 900), 2) }},
	{name: "how long records are kept is not known", of: DataAtRisk, want: Unknown, poll: func(g *Group, _ int) {
		g.on(headroom(0, 4000)).on(func(p *Partition) { p.Headroom = rates.Value{} })
	}},
	{name: "nor how old they are", of: DataAtRisk, want: Unknown, poll: func(g *Group, _ int) { g.at(headroom(100, 4000), 2).at(ageless, 2) }},
	{name: "how long is not known of one of two", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) {
		g.at(headroom(100, 4000), 1, 2).Partitions[1].Headroom = rates.Value{}
	}},
	{name: "records are kept for ever", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) {
		g.at(headroom(0, 4000), 2).Topics[0].Unlimited = true
		g.Partitions[2].Headroom = rates.Value{}
	}},
	{name: "how long is not known, and it keeps up", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.on(func(p *Partition) { p.Headroom = rates.Value{} }) }},
	{name: "it keeps up", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.on(func(p *Partition) { p.Headroom = rates.Of(1) }) }},
	{name: "not behind for long enough", of: DataAtRisk, want: Clear, poll: func(g *Group, _ int) { g.at(headroom(10, 29), 2) }},
	{name: "nobody reads any more", of: DataAtRisk, want: Holds, polls: 6, poll: func(g *Group, _ int) { g.leave().at(headroom(100, 4000), 2) }},
	{name: "of a topic that nobody reads any more", of: DataAtRisk, want: Clear, other: true, headline: StalledGroup, poll: func(g *Group, _ int) {
		g.on(silences).abandon()
	}},
	{name: "of such a topic, while a rebalance hides who subscribes", of: DataAtRisk, want: Unknown, polls: 6, poll: func(g *Group, _ int) {
		g.abandon().at(moves, 0).Topics[1].Subscribed = snapshot.Maybe[bool]{}
		g.State, g.Assigned = snapshot.StatePreparingRebalance, false
	}},
	{name: "in a rebalance without an end", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) {
		g.on(silences).on(headroom(60, 900)).Topics[0].Subscribed = snapshot.Maybe[bool]{}
		g.State, g.Assigned = snapshot.StatePreparingRebalance, false
	}},
	{name: "of a topic that was read a moment ago", of: DataAtRisk, want: Holds, poll: func(g *Group, _ int) {
		g.abandon().Partitions[6].Estimate.CommitAge = rates.Of(599)
	}},

	{name: "for five minutes", of: OpenTransaction, want: Holds, poll: func(g *Group, _ int) { g.Partitions[4].HeldBack = rates.Of(300) }},
	{name: "not for five minutes", of: OpenTransaction, want: Clear, poll: func(g *Group, _ int) { g.Partitions[4].HeldBack = rates.Of(299) }},
	{name: "it does not wait for any, as far as is known", of: OpenTransaction, want: Unknown, poll: func(*Group, int) {}},
	{name: "none holds it back", of: OpenTransaction, want: Clear, poll: func(g *Group, _ int) { g.Partitions[4].HeldBack = rates.Of(0) }},
	{name: "cannot be read", of: OpenTransaction, want: Unknown, polls: 5, other: true, headline: Unreadable,
		poll: func(g *Group, _ int) { g.CommitsRead = false; g.Partitions[4].HeldBack = rates.Of(300) }},
}
