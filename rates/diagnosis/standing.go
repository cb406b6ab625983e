package diagnosis

import "time"

// standing says how a partition stands.
type standing uint8

const (
	calm      standing = iota // nothing is unread, or its next commit takes it in
	undecided                 // not known yet
	soon                      // it does not catch up, and is not old yet
	shrinking                 // behind, and catching up
	falling                   // behind, and not catching up
	stopped                   // nothing is committed
)

func (l *look) standing(p *Partition) standing {
	if !p.restless() || l.nobodys(p) {
		return calm
	}
	waiting, known := p.Estimate.Waiting.Get()
	drain, ok := p.Estimate.DrainSeconds.Get()
	old, aging := l.old(p)
	switch never := drain > forever; {
	case l.silent(p) && known && l.stretch(waiting) <= max(l.t.Stalled.Seconds(), l.patience(l.habit(p))):
		return undecided
	case l.tail(p):
		return calm
	case l.silent(p):
		return stopped
	case !ok:
		return undecided
	case old && never && p.Estimate.Resumed:
		return undecided // it just came back
	case old && never:
		return falling
	case old:
		return shrinking
	case aging && never:
		return soon
	}
	return calm
}

// forever is more seconds than any drain time that means something.
const forever = 1e12

// unread tells whether there are records that the group has not read. A single offset
// on a log that does not grow may be the marker that ends a transaction, which nobody
// reads and no commit counts: it is none.
func (p *Partition) unread() bool {
	lag, ok := p.Lag.Get()
	if !ok || lag <= 0 || p.Position != Committed {
		return false
	}
	arrival, _ := p.Arrival.Get()
	return lag > 1 || arrival > 0
}

// tail tells whether what is unread may be nothing that can be read: the markers of
// transactions that ended at about the same time, or the records of a small one that was
// aborted. Those who commit the offset after the last record never commit these; they are
// very few, and nothing has arrived since. What a share group acknowledges are records,
// and its position passes all else.
func (l *look) tail(p *Partition) bool { return l.remnant(p, p.Lag.Or(0)) && l.silent(p) }

// remnant tells whether so many offsets at the group's position may be nothing that can be
// read, while they are there and when retention has removed them.
func (l *look) remnant(p *Partition, offsets int64) bool {
	return !l.share() && p.Estimate.Remnant(offsets)
}

// restless tells whether there is more to read than the next commit takes in, or that
// cannot be told.
func (p *Partition) restless() bool {
	return p.unread() && !p.Estimate.KeepsUp
}

// nobodys tells whether nobody reads the partition, though the group has members: none of
// them subscribes to its topic any more. It plays no part in why the group lags.
func (l *look) nobodys(p *Partition) bool {
	if p.Owner >= 0 || len(l.members) == 0 || !l.g.Assigned || l.topicIndex(p) == len(l.g.Topics) {
		return false
	}
	subscribed, known := l.g.Topics[p.Topic].Subscribed.Get()
	return known && !subscribed
}

// keepsUp tells whether nothing is behind of what the group reads.
func (l *look) keepsUp() bool {
	if l.sum.restless == 0 {
		return true
	}
	for i := range l.g.Partitions {
		if p := &l.g.Partitions[i]; p.restless() && !l.nobodys(p) {
			return false
		}
	}
	return true
}

// old tells whether the oldest unread record is as old as one of a group that is behind,
// and aging whether it may soon be: older than any is between two commits. Where its age
// is not known it arrived before the log was watched.
func (l *look) old(p *Partition) (old, aging bool) {
	usual := l.pause(p)
	age, ok := p.Estimate.LagAge.Get()
	if !ok {
		old = l.watched() >= l.t.Behind+2*l.g.Interval
		return old, old
	}
	behind := l.t.Behind.Seconds()
	return age >= max(behind, l.patience(usual)), age >= max(behind/2, usual+l.g.Interval.Seconds())
}

// habit is how long a partition usually leaves between commits, or while that is not
// known the others of its topic do, in seconds; 0 if none is known to. An application may
// commit each topic in its own way.
func (l *look) habit(p *Partition) float64 {
	if usual, ok := p.Estimate.Usual.Get(); ok {
		return usual
	}
	if l.usuals == nil {
		l.usuals = make([]float64, len(l.g.Topics)+1)
		for i := range l.g.Partitions {
			p := &l.g.Partitions[i]
			at := &l.usuals[l.topicIndex(p)]
			*at = max(*at, orZero(p.Estimate.Usual.Get()))
		}
	}
	return l.usuals[l.topicIndex(p)]
}

// pause is that, or while it is not known what is usual on other topics.
func (l *look) pause(p *Partition) float64 {
	if usual := l.habit(p); usual > 0 {
		return usual
	}
	return l.sum.usual
}

// overdue is by how many seconds the oldest unread record of a partition is older than
// that: for so long what is done already waits for its commit.
func (l *look) overdue(p *Partition) float64 { return max(0, age(p)-l.pause(p)) }

// watched is for how long the group has been.
func (l *look) watched() time.Duration { return l.g.Now.Sub(l.m.began) }

// silent tells whether nothing was committed for longer than is usual: for the
// partition itself, or while that is not known, for the others of its topic.
func (l *look) silent(p *Partition) bool {
	if p.Estimate.Stopped {
		return true
	}
	waiting, ok := p.Estimate.Waiting.Get()
	if !ok || p.Estimate.Usual.Known() {
		return false
	}
	usual := l.habit(p)
	return usual > 0 && waiting > l.patience(usual)
}

// stretch is the part of a silence in which the partition had one owner, in seconds: the
// longer of what was before owners last changed and since. While they change nobody
// commits, and who comes in may leave a pause of his own. A partition that had stopped
// before, as when a record throws out one member after the other, still has.
func (l *look) stretch(waiting float64) float64 {
	p := &l.m.past
	if p.settled == 0 || l.known && len(l.members) == 0 { // nobody is waited for
		return waiting
	}
	return max(min(waiting, l.ago(p.settled)), waiting-l.ago(p.left))
}

// patience is for how many seconds a partition with a usual pause may be silent.
func (l *look) patience(usual float64) float64 {
	return l.t.Pause*usual + 1.5*l.g.Interval.Seconds()
}
