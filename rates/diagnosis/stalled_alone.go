package diagnosis

import "time"

// stalledAlone is what holds of a job that commits without members: some partitions have
// stopped, and it goes on with others of their topics. A topic on which it does not may
// be one that it reads no more, which Kafka cannot tell. It commits all at once, so what is
// usual for it is the longest pause of all, and one checkpoint may fail.
func (l *look) stalledAlone() *reason {
	if l.share() || !l.alone() {
		return nothing
	}
	goesOn, long := l.topicsGoOn(), l.patience(2*l.sum.usual)
	of := func(i int, p *Partition) bool {
		return l.standings[i] == stopped && goesOn[l.topicIndex(p)] && orZero(p.Estimate.Waiting.Get()) > long
	}
	_, _, n := l.backlog(of)
	if n == 0 {
		return nothing
	}
	return &reason{StalledPartition, holds(func(w *telling) { l.tellStalledAlone(w, of) })}
}

// topicsGoOn tells of each topic whether a partition that has not stopped was committed
// lately.
func (l *look) topicsGoOn() []bool {
	is := make([]bool, len(l.g.Topics)+1)
	for i := range l.g.Partitions {
		p := &l.g.Partitions[i]
		if ago, ok := p.Estimate.CommitAge.Get(); ok && l.standings[i] != stopped && ago <= l.recently() {
			is[l.topicIndex(p)] = true
		}
	}
	return is
}

// recently is how long ago the last commit of a job without members may be, in seconds.
func (l *look) recently() float64 {
	return max((5 * time.Minute).Seconds(), l.patience(l.sum.usual))
}

func (l *look) tellStalledAlone(w *telling, of func(i int, p *Partition) bool) {
	lag, waited, n := l.backlog(of)
	worst := w.partitions(of, age)
	at, silent := w.first(), orZero(worst.Estimate.Waiting.Get())
	also := ""
	if n > 1 {
		also = " and on " + countPartitions(n-1) + " more"
	}
	w.say("nothing has been committed on %s for %s%s, while the job goes on with others: %s is gone%s", at, span(silent), also,
		verb(n, "a record that cannot be processed, or who reads it", "a record on each that cannot be processed, or who reads them"), arrived(worst))
	l.proveStall(w, lag, waited, n, silent)
	w.do("look for "+at.String()+" in the log of the job that commits; the position at which it stands is shown by", w.describe())
	w.heldBack()
	w.explain()
}
