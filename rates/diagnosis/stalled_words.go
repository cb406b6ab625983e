package diagnosis

import (
	"fmt"
	"strconv"
)

func (l *look) isStopped(i int, p *Partition) bool {
	return l.standings != nil && l.standings[i] == stopped && (p.Owner >= 0 || !l.g.Assigned)
}

func (l *look) tellStalledGroup(w *telling, s stops) {
	unread := func(_ int, p *Partition) bool { return l.waits(p) && (p.Owner >= 0 || !l.g.Assigned) }
	lag, waited, n := l.backlog(unread)
	w.partitions(unread, age)
	where := w.first().String()
	if n > 1 {
		where = "any of the " + countPartitions(n) + " with unread records"
	}
	w.say("nothing has been committed on %s for %s, though %s: what all of them need is down, or all hang",
		where, span(s.silent()), are(len(l.members)))
	l.proveStall(w, lag, waited, s.stopped, s.silent())
	w.evidence("members", float64(len(l.members)), inMembers)
	w.do("look at what all members write to or call, and in one member's log", w.describeMembers())
	w.heldBack()
	w.explain()
}

func are(members int) string {
	if members == 1 {
		return "1 member is there"
	}
	return countMembers(members) + " are there"
}

func (l *look) tellStalledMember(w *telling, hanging []int) {
	hangs := l.among(hanging)
	of := func(i int, p *Partition) bool { return l.isStopped(i, p) && hangs(p) }
	lag, waited, n := l.backlog(of)
	s := l.stops(hangs)
	w.partitions(of, age)
	owners, _ := l.owners(of)
	w.concerns(func(m int) bool { return owners[m] })
	who := l.calledFirst(w)
	if len(hanging) > 1 {
		who += " and " + whole(int64(len(hanging)-1)) + " more"
	}
	w.say("%s has committed nothing on its %s with unread records for %s, while other members commit: it hangs",
		who, countPartitions(n), span(s.silent()))
	l.proveStall(w, lag, waited, n, s.silent())
	w.evidence("members_stalled", float64(len(hanging)), inMembers)
	w.evidence("members", float64(len(l.members)), inMembers)
	w.do("take a stack dump of that member and restart it; its host is shown by", w.describeMembers())
	w.explain()
}

// tellStalledPartition says of each partition what its own owner shows: those whose owner
// goes on come first.
func (l *look) tellStalledPartition(w *telling, all stops) {
	goesOn := l.goesOn(all)
	lag, waited, n := l.backlog(l.isStopped)
	worst := w.partitions(l.isStopped, func(p *Partition) float64 {
		if goesOn(p) {
			return forever + age(p)
		}
		return age(p)
	})
	at, silent := w.first(), orZero(worst.Estimate.Waiting.Get())
	owners, _ := l.owners(l.isStopped)
	w.concerns(func(m int) bool { return owners[m] })
	records := l.stops(func(p *Partition) bool { return p.Owner >= 0 && goesOn(p) })
	others := l.stops(func(p *Partition) bool { return p.Owner >= 0 && !goesOn(p) })
	doubt := ""
	if !l.share() {
		doubt = arrived(worst)
	}
	w.say("nothing has been committed on %s for %s%s%s", at, span(silent), l.shownBy(records, others), doubt)
	l.proveStall(w, lag, waited, n, silent)
	w.do("look for "+at.String()+" in the owner's log; the position at which it stands is shown by", w.describe())
	if !l.share() {
		w.do("to skip one record, stop the group; this shows what would be set, and does it with --execute in place of --dry-run"+w.caution(),
			w.reset(w.topic(at.Topic+":"+strconv.Itoa(int(at.Partition))), "--shift-by 1"))
	}
	w.heldBack()
	w.explain()
}

// heldBack adds what else may hold up a group of which it is not known that it reads
// committed records only; Kafka does not tell.
func (w *telling) heldBack() {
	if !w.sum.heldBack && !w.share() {
		w.do("if it reads committed records only, say so under isolation in the config: an open transaction looks the same, and who has one shows here", w.producers(w.first()))
	}
}

// arrived says what else may be unread on a partition that has stopped.
func arrived(p *Partition) string {
	if p.Estimate.Still {
		return "; nothing has arrived there since, so what is unread may be records of an aborted transaction"
	}
	return ""
}

// goesOn tells of a partition whether its owner has committed on others since it stopped;
// of a share group with several members, whether anybody has.
func (l *look) goesOn(all stops) func(p *Partition) bool {
	members := l.stopsOfMembers()
	return func(p *Partition) bool {
		if l.member(p) == nil {
			return all.advanced > 0
		}
		return members[p.Owner].advanced > 0
	}
}

// shownBy says what the owners show of records that cannot be processed, the first of
// which is named, and of others; or of others only.
func (l *look) shownBy(records, others stops) string {
	switch {
	case l.shared() && records.stopped > 0:
		return records.more() + ", while the group goes on with other partitions: a record that nobody acknowledges"
	case l.shared():
		return others.more() + "; the group has nothing to read elsewhere that would show whether it works"
	case records.stopped == 0:
		return others.more() + verb(others.stopped, "; its owner has", "; their owners have") +
			" nothing to read elsewhere that would show whether" + verb(others.stopped, " it works", " they work")
	}
	said := records.more() + verb(records.stopped, ", while the owner goes on", ", while their owners go on") +
		" with other partitions: a record" + verb(records.stopped, "", " on each") + " that cannot be processed"
	if others.stopped == 0 {
		return said
	}
	return fmt.Sprintf("%s; nor on %s for %s at least, of which the owner has nothing to read elsewhere that would show whether it works",
		said, countPartitions(others.stopped), span(others.shortest))
}

// more says that there are more than the one that is named.
func (s *stops) more() string {
	if s.stopped < 2 {
		return ""
	}
	return fmt.Sprintf(" and on %s more for %s at least", countPartitions(s.stopped-1), span(s.shortest))
}

// among tells of a partition whether one of some members owns it.
func (l *look) among(members []int) func(p *Partition) bool {
	is := make([]bool, len(l.members))
	for _, m := range members {
		is[m] = true
	}
	return func(p *Partition) bool { return l.member(p) != nil && is[p.Owner] }
}

// owners are those of the partitions for which matters returns true, by index, and how
// many they are.
func (l *look) owners(matters func(i int, p *Partition) bool) (is []bool, n int) {
	is = make([]bool, len(l.members))
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; matters(i, p) && l.member(p) != nil && !is[p.Owner] {
			is[p.Owner], n = true, n+1
		}
	}
	return is, n
}

func (l *look) proveStall(w *telling, lag int64, waited float64, n int, silent float64) {
	w.evidence("silent", silent, inSeconds)
	w.evidence("lag", float64(lag), inOffsets)
	w.lagAge(waited)
	w.evidence("partitions_stalled", float64(n), inPartitions)
	w.evidence("partitions", float64(len(l.g.Partitions)), inPartitions)
}

// shared tells whether a partition may be read by several members: what one does of it
// is not known then.
func (l *look) shared() bool { return l.share() && len(l.members) > 1 }

// member is the owner of a partition, nil if there is none, or more than one.
func (l *look) member(p *Partition) *Member {
	if !l.shared() && p.Owner >= 0 && int(p.Owner) < len(l.members) {
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
