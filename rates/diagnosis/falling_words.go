package diagnosis

import "fmt"

func (l *look) tellHot(w *telling, hot []int) {
	is := make([]bool, len(l.g.Partitions))
	for _, i := range hot {
		is[i] = true
	}
	matters := func(i int, _ *Partition) bool { return is[i] }
	worst := w.partitions(matters, age)
	var in, out, topics float64
	of := make([]bool, len(l.g.Topics)+1)
	for _, i := range hot {
		p := &l.g.Partitions[i]
		in, out = in+orZero(p.Arrival.Get()), out+orZero(p.Estimate.Drain.Get())
		of[l.topicIndex(p)] = true
	}
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; of[l.topicIndex(p)] {
			topics += orZero(p.Arrival.Get())
		}
	}
	owners, _ := l.owners(matters)
	w.concerns(func(m int) bool { return owners[m] })
	share := in / topics
	what := w.first().String() + " takes"
	if len(hot) > 1 {
		what = fmt.Sprintf("%s and %s more take", w.first(), countPartitions(len(hot)-1))
	}
	w.say("%s %s of the arrivals and %s by %s; %s", what, percent(share), verb(len(hot), "falls behind", "fall behind"), rate(max(0, in-out)), l.elsewhereWords(w, matters))
	w.evidence("arrival_share", share, "")
	w.evidence("arrival", in, perSecond)
	w.evidence("drain", out, perSecond)
	w.evidence("median_arrival", l.medians()[l.topicIndex(worst)], perSecond)
	w.lagAge(l.oldest(matters))
	w.do("more members do not help: look at which keys go to "+w.first().String()+", and spread them or make their work lighter", w.describe())
	w.explain()
}

// elsewhereWords says how those who own hot partitions do on the others.
func (l *look) elsewhereWords(w *telling, hot func(i int, p *Partition) bool) string {
	owners, n := l.owners(hot)
	who := verb(n, "its owner "+l.calledFirst(w), "their owners")
	if n == 0 {
		return "the group keeps up on the others"
	}
	others := 0
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; l.member(p) != nil && owners[p.Owner] && !hot(i, p) {
			if l.standings[i] == falling {
				return who + verb(n, " falls", " fall") + " behind on other partitions for its sake"
			}
			others++
		}
	}
	if others == 0 {
		return who + verb(n, " owns", " own") + " nothing else"
	}
	return who + verb(n, " keeps", " keep") + " up on the others"
}

// oldest is the greatest lag age of some partitions, in seconds.
func (l *look) oldest(matters func(i int, p *Partition) bool) float64 {
	_, waited, _ := l.backlog(matters)
	return waited
}

func (l *look) tellSlowMember(w *telling, slow []int) {
	does := l.among(slow)
	matters := func(i int, p *Partition) bool {
		return does(p) && (l.standings[i] == falling || l.standings[i] == soon)
	}
	w.partitions(matters, age)
	is, _ := l.owners(matters)
	w.concerns(func(m int) bool { return is[m] })
	lag, waited, n := l.backlog(matters)
	var own, ownWas float64
	known := true
	var others []float64
	for m, p := range l.paces().members {
		switch {
		case is[m]:
			own += p.out
			ownWas += p.was.wasOut
			known = known && p.remembered()
		case p.partitions > 0:
			others = append(others, p.out)
		}
	}
	own, ownWas = own/float64(len(slow)), ownWas/float64(len(slow))
	before := ""
	if known {
		before = fmt.Sprintf(" (%s while it kept up)", rate(ownWas))
		w.evidence("drain_before", ownWas, perSecond)
	}
	who := l.calledFirst(w)
	if len(slow) > 1 {
		who += fmt.Sprintf(" and %s more", whole(int64(len(slow)-1)))
	}
	w.say("%s %s %s%s where other members drain %s and keep up; it falls behind on %s, where the oldest record, on %s, has been waiting %s",
		who, verb(len(slow), "drains", "drain, each,"), rate(own), before, rate(median(others)), countPartitions(n), w.first(), l.waited(matters))
	w.evidence("drain", own, perSecond)
	w.evidence("median_drain_of_others", median(others), perSecond)
	w.evidence("members_slow", float64(len(slow)), inMembers)
	w.evidence("lag", float64(lag), inOffsets)
	w.lagAge(waited)
	w.do("look at that process and its host, CPU, memory and garbage collection first; it is shown by", w.describeMembers())
	w.explain()
}

func (l *look) tellSlowDependency(w *telling) {
	all := &l.paces().all
	slowed, working := l.slowedMembers()
	members := max(float64(working), 1)
	before := max(float64(l.m.past.members), 1)
	lag, waited, n := l.backlog(l.isFalling)
	w.partitions(l.isFalling, age)
	each, was := all.was.out/members, all.was.wasOut*l.remaining()/members
	what := fmt.Sprintf("%s of %s members drain less: %s each where it was %s", whole(int64(slowed)), whole(int64(working)), rate(each), rate(was))
	told := working > 0 // of a share group it is not known who does how much
	if !told {
		what = fmt.Sprintf("the group drains %s where it was %s", rate(each), rate(was))
		working = l.working()
	}
	w.say("arrivals are what they were (%s, before %s), and %s: what they all depend on is slow", rate(all.was.in), rate(all.was.wasIn), what)
	w.evidence("arrival", all.was.in, perSecond)
	w.evidence("arrival_before", all.was.wasIn, perSecond)
	w.evidence("drain", all.was.out, perSecond)
	w.evidence("drain_before", all.was.wasOut, perSecond)
	if told {
		w.evidence("members_slowed", float64(slowed), inMembers)
	}
	w.evidence("members", float64(working), inMembers)
	w.evidence("members_before", before, inMembers)
	l.proveFall(w, lag, waited, n)
	w.do("look at what all members call or write to: a database, a service, the network; more members may make it worse", w.describeMembers())
	w.explain()
}

func (l *look) proveFall(w *telling, lag int64, waited float64, n int) {
	w.evidence("lag", float64(lag), inOffsets)
	w.lagAge(waited)
	w.evidence("partitions_falling_behind", float64(n), inPartitions)
}
