package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/rates/ownership"
)

// catchingUp: the group is behind, and on each of these partitions the lag shrinks.
func (l *look) catchingUp() proof { return l.falling().of(CatchingUp) }

// idleMembers: members own nothing, and there are more of them than can be assigned
// anything.
func (l *look) idleMembers() proof {
	switch {
	case l.share():
		return clear
	case !l.known:
		return unknown
	case len(l.members) == 0:
		return clear
	case !l.g.Assigned || l.unstable():
		return unknown
	}
	room := l.g.Room.Or(ownership.Room{})
	idle := len(l.members) - l.working()
	switch {
	case idle == 0 || room.Most == 0 || len(l.members) <= room.Least:
		return clear
	case len(l.members) <= room.Most:
		return unknown
	}
	return holds(func(w *telling) {
		what := " for " + countPartitions(room.Partitions)
		if room.Most < room.Partitions {
			what = ", and " + ranged(room)
		}
		w.say("%s %s nothing to do: the group has %s%s", countMembers(idle), verb(idle, "has", "have"), countMembers(len(l.members)), what)
		w.evidence("idle_members", float64(idle), inMembers)
		w.evidence("members", float64(len(l.members)), inMembers)
		w.evidence("partitions", float64(room.Partitions), inPartitions)
		w.atMost(room)
		w.concerns(func(m int) bool { return l.members[m].Partitions == 0 })
		w.do("run fewer members, or keep them as spares", w.describeMembers())
	})
}

// atMost adds how many members can be assigned anything, where that is not one for each
// partition.
func (w *telling) atMost(room ownership.Room) {
	if room.Exact() && room.Most < room.Partitions {
		w.evidence("members_at_most", float64(room.Most), inMembers)
	}
}

// ranged says what the range assignor does with the partitions of several topics.
func ranged(room ownership.Room) string {
	return fmt.Sprintf("range, its assignor, gives the %s to %s and none to any other", countPartitions(room.Partitions), countMembers(room.Most))
}

// abandonedTopic: the group has members and commits on a topic to which none of them
// subscribes, none of which changed for long.
func (l *look) abandonedTopic() proof {
	switch {
	case !l.known || !l.readable():
		return unknown
	case len(l.members) == 0:
		return clear
	}
	verdict := clear
	var topics []int
	for i, v := range l.abandoned() {
		switch v {
		case Holds:
			topics = append(topics, i)
		case Unknown:
			verdict = unknown
		}
	}
	if len(topics) == 0 {
		return verdict
	}
	return holds(func(w *telling) { l.tellAbandoned(w, topics) })
}

// abandoned tells of each topic whether it is, in one walk over the partitions. What
// was not seen to commit since the group is watched did not do so for as long. It is nil
// where members subscribe to all.
func (l *look) abandoned() []Verdict {
	dropped := func(t Topic) bool { return !t.Subscribed.Or(false) } // for all that is known
	if !slices.ContainsFunc(l.g.Topics, dropped) {
		return nil
	}
	verdicts, seen := make([]Verdict, len(l.g.Topics)), make([]quiet, len(l.g.Topics)+1)
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; p.Position != Uncommitted {
			seen[l.topicIndex(p)].add(p)
		}
	}
	for i := range verdicts {
		q, limit := &seen[i], l.t.Abandoned.Seconds()
		switch {
		case !dropped(l.g.Topics[i]) || !q.placed || q.least < limit && q.known:
			verdicts[i] = Clear
		case l.g.Topics[i].Subscribed.Known() && max(q.most, l.watched().Seconds()) >= limit:
			verdicts[i] = Holds
		}
	}
	return verdicts
}

// quiet is how old the last commits on a topic are, in seconds, where that is known of
// any.
type quiet struct {
	placed, known bool
	least, most   float64
}

func (q *quiet) add(p *Partition) {
	q.placed = true
	if age, ok := p.Estimate.CommitAge.Get(); ok {
		if q.most = max(q.most, age); !q.known || age < q.least {
			q.least = age
		}
		q.known = true
	}
}

