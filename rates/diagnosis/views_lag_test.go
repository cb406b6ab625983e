package diagnosis

import (
	"math"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

func marker(p *Partition) {
	silences(p)
	p.Lag, p.Arrival = snapshot.Known(int64(1)), rates.Of(0)
}

// tail is a partition on which so many offsets remain, and nothing has arrived since the
// last commit.
func tail(lag int64) func(*Partition) {
	return func(p *Partition) {
		marker(p)
		p.Lag, p.Estimate.Still = snapshot.Known(lag), true
	}
}

// leaves lets something happen to partitions of a topic to which nobody subscribes.
func (g *Group) leaves(what func(*Partition), ids ...int) *Group {
	g.Topics = append(g.Topics, Topic{Name: "old", Subscribed: snapshot.Known(false)})
	return g.at(what, ids...).at(func(p *Partition) { p.Topic, p.Owner, p.Estimate.CommitAge = int32(len(g.Topics)-1), -1, rates.Value{} }, ids...)
}

// trickles is a partition that was empty for long, and has had a record for 20 s.
func trickles(p *Partition) {
	p.Lag, p.Arrival = snapshot.Known(int64(2)), rates.Of(0.003)
	e := &p.Estimate
	e.KeepsUp, e.CommitAge, e.Waiting, e.LagAge = false, rates.Of(900), rates.Of(20), rates.Of(20)
}

// first is one thing for some polls, and then another.
func first(polls int, what func(*Group), then func(*Group, int)) func(*Group, int) {
	return func(g *Group, poll int) {
		if poll < polls {
			what(g)
		} else {
			then(g, poll)
		}
	}
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
		g.on(func(p *Partition) { p.Estimate.CommitAge = rates.Of(190) }).at(silences, 0)
	}},
	{name: "more have stopped, and none has committed since", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) {
		g.on(func(p *Partition) { p.Estimate.CommitAge = rates.Of(190) }).at(silences, 0, 1, 2)
	}},
	// Regression: on sparse topics, where some partition always has its first unread
	// record, it was not said for hours that all had stopped.
	{name: "one has become unread since", of: StalledGroup, want: Holds, polls: 30, poll: func(g *Group, _ int) { g.on(silences).at(trickles, 5) }},
	{name: "one that was never seen to commit has become unread since", of: StalledGroup, want: Holds, polls: 30, poll: func(g *Group, _ int) {
		g.on(silences).at(trickles, 5).Partitions[5].Estimate.CommitAge = rates.Value{}
	}},
	{name: "markers only", of: StalledGroup, want: Clear, poll: func(g *Group, _ int) { g.on(marker) }},
	{name: "nobody is a member", of: StalledGroup, want: Clear, polls: 8, other: true, headline: NoConsumers, poll: func(g *Group, _ int) { g.leave().on(silences) }},
	{name: "members are not known", of: StalledGroup, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(silences).Members = snapshot.Maybe[[]Member]{} }},
	{name: "others tell what is usual", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) {
		g.on(silences).at(func(p *Partition) {
			p.Estimate.Stopped, p.Estimate.Usual, p.Estimate.Waiting = false, rates.Value{}, rates.Of(61)
		}, 0)
	}},

	// Regression: after a restart of lagwatch a topic on which the application commits
	// seldom was judged by the pauses on another one.
	{name: "other topics do not tell what is usual", of: StalledPartition, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.Topics = append(g.Topics, Topic{Name: "batches", Subscribed: snapshot.Known(true)})
		g.at(func(p *Partition) {
			undecides(p)
			p.Topic, p.Estimate.Drain, p.Estimate.Usual, p.Estimate.CommitAge, p.Estimate.Waiting = 1, rates.Value{}, rates.Value{}, rates.Value{}, rates.Of(200)
		}, 5)
	}},

	{name: "both of its partitions", of: StalledMember, want: Holds, poll: func(g *Group, _ int) { g.at(silences, 1, 4) }},
	{name: "one of both", of: StalledMember, want: Clear, poll: func(g *Group, _ int) { g.at(silences, 1) }, other: true, headline: StalledPartition},
	// Regression: the same of a member that hangs.
	{name: "its third has become unread since", of: StalledMember, want: Holds, polls: 30, poll: func(g *Group, _ int) {
		g.Partitions[5].Owner = 1
		g.at(silences, 1, 4).at(trickles, 5)
	}},
	{name: "its only one", of: StalledMember, want: Holds, poll: func(g *Group, _ int) { g.crowd(6).at(silences, 1) }},
	{name: "the other may stop", of: StalledMember, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.at(silences, 1).at(func(p *Partition) { p.Estimate.CommitAge = rates.Of(190) }, 4)
	}},

	{name: "its owner goes on", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.at(silences, 3) }},
	{name: "its owner has nothing else to read", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.on(idles).at(silences, 3) }},
	{name: "silent for a minute", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) {
		g.at(silences, 3).Partitions[3].Estimate.Waiting = rates.Of(61)
	}},
	{name: "not for a minute", of: StalledPartition, want: Clear, poll: func(g *Group, _ int) {
		g.at(silences, 3).Partitions[3].Estimate.Waiting = rates.Of(60)
	}},
	{name: "a marker", of: StalledPartition, want: Clear, poll: func(g *Group, _ int) { g.at(marker, 3) }},
	{name: "two offsets", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) {
		g.at(marker, 3).Partitions[3].Lag = snapshot.Known(int64(2))
	}},
	// Regression: where nothing arrived any more, as at night, the markers of several
	// transactions or an aborted one were a record that could not be processed.
	{name: "ten offsets, and nothing has arrived since", of: StalledPartition, want: Clear, poll: func(g *Group, _ int) { g.at(tail(10), 3) }},
	{name: "a share group acknowledges all of it", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.retype(snapshot.TypeShare).at(tail(5), 3) }},
	{name: "its owner's other one ends so", of: StalledPartition, want: Holds, polls: 6, poll: func(g *Group, _ int) { g.at(silences, 3).at(tail(3), 0) }},
	{name: "the same on all", of: StalledGroup, want: Clear, poll: func(g *Group, _ int) { g.on(tail(3)) }},
	{name: "more, and nothing has arrived since", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.at(tail(11), 3) }},
	{name: "nobody is there for the last ten offsets", of: NoConsumers, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(tail(10)) }},
	{name: "one offset and more to come", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { g.at(marker, 3).Partitions[3].Arrival = rates.Of(0.1) }},
	{name: "who owns what is not known", of: StalledPartition, want: Unknown, polls: 5, poll: func(g *Group, _ int) {
		g.at(silences, 3).on(func(p *Partition) { p.Owner = -1 }).Assigned = false
	}},

	{name: "twice the median", of: HotPartition, want: Holds, poll: func(g *Group, _ int) { g.at(falls(200, 150), 3) }},
	{name: "less than that", of: HotPartition, want: Clear, poll: func(g *Group, _ int) { g.at(falls(199, 150), 3) }, other: true, headline: UnderCapacity},
	{name: "since when is not known", of: HotPartition, want: Holds, poll: func(g *Group, _ int) { g.at(falls(200, 150), 3).on(ageless) }},
	{name: "its owner falls behind on another too", of: HotPartition, want: Holds, poll: func(g *Group, _ int) { g.at(falls(400, 150), 3).at(falls(100, 90), 0) }},
	{name: "and another member does", of: HotPartition, want: Clear, poll: func(g *Group, _ int) { g.at(falls(400, 150), 3).at(falls(150, 120), 1, 4) }, other: true, headline: UnderCapacity},
	{name: "it was as hot and no trouble", of: HotPartition, want: Clear, other: true, headline: SlowMember, poll: func(g *Group, _ int) {
		g.at(falls(400, 50), 3).Partitions[3].Before = rates.Usual{Arrival: rates.Of(400), Drain: rates.Of(400)}
	}},
	// What has stopped plays no part there, whoever reads it.
	{name: "nobody is a member, and others have stopped", of: HotPartition, want: Holds, fresh: true, polls: 6, other: true, headline: StalledPartition, poll: func(g *Group, _ int) {
		g.leave().at(falls(400, 150), 3).at(moves, 0).at(silences, 1, 2).ProtocolType = ""
	}},
	{name: "nobody is a member", of: HotPartition, want: Holds, fresh: true, other: true, headline: HotPartition, poll: func(g *Group, _ int) {
		g.leave().at(falls(400, 150), 3).at(moves, 0).ProtocolType = ""
	}},
	{name: "five polls of another reason", of: HotPartition, want: Holds, polls: 8, poll: first(3, func(g *Group) { g.at(falls(400, 150), 3) }, slower)},
	{name: "six polls of another reason", of: HotPartition, want: Clear, polls: 9, other: true, headline: SlowDependency,
		poll: first(3, func(g *Group) { g.at(falls(400, 150), 3) }, slower)},
	{name: "most is not known yet", of: HotPartition, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.at(falls(400, 150), 3).at(undecides, 1, 2) }},
	{name: "not behind for half a minute", of: HotPartition, want: Clear, poll: func(g *Group, _ int) {
		g.at(falls(400, 150), 3).Partitions[3].Estimate.LagAge = rates.Of(29)
	}},
	{name: "behind for half a minute", of: HotPartition, want: Holds, poll: func(g *Group, _ int) {
		g.at(falls(400, 150), 3).Partitions[3].Estimate.LagAge = rates.Of(30)
	}},
	{name: "not for longer than its pause explains", of: HotPartition, want: Clear, poll: func(g *Group, _ int) {
		e := &g.at(falls(400, 150), 3).Partitions[3].Estimate
		e.LagAge, e.Usual = rates.Of(50), rates.Of(30)
	}},
	{name: "not for longer than the pause of others explains", of: HotPartition, want: Clear, poll: func(g *Group, _ int) {
		e := &g.at(falls(400, 150), 3).Partitions[3].Estimate
		e.LagAge, e.Usual, g.Partitions[0].Estimate.Usual = rates.Of(50), rates.Value{}, rates.Of(30)
	}},

	{name: "one of three", of: SlowMember, want: Holds, poll: func(g *Group, _ int) { g.at(falls(100, 40), 1, 4) }},
	{name: "since when is not known", of: SlowMember, want: Holds, poll: func(g *Group, _ int) { g.at(falls(100, 40), 1, 4).on(ageless) }},
	{name: "what was before is not known", of: SlowMember, want: Holds, fresh: true, polls: 15, poll: func(g *Group, _ int) {
		g.at(falls(100, 40), 1, 4).on(func(p *Partition) { p.Before = rates.Usual{} })
	}},
	{name: "another member is a bit behind for a moment", of: SlowMember, want: Holds, poll: func(g *Group, _ int) {
		g.at(falls(100, 40), 1, 4).at(falls(100, 98), 2).Partitions[2].Estimate.LagAge = rates.Of(25)
	}},
	{name: "another member is about to be behind", of: SlowMember, want: Clear, other: true, headline: SlowDependency, poll: func(g *Group, _ int) {
		g.at(falls(100, 40), 1, 2, 4, 5)
		for i, age := range []float64{0, 45, 35, 0, 45, 35} {
			g.Partitions[i].Estimate.LagAge = rates.Of(age)
		}
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
	{name: "a twentieth less", of: SlowDependency, want: Holds, poll: func(g *Group, _ int) { g.on(falls(100, 94.9)) }},
	{name: "one member is slowed less than the others", of: SlowDependency, want: Holds, poll: func(g *Group, _ int) {
		g.at(falls(100, 94), 0, 3, 1, 4).at(falls(100, 60), 2, 5)
	}},
	{name: "two members are not", of: SlowDependency, want: Clear, poll: func(g *Group, _ int) {
		g.at(falls(100, 96), 0, 3, 1, 4).at(falls(100, 40), 2, 5)
	}, other: true, headline: UnderCapacity},
	{name: "hardly less", of: SlowDependency, want: Clear, poll: func(g *Group, _ int) { g.on(falls(100, 95)) }, other: true, headline: UnderCapacity},
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

	{name: "just begun to watch", of: UnderCapacity, want: Unknown, fresh: true, polls: 6, poll: func(g *Group, _ int) {
		g.on(falls(200, 140)).on(func(p *Partition) { p.Before = rates.Usual{} })
	}},
	{name: "watched for a minute", of: UnderCapacity, want: Holds, fresh: true, polls: 8, poll: func(g *Group, _ int) {
		g.on(falls(200, 140)).on(func(p *Partition) { p.Before = rates.Usual{} })
	}},
	{name: "arrivals grew", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(200, 140)) }},
	{name: "range gives no other member anything", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(200, 140)).room(3, 3, 6) }},
	{name: "range gives one more something", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(200, 140)).room(4, 4, 6) }},
	{name: "how many tasks there are is not known", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(200, 140)).room(3, 6, 6) }},
	{name: "nobody is a member", of: UnderCapacity, want: Holds, polls: 8, poll: func(g *Group, _ int) { g.leave().on(falls(200, 140)).on(moves).room(0, 0, 0) }},
	{name: "a stable backlog", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(100, 100)) }},
	{name: "far more is drained than arrives", of: UnderCapacity, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(falls(100, 126)) }},
	{name: "a bit more is drained than arrives", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.on(falls(100, 124)) }},
	{name: "stopped is not falling", of: UnderCapacity, want: Clear, poll: func(g *Group, _ int) { g.on(silences) }, other: true, headline: StalledGroup},
	{name: "not known yet", of: UnderCapacity, want: Unknown, polls: 5, poll: func(g *Group, _ int) { g.on(undecides) }},

	{name: "all that is behind shrinks", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) { g.at(shrinks, 0, 1) }},
	{name: "one does not", of: CatchingUp, want: Clear, poll: func(g *Group, _ int) { g.at(shrinks, 0).at(falls(100, 100), 1) }, other: true, headline: UnderCapacity},
	// Regression: one record that could not be processed hid that the group caught up with
	// all else, and when it would have.
	{name: "one has stopped", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) { g.at(shrinks, 0).at(silences, 1) }, other: true, headline: StalledPartition},
	// Regression: topics to which nobody subscribes any more hid it, and more of them than
	// what was behind hid each reason for falling behind.
	{name: "beside a topic that nobody reads", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) { g.at(shrinks, 0).leaves(silences, 5) }},
	{name: "beside one of which it is not known yet", of: CatchingUp, want: Holds, poll: func(g *Group, _ int) { g.at(shrinks, 0).leaves(undecides, 5) }},
	{name: "beside one of which more is not known", of: UnderCapacity, want: Holds, poll: func(g *Group, _ int) { g.at(falls(150, 100), 0, 1).leaves(undecides, 3, 4, 5) }},
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
