package collector

import (
	"math"
	"time"

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

// observe takes in the ends that a poll has read, and says anew how fast they grow;
// of those that are known from before it stands what was said then.
func (c *logColumn) observe(clock *rates.Clock, known, read []snapshot.Partition, end endOf) {
	if more := len(known) - len(c.logs); more > 0 {
		c.logs = append(c.logs, make([]rates.Log, more)...)
	}
	now := make([]rates.Value, len(known))
	for i := range known {
		switch {
		case int(known[i].ID) != i:
		case i < len(read) && end(&read[i]).Known():
			now[i] = observe(clock, &c.logs[i], end(&read[i]), read[i].Start)
		case end(&known[i]).Known():
			now[i] = c.arrival(known[i].ID)
		}
	}
	c.arrivals = now
}

// endOf is one of the two offsets up to which a log may be read.
type endOf func(p *snapshot.Partition) snapshot.Maybe[snapshot.Reading]

func observe(clock *rates.Clock, log *rates.Log, end, start snapshot.Maybe[snapshot.Reading]) rates.Value {
	r, _ := end.Get()
	log.Observe(clock, r)
	if r, ok := start.Get(); ok {
		log.Start(clock, r)
	}
	return perSecond(log.Arrival(clock))
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

// observe takes in what a poll has read of a topic; nil if it was nothing.
func (t *Topic) observe(clock *rates.Clock, read *snapshot.Topic) {
	if t.history == nil {
		t.history = &logHistory{}
	}
	h := t.history
	var list []snapshot.Partition
	if read != nil {
		h.config, list = read.Config, read.Partitions
	}
	h.ends.observe(clock, t.Partitions, list, func(p *snapshot.Partition) snapshot.Maybe[snapshot.Reading] { return p.End })
	if len(h.stable.logs) > 0 || hasStable(t.Partitions) {
		h.stable.observe(clock, t.Partitions, list, func(p *snapshot.Partition) snapshot.Maybe[snapshot.Reading] { return p.LastStable })
	}
	t.Arrivals, t.StableArrivals = h.ends.arrivals, h.stable.arrivals
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

// limited tells whether records are known to be deleted by age or size.
func (h *logHistory) limited() bool {
	c, ok := h.config.Get()
	return ok && retention(c).Limited()
}

// unlimited tells whether they are known not to be.
func (h *logHistory) unlimited() bool { return h.config.Known() && !h.limited() }

// pairHistory is what is remembered of a group on a topic: a track for each
// partition, by id.
type pairHistory struct {
	tracks []track
	losses []loss // in the last poll that found the group, by partition
}

// loss is what a group has lost of a partition.
type loss struct {
	partition int32
	offsets   int64
}

func (l *loss) id() int32 { return l.partition }

// track is what is remembered of a group on one partition.
type track struct {
	pair rates.Pair
	// last is what was estimated when the pair was last renewed, and at is the
	// pair's At then; zero before.
	last     rates.Estimate
	headroom rates.Value
	habit    rates.Habit // what is usual while the pair keeps up
	at       snapshot.Instant
	owner    *Owner // the last that was seen, nil before
	start    int64  // of the log, or of the share group, as last seen
	lost     int64  // offsets, since the track began
	reached  int64  // by a share group
	from     int64  // where it was in the poll before the last one that found it
	gone     int64  // offsets before start that may have been lost; due if retention was to
	due      bool
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

// share takes in where a share group is, and returns how far it has come. That is
// what the log's end is above the lag, which was read before it: what arrived in
// between seems to be done, once more and once less. So while the group's start stays
// where it is, less than slack is no progress; and it goes back only where the start
// does.
func (t *track) share(start, reached, slack int64) int64 {
	switch {
	case t.at == 0 || start < t.start:
	case start == t.start && reached-t.reached <= slack:
		reached = t.reached
	default:
		reached = max(reached, t.reached)
	}
	t.start, t.reached = start, reached
	return reached
}

// slack is twice what arrives in the time between two readings, and in a moment more,
// since both take one; no end of it, before that is known.
func slack(arrival rates.Value, between time.Duration) int64 {
	perSecond, ok := arrival.Get()
	if !ok {
		return math.MaxInt64
	}
	return int64(math.Ceil(2 * perSecond * (max(between, 0) + 50*time.Millisecond).Seconds()))
}

// passed takes in where the log begins, which was read after the commit, and returns
// how many offsets are gone that the group has not read: those that the poll before
// saw gone, if this one finds the group still before them. One that is beyond may have
// read them, and deleted them itself, as Kafka Streams does, between the two readings;
// unless they were due: then it was retention, and the group has jumped.
func (t *track) passed(start, committed int64, due bool) (lost int64) {
	switch {
	case committed < t.start:
		lost = t.gone - max(0, committed-(t.start-t.gone))
	case t.due:
		lost = t.gone
	}
	t.gone, t.due = 0, due
	if t.at != 0 {
		t.gone = max(0, start-max(committed, t.start))
	}
	t.start = start
	t.lost += lost
	return lost
}
