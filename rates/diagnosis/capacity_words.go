package diagnosis

import (
	"fmt"
	"math"

	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

func (l *look) tellUnderCapacity(w *telling) {
	all := &l.paces().all
	lag, waited, n := l.backlog(l.isFalling)
	w.partitions(l.isFalling, age)
	before := "; what was before is not known"
	if all.remembered() {
		before = fmt.Sprintf(" (while it kept up, %s arrived)", rate(all.was.wasIn))
		w.evidence("arrival_before", all.was.wasIn, perSecond)
		w.evidence("drain_before", all.was.wasOut, perSecond)
	}
	if all.remembered() && l.m.past.members > 0 {
		w.evidence("members_before", float64(l.m.past.members), inMembers)
	}
	working := l.working()
	who := countMembers(working) + verb(working, " drains ", " drain ")
	in, out, where := l.shortage()
	if working == 0 || where != "" {
		who = "the group drains "
	}
	w.say("%s%s arrive and %s%s%s; %s", where, rate(in), who, drained(in, out), before, l.remedy(w, working))
	w.evidence("arrival", in, perSecond)
	w.evidence("drain", out, perSecond)
	w.evidence("members", float64(working), inMembers)
	w.evidence("partitions", float64(all.partitions), inPartitions)
	w.atMost(l.g.Room.Or(ownership.Room{}))
	l.proveFall(w, lag, waited, n)
	w.explain()
}

// shortage is what arrives and is drained in all; or where that is no less, since a part of
// the group catches up, on the partitions that fall behind: where says so.
func (l *look) shortage() (in, out float64, where string) {
	all := &l.paces().all
	if all.in > all.out {
		return all.in, all.out, ""
	}
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; l.standings[i] == falling {
			in, out = in+orZero(p.Arrival.Get()), out+orZero(p.Estimate.Drain.Get())
		}
	}
	if in <= out {
		return all.in, all.out, ""
	}
	n := all.standings[falling]
	return in, out, "on " + countPartitions(n) + " that " + verb(n, "falls", "fall") + " behind "
}

// drained is how much, in words: a number that is no less than what arrives would say that
// there is no shortage, where there is a backlog that does not shrink.
func drained(in, out float64) string {
	switch {
	case out >= in:
		return "about as much, and the lag does not shrink"
	case rate(out) == rate(in):
		return "a little less"
	}
	return rate(out)
}

// remedy says whether more members help, and tells the next step.
func (l *look) remedy(w *telling, working int) string {
	room, each := l.g.Room.Or(ownership.Room{}), l.perMember()
	all := &l.paces().all
	needed, ok := rates.MembersNeeded(rates.Load{
		Partitions: room.Most, Members: working, Arrival: all.in, Busiest: all.busiest, PerMember: each,
		Lag: all.lag, LargestLag: all.largest, Within: max(l.g.Objective, l.t.Behind),
	})
	switch {
	case working == 0:
		w.do("give whoever reads for the group more room: nobody is a member, so how many they are is not known", w.describe())
		return "nobody is a member, so how many read is not known"
	case l.share():
		w.do("add members", w.describeMembers())
		return "any number of members can be added"
	case room.Most > 0 && working >= room.Most:
		return l.full(w, room)
	case room.Most > 0 && !ok && each > 0:
		w.do("make the work lighter, or spread the keys: the busiest partition alone is too much for a member", w.describeMembers())
		return fmt.Sprintf("one partition takes %s and a member drains %s, so more members do not help there", rate(all.busiest), rate(each))
	}
	enough := ok && needed > working && needed <= room.Least && float64(needed)*each >= all.in
	return l.add(w, room, needed, enough, room.Most-working)
}

// full says that more members have nothing to read.
func (l *look) full(w *telling, room ownership.Room) string {
	if room.Most == room.Partitions {
		w.do("make the work lighter, or add partitions, which moves keys: more members have nothing to read", w.describeMembers())
		return fmt.Sprintf("there is a member for each of the %s, so more cannot help", countPartitions(room.Partitions))
	}
	w.do("make the work lighter; or, unless the application joins these topics, let another assignor deal out their partitions, cooperative-sticky say", w.describeMembers())
	return ranged(room) + ", so more cannot help"
}

// add says how many members to add, of which more can be: where it is told that enough
// is so many.
func (l *look) add(w *telling, room ownership.Room, needed int, told bool, more int) string {
	limit := "how many more can be busy is not known"
	if room.Exact() && room.Most > 0 {
		w.evidence("members_to_add", float64(more), inMembers)
		limit = fmt.Sprintf("up to %s can be added", whole(int64(more)))
	}
	if told {
		w.evidence("members_needed", float64(needed), inMembers)
		w.do(fmt.Sprintf("add %s", countMembers(needed-l.working())), w.describeMembers())
		return fmt.Sprintf("%s would do, %s", countMembers(needed), limit)
	}
	if !room.Exact() || room.Most == 0 {
		w.do("add a member, and see that it gets partitions, and that each has its share", w.describeMembers())
		return limit
	}
	w.do(fmt.Sprintf("add members, up to %s, or see that each has its share", whole(int64(more))), w.describeMembers())
	return fmt.Sprintf("up to %s can be added", countMembers(more))
}

// perMember is what a member drains that falls behind, on average; 0 if none does.
func (l *look) perMember() float64 {
	sum, n := 0.0, 0.0
	for i := range l.paces().members {
		if p := &l.paces().members[i]; p.standings[falling] > 0 {
			sum, n = sum+p.out, n+1
		}
	}
	return sum / math.Max(n, 1)
}

func (l *look) tellCatchingUp(w *telling) {
	behind := func(i int, _ *Partition) bool { return l.standings[i] == shrinking }
	lag, waited, n := l.backlog(behind)
	w.partitions(behind, func(p *Partition) float64 { return orZero(p.Estimate.DrainSeconds.Get()) })
	var eta, low, high float64
	for i := range l.g.Partitions {
		if e := &l.g.Partitions[i].Estimate; l.standings[i] == shrinking {
			eta, low = max(eta, orZero(e.DrainSeconds.Get())), max(low, orZero(e.DrainLow.Get()))
			most, ok := e.DrainHigh.Get()
			if high = max(high, most); !ok {
				high = math.Inf(1)
			}
		}
	}
	all := &l.paces().all
	bounds := span(low) + " at least"
	if high < forever {
		bounds = span(low) + " to " + span(high)
	}
	w.say("the group catches up: %s on %s are gone in %s (%s)", offsets(lag), countPartitions(n), span(eta), bounds)
	w.evidence("lag", float64(lag), inOffsets)
	w.lagAge(waited)
	w.evidence("drain_time", eta, inSeconds)
	w.evidence("drain_time_low", low, inSeconds)
	w.evidence("drain_time_high", high, inSeconds)
	w.evidence("arrival", all.in, perSecond)
	w.evidence("drain", all.out, perSecond)
	w.evidence("partitions_behind", float64(n), inPartitions)
	w.do("wait; the lag is seen to shrink with", w.describe())
	w.explain()
}
