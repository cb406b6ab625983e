package diagnosis

import (
	"slices"
	"strconv"
)

func (l *look) isStopped(i int, p *Partition) bool {
	return l.standings != nil && l.standings[i] == stopped && (p.Owner >= 0 || !l.g.Assigned)
}

func (l *look) tellStalledGroup(w *telling, s stops) {
	lag, waited, n := l.backlog(l.isStopped)
	w.partitions(l.isStopped, age)
	where := w.first().String()
	if n > 1 {
		where = "any of the " + countPartitions(n) + " with unread records"
	}
	w.say("nothing has been committed on %s for %s, though %s: what all of them need is down, or all hang",
		where, span(s.shortest), are(len(l.members)))
	l.proveStall(w, lag, waited, n, s.shortest)
	w.evidence("members", float64(len(l.members)), inMembers)
	w.do("look at what all members write to or call, and in one member's log", w.describeMembers())
	w.explain()
}

func are(members int) string {
	if members == 1 {
		return "1 member is there"
	}
	return countMembers(members) + " are there"
}

func (l *look) tellStalledMember(w *telling, hanging []int) {
	of := func(i int, p *Partition) bool { return l.isStopped(i, p) && slices.Contains(hanging, int(p.Owner)) }
	lag, waited, n := l.backlog(of)
	silent := l.stops(func(p *Partition) bool { return slices.Contains(hanging, int(p.Owner)) }).shortest
	w.partitions(of, age)
	w.concerns(func(m int) bool { return slices.Contains(hanging, m) })
	who := l.calledFirst(w)
	if len(hanging) > 1 {
		who += " and " + whole(int64(len(hanging)-1)) + " more"
	}
	w.say("%s has committed nothing on its %s with unread records for %s, while other members commit: it hangs",
		who, countPartitions(n), span(silent))
	l.proveStall(w, lag, waited, n, silent)
	w.evidence("members_stalled", float64(len(hanging)), inMembers)
	w.evidence("members", float64(len(l.members)), inMembers)
	w.do("take a stack dump of that member and restart it; its host is shown by", w.describeMembers())
	w.explain()
}

func (l *look) tellStalledPartition(w *telling) {
	lag, waited, n := l.backlog(l.isStopped)
	silent := l.stops(func(p *Partition) bool { return p.Owner >= 0 }).shortest
	w.partitions(l.isStopped, age)
	at := w.first()
	owners := l.owners(l.isStopped)
	w.concerns(func(m int) bool { return slices.Contains(owners, m) })
	more := ""
	if n > 1 {
		more = " and on " + countPartitions(n-1) + " more"
	}
	if l.advances(owners) {
		w.say("nothing has been committed on %s%s for %s, while the owner goes on with other partitions: a record that cannot be processed", at, more, span(silent))
	} else {
		w.say("nothing has been committed on %s%s for %s; its owner has nothing to read elsewhere that would show whether it works", at, more, span(silent))
	}
	l.proveStall(w, lag, waited, n, silent)
	w.do("look for "+at.String()+" in the owner's log; the position at which it stands is shown by", w.describe())
	if !l.share() {
		w.do("to skip one record, stop the group; this shows what would be set, and does it with --execute in place of --dry-run"+w.caution(),
			w.reset(w.topic(at.Topic+":"+strconv.Itoa(int(at.Partition))), "--shift-by 1"))
	}
	w.explain()
}

// owners are those of the partitions for which matters returns true.
func (l *look) owners(matters func(i int, p *Partition) bool) (list []int) {
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; matters(i, p) && l.member(p) != nil && !slices.Contains(list, int(p.Owner)) {
			list = append(list, int(p.Owner))
		}
	}
	return list
}

// advances tells whether these members commit on other partitions.
func (l *look) advances(owners []int) bool {
	return l.stops(func(p *Partition) bool { return slices.Contains(owners, int(p.Owner)) }).advanced > 0
}

func (l *look) proveStall(w *telling, lag int64, waited float64, n int, silent float64) {
	w.evidence("silent", silent, inSeconds)
	w.evidence("lag", float64(lag), inOffsets)
	w.lagAge(waited)
	w.evidence("partitions_stalled", float64(n), inPartitions)
	w.evidence("partitions", float64(len(l.g.Partitions)), inPartitions)
}

// member is the owner of a partition, nil if there is none.
func (l *look) member(p *Partition) *Member {
	if p.Owner >= 0 && int(p.Owner) < len(l.members) {
		return &l.members[p.Owner]
	}
	return nil
}

// calledFirst is how the first member is called that a finding concerns.
func (l *look) calledFirst(w *telling) string {
	for i := range l.members {
		if len(w.Members) > 0 && l.members[i].ID == w.Members[0] {
			return l.members[i].called()
		}
	}
	return "a member"
}