func (l *look) tellAbandoned(w *telling, topics []int) {
	of := make([]bool, len(l.g.Topics))
	names := make([]string, 0, len(topics))
	for _, i := range topics {
		of[i] = true
		names = append(names, l.g.Topics[i].Name)
	}
	slices.Sort(names)
	among := func(_ int, p *Partition) bool {
		return int(p.Topic) < len(of) && of[p.Topic] && p.Position != Uncommitted
	}
	lag, _, n := l.backlog(among)
	w.partitions(among, func(p *Partition) float64 { return float64(p.Lag.Or(0)) })
	w.say("nobody subscribes to %s any more; commits remain there, %s behind", some(names), offsets(lag))
	w.evidence("topics", float64(len(topics)), "topics")
	w.evidence("partitions", float64(n), inPartitions)
	w.evidence("lag", float64(lag), inOffsets)
	w.do("if that is meant, delete the commits that remain, while the group has no member on the topic",
		w.tool()+" "+w.bootstrap()+" --delete-offsets "+option("--group", w.g.ID)+" "+w.topic(names[0]))
	w.explain()
}

// some is a list in words, three at most.
func some(names []string) string {
	const few = 3
	if len(names) > few {
		return strings.Join(names[:few], ", ") + " and " + whole(int64(len(names)-few)) + " more"
	}
	return strings.Join(names, ", ")
}

// rewound: within the window a committed position moved back.
func (l *look) rewound() proof {
	if l.m.events == nil || len(l.m.events.rewound) == 0 {
		return l.unlessBlind(clear)
	}
	e := total(l.m.events.rewound)
	return holds(func(w *telling) {
		w.say("committed positions moved back by %s on %s, most on %s from %s to %s, %s",
			offsets(e.offsets), e.on(), e.worst, whole(e.from), whole(e.to), e.why)
		w.evidence("rewound", float64(e.offsets), inOffsets)
		w.evidence("partitions", float64(e.partitions), inPartitions)
		w.evidence("rewound_ago", w.ago(e.at), inSeconds)
		w.evidence("near_ownership_change", truth(e.why == ownersChanged), "boolean")
		w.Partitions = []TopicPartition{e.worst}
		w.do("see where it is now; what lies between is done once more", w.describe())
		w.explain()
	})
}

func (y why) String() string {
	switch y {
	case ownersChanged:
		return "near a change of owners: a replay after a crash, or after a commit that came too late"
	case nobodyThere:
		return "while nobody was a member: somebody has reset them"
	}
	return "with no change of owners near: the application went back, or somebody has reset them"
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// standalone: nobody is a member, yet commits go on.
func (l *look) standalone() proof {
	switch {
	case !l.known:
		return unknown
	case !l.alone():
		return clear
	}
	return holds(func(w *telling) {
		lag, waited, _ := l.backlog(func(_ int, p *Partition) bool { return p.unread() })
		outage := "; no outage"
		if l.stalled().of(StalledPartition).verdict == Holds {
			outage = ""
		}
		ago := w.ago(w.m.past.moved)
		w.say("nobody is a member, yet commits go on, the last %s: consumers that take their partitions themselves, like Flink or MirrorMaker%s", lately(ago), outage)
		w.evidence("members", 0, inMembers)
		w.evidence("commit_age", ago, inSeconds)
		w.evidence("lag", float64(lag), inOffsets)
		w.lagAge(waited)
		w.do("ask the system that commits for its own state; Kafka knows no member of it", w.describe())
	})
}

// alone tells whether nobody is a member of a group that goes on.
func (l *look) alone() bool {
	return l.known && len(l.members) == 0 && l.worksAlone() && !l.silentFor(l.recently())
}

// worksAlone tells whether positions moved on in so many polls since nobody is a member that
// this is work. Of a group that had members it may be somebody's reset, or the last of those
// who left: it takes more.
func (l *look) worksAlone() bool {
	enough := uint8(2)
	if l.hadMembers() {
		enough = 4
	}
	return l.m.past.alone >= enough
}
