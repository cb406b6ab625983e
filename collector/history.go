package collector

import (
	"math"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// Histories hang on what a view has of topics and groups, and are handed on from
// view to view: whatever is forgotten takes its history with it, and what is made
// anew begins with none. They are changed in every poll, by the goroutine that
// polls; whoever else reads a view leaves them alone.

// logHistory is what is remembered of the partitions of a topic.
type logHistory struct {
	ends   logColumn // up to the end offset
	stable logColumn // up to the last stable offset; empty where no group asks for it
	config snapshot.Maybe[snapshot.TopicConfig]
}

// logColumn is a log for each partition, by id. Ids have no gap; a partition that
// makes one has no history.
type logColumn struct {
	logs []rates.Log
	// arrivals are how fast they grow, as the last view has it; never changed.
	arrivals []rates.Value
}

// observe takes in the ends that a poll read, which began at some moment, and says
// anew how fast they grow. What is older was taken in when it was read.
func (c *logColumn) observe(clock *rates.Clock, list []snapshot.Partition, end func(*snapshot.Partition) snapshot.Maybe[snapshot.Reading], began snapshot.Instant) {
	if more := len(list) - len(c.logs); more > 0 {
		c.logs = append(c.logs, make([]rates.Log, more)...)
	}
	now := make([]rates.Value, len(list))
	for i := range list {
		p := &list[i]
		r, known := end(p).Get()
		switch {
		case !known || int(p.ID) != i:
		case r.At < began:
			now[i] = c.arrival(p.ID)
		default:
			c.logs[i].Observe(clock, r)
			if start, ok := p.Start.Get(); ok {
				c.logs[i].Start(clock, start)
			}
			now[i] = perSecond(c.logs[i].Arrival(clock))
		}
	}
	c.arrivals = now
}

func (c *logColumn) arrival(id int32) rates.Value {
	if id >= 0 && int(id) < len(c.arrivals) {
		return c.arrivals[id]
	}
	return rates.Value{}
}

// log is that of a partition, nil where there is none.
func (c *logColumn) log(id int32) *rates.Log {
	if id >= 0 && int(id) < len(c.logs) {
		return &c.logs[id]
	}
	return nil
}

func perSecond(r rates.Rate) rates.Value {
	if !r.Known {
		return rates.Value{}
	}
	return rates.Of(r.PerSecond)
}

// never is after every poll.
const never = snapshot.Instant(math.MaxInt64)

// settings takes in what a poll has read of the settings of a topic.
func (t *Topic) settings(s *snapshot.Topic) { t.remembered().config = s.Config }

func (t *Topic) remembered() *logHistory {
	if t.history == nil {
		t.history = &logHistory{}
	}
	return t.history
}

// observe takes in the ends that a poll read of a topic.
func (t *Topic) observe(clock *rates.Clock, began snapshot.Instant) {
	h := t.remembered()
	h.ends.observe(clock, t.Partitions, func(p *snapshot.Partition) snapshot.Maybe[snapshot.Reading] { return p.End }, began)
	if len(h.stable.logs) > 0 || hasStable(t.Partitions) {
		h.stable.observe(clock, t.Partitions, func(p *snapshot.Partition) snapshot.Maybe[snapshot.Reading] { return p.LastStable }, began)
	}
	t.Arrivals = h.ends.arrivals
}

func hasStable(list []snapshot.Partition) bool {
	for i := range list {
		if list[i].LastStable.Known() {
			return true
		}
	}
	return false
}

// column is what the log is to a group: up to where it reads.
func (h *logHistory) column(g *Group) *logColumn {
	if g.ReadCommitted {
		return &h.stable
	}
	return &h.ends
}

// pairHistory is what is remembered of a group on a topic: a track for each
// partition, by id.
type pairHistory struct{ tracks []track }

// track is what is remembered of a group on one partition.
type track struct {
	pair rates.Pair
	// last is what was estimated when the pair was last renewed, and at is the
	// pair's At then; zero before.
	last     rates.Estimate
	headroom rates.Value
	at       snapshot.Instant
	owner    *Owner // the last that was seen, nil before
	start    int64  // of the log, as last seen
	lost     int64  // offsets, since the track began
}

// track is that of a partition, nil where there is none.
func (h *pairHistory) track(id int32) *track {
	if h != nil && id >= 0 && int(id) < len(h.tracks) {
		return &h.tracks[id]
	}
	return nil
}

// tracks makes sure that there is one for each of so many partitions.
func (t *GroupTopic) tracks(n int) *pairHistory {
	if t.history == nil {
		t.history = &pairHistory{}
	}
	if more := n - len(t.history.tracks); more > 0 {
		t.history.tracks = append(t.history.tracks, make([]track, more)...)
	}
	return t.history
}

// forget begins anew where the group has no position any more.
func (t *track) forget() { *t = track{lost: t.lost} }

// ownedBy takes in who owns the partition: nobody, while that is not known.
func (t *track) ownedBy(list []*Owner) {
	if len(list) == 0 {
		return
	}
	if t.owner != nil && t.owner != list[0] && !t.owner.Equal(list[0]) {
		t.pair.Moved()
	}
	t.owner = list[0]
}

// passed takes in where the log begins, and returns how many offsets are gone since
// the poll before that the group has not read, as far as its position tells.
func (t *track) passed(start, committed int64) int64 {
	gone := int64(0)
	if t.at != 0 {
		gone = max(0, start-max(committed, t.start))
	}
	t.start = start
	t.lost += gone
	return gone
}
