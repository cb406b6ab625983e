package diagnosis

import (
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

var viewsOfPositions = []view{
	{name: "the cluster does not have it", of: CommitsVanished, want: Holds, poll: func(g *Group, _ int) {
		*g = Group{ID: g.ID, Interval: g.Interval, Expected: true, Missing: true}
	}},
	{name: "all else is unknown then", of: NoConsumers, want: Unknown, polls: 5, other: true, headline: CommitsVanished, poll: func(g *Group, _ int) {
		*g = Group{ID: g.ID, Interval: g.Interval, Expected: true, Missing: true}
	}},
	{name: "all commits are gone", of: CommitsVanished, want: Holds, poll: func(g *Group, _ int) { g.Expected = true; g.on(uncommits) }},
	{name: "one is left", of: CommitsVanished, want: Clear, poll: func(g *Group, _ int) { g.Expected = true; g.at(uncommits, 1, 2, 3, 4, 5) }},
	{name: "all commits of a streams group are gone", of: CommitsVanished, want: Holds, poll: func(g *Group, _ int) {
		g.retype(snapshot.TypeStreams).on(uncommits).Expected = true
	}},
	{name: "one could not be read", of: CommitsVanished, want: Clear, poll: func(g *Group, _ int) {
		g.Expected = true
		g.at(uncommits, 1, 2, 3, 4, 5).Partitions[0].Position = Unread
	}},
	{name: "nobody said that it must be there", of: CommitsVanished, want: Clear, poll: func(g *Group, _ int) { g.on(uncommits) }},
	{name: "a new group has a minute to commit", of: CommitsVanished, want: Clear, fresh: true, polls: 6, poll: func(g *Group, _ int) { g.Expected = true; g.on(uncommits) }},
	{name: "and then it never had any", of: CommitsVanished, want: Clear, fresh: true, polls: 8, other: true, headline: NeverCommitted,
		poll: func(g *Group, _ int) { g.Expected = true; g.on(uncommits) }},
	{name: "there is nothing to commit yet", of: CommitsVanished, want: Clear, fresh: true, polls: 20, poll: func(g *Group, _ int) {
		g.Expected = true
		g.on(uncommits).on(func(p *Partition) { p.Available, p.Arrival = snapshot.Known(int64(0)), rates.Of(0) })
	}},
	{name: "nobody is a member, and none was seen", of: CommitsVanished, want: Holds, fresh: true, poll: func(g *Group, _ int) { g.leave().on(uncommits).Expected = true }},
	{name: "nobody is a member, and some were seen", of: CommitsVanished, want: Holds, polls: 8, poll: func(g *Group, _ int) {
		g.leave().Partitions, g.Expected = nil, true
	}},
	{name: "who is a member is not known, nor whether it had any", of: CommitsVanished, want: Unknown, fresh: true, polls: 8, poll: func(g *Group, _ int) {
		g.on(uncommits).Expected = true
		g.MembersRead, g.Members = false, snapshot.Maybe[[]Member]{}
	}},
	{name: "an empty group of which nothing was seen", of: CommitsVanished, want: Clear, fresh: true, polls: 8, other: true, headline: NoConsumers, poll: func(g *Group, _ int) {
		g.leave().Partitions, g.Expected = nil, true
	}},
	{name: "Connect's workers are stopped, and never have commits", of: CommitsVanished, want: Clear, fresh: true, polls: 8, other: true, headline: NoConsumers, poll: func(g *Group, _ int) {
		g.leave().Partitions, g.Expected, g.ProtocolType = nil, true, "connect"
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
	{name: "somebody may subscribe", of: AbandonedTopic, want: Unknown, polls: 63, other: true, headline: UnownedPartitions, poll: func(g *Group, _ int) {
		g.drop().Topics[1].Subscribed = snapshot.Maybe[bool]{}
	}},
	{name: "somebody may subscribe, and commits", of: AbandonedTopic, want: Clear, polls: 63, poll: func(g *Group, _ int) {
		g.Topics[0].Subscribed = snapshot.Maybe[bool]{}
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
