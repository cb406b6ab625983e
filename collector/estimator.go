package collector

import (
	"context"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// estimator adds to the views of one cluster what is estimated. It belongs to the
// goroutine that polls.
type estimator struct {
	clock   *rates.Clock
	history time.Duration
	stale   time.Duration
	seeds   seeder
	near    time.Duration    // up to which a round is near
	polls   uint64           // how many there were, whatever came of them
	since   snapshot.Instant // the first poll; 0 before
	reasons bool             // that it is said why groups lag
	secured bool
	several bool // clusters are watched
}

func newEstimator(p Poller, o Options) *estimator {
	e := &estimator{
		clock:   rates.NewClock(rates.Options{History: o.History, Interval: o.Interval}),
		history: o.History, stale: o.StaleAfter, reasons: true, secured: o.Secured, several: o.Several,
		near: ownership.Near(o.Interval),
	}
	if t, ok := p.(timer); ok && o.Seed {
		e.seeds = seeder{timer: t, tolerance: o.Interval}
	}
	return e
}

// estimate completes a view that was just assembled and nobody has seen: it hands
// what the poll has read to the histories of the view, and puts into the view what
// follows from them. A failed poll (err) brings them nothing; what was estimated
// stands until it is too old. It may ask Kafka when records arrived, within ctx.
func (e *estimator) estimate(ctx context.Context, v *View, s *snapshot.Snapshot, err error) {
	e.polls++
	if err == nil {
		e.clock.Begin(snapshot.InstantOf(s.Started))
		e.seeds.begin(e.clock, s.Finished)
		if e.since == 0 {
			e.since = e.clock.Now()
		}
	}
	inParts(len(v.Topics), func(from, to int) {
		for i := from; i < to; i++ {
			var read *snapshot.Topic
			if err == nil {
				read = &s.Topics[i] // the view has those of the poll
			}
			v.Topics[i].observe(e.clock, read)
		}
	})
	if err == nil {
		e.seeds.ask(ctx, e.clock, s.Finished, e.observe(v, s))
	}
	now, why := snapshot.InstantOf(v.Built), obstaclesOf(v)
	if why.secured = e.secured; e.several {
		why.cluster = v.Cluster
	}
	inParts(len(v.Groups), func(from, to int) {
		r := reckoner{v: v, clock: e.clock, now: now, stale: e.stale}
		if e.reasons {
			r.facts = &facts{view: v, now: now, obstacles: why}
		}
		for i := from; i < to; i++ {
			r.group(&v.Groups[i])
		}
	})
	if e.reasons {
		v.missing(now, why)
	}
}

// observe takes in where a poll has found the groups, and returns the pairs whose
// age may be learned by asking. Several groups may read one log at the same time.
func (e *estimator) observe(v *View, s *snapshot.Snapshot) *wanted {
	watched := min(e.history, e.clock.Now().Sub(e.since))
	all := e.seeds.wanted(watched)
	inParts(len(v.Groups), func(from, to int) {
		o := observer{clock: e.clock, topics: v.Topics, read: s.Topics, wanted: e.seeds.wanted(watched)}
		for i := from; i < to; i++ {
			e.follow(&o, &v.Groups[i], &s.Groups[i], s.Finished)
		}
		all.merge(o.wanted)
	})
	return all
}

// follow takes in who owns what in a group, and where it is.
func (e *estimator) follow(o *observer, g *Group, s *snapshot.Group, at time.Time) {
	g.following.observe(g, s, at, e.stale)
	o.mover = mover{
		known: s.State != snapshot.StateUnknown, empty: s.State == snapshot.StateEmpty,
		vacant: g.following.vacant.observe(g, s, e.polls), moved: o.moved[:0],
	}
	o.observe(g, s)
	g.shifted(&o.mover, at, e.near)
}

// observer takes in where some groups are.
type observer struct {
	clock  *rates.Clock
	topics []Topic
	read   []snapshot.Topic // the same, as the poll has read them
	wanted *wanted
	mover  // of one group after the other
}

func (o *observer) observe(g *Group, s *snapshot.Group) {
	at := positionsOf(s)
	if !at.read {
		return
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		t.unplaced()
		if n := t.among(o.topics); n >= 0 {
			o.topic(g, t, &o.topics[n], o.read[n].Partitions, at.readAt)
		}
	}
}

// among finds the topic among those of its view, -1 if it is not there: mostly where it
// was before, which saves a search by name. It is for who makes the view.
func (t *GroupTopic) among(topics []Topic) int {
	if n := int(t.at); n < len(topics) && topics[n].Name == t.Topic {
		return n
	}
	n := search(topics, t.Topic, topicName)
	t.at = int32(max(n, 0))
	return n
}

// unplaced forgets what was seen of pairs that have no position any more, and of
// those that are gone.
func (t *GroupTopic) unplaced() {
	if t.history == nil {
		return
	}
	t.history.losses = t.history.losses[:0]
	for id := range t.history.tracks {
		if find(t.Pairs, int32(id), (*Pair).id) == nil {
			t.history.tracks[id] = track{}
		}
	}
	for i := range t.Pairs {
		if p := &t.Pairs[i]; p.Fresh && !p.placed() {
			if track := t.history.track(p.Partition); track != nil {
				track.forget()
			}
		}
	}
}

// placed tells whether the group has a position on the log.
func (p *Pair) placed() bool { return p.State == PairCommitted || p.State == PairBeyondEnd }

func (o *observer) topic(g *Group, t *GroupTopic, log *Topic, read []snapshot.Partition, readAt snapshot.Instant) {
	column := log.history.column(g)
	tracks := t.tracks(len(column.logs))
	for i := range t.Pairs {
		p := &t.Pairs[i]
		track, history := tracks.track(p.Partition), column.log(p.Partition)
		part := find(read, p.Partition, partitionID)
		if !p.Fresh || !p.placed() || track == nil || history == nil || part == nil {
			continue
		}
		at, ok := p.position(g, part, readAt)
		if !ok {
			continue // the log's end was not read, as may be for a share group
		}
		track.ownedBy(g.Owners(p))
		if start, shared := p.ShareStart.Get(); shared {
			end, _ := logEnds{part, g.ReadCommitted}.end()
			at.Committed = track.share(start, at.Committed, slack(column.arrival(p.Partition), end.At.Sub(readAt)))
		}
		s := sighting{track: track, log: history, topic: log, part: part, at: at, read: p.At}
		back := s.observe(o.clock, p)
		o.add(g, t.Topic, p.Partition, back, at.Committed-track.from)
		if s.lost > 0 {
			tracks.losses = append(tracks.losses, loss{p.Partition, s.lost})
		}
		o.wanted.add(&s)
	}
}

// sighting is a pair as one poll has found it.
type sighting struct {
	track *track
	log   *rates.Log
	topic *Topic
	part  *snapshot.Partition
	at    rates.Position
	read  snapshot.Instant // the pair's At
	lost  int64            // offsets that are known since this poll to be lost
}

// observe takes in where a pair is, and returns by how much it went back.
func (s *sighting) observe(clock *rates.Clock, p *Pair) (rewound int64) {
	if start, ok := s.part.Start.Get(); ok && p.Lost.Known() {
		s.passed(start.Offset)
	}
	s.track.from = s.at.Committed
	if before, ok := s.track.pair.Committed(); ok {
		s.track.from = before
	}
	return s.estimate(clock)
}

// passed takes in where the log begins. Where the policy does not delete, nothing is
// lost: compaction moves the start too.
func (s *sighting) passed(start int64) {
	t := s.track
	left, ok := t.headroom.Get()
	s.lost = t.passed(start, s.at.Committed, ok && left <= s.read.Sub(t.at).Seconds())
	if c, ok := s.topic.history.config.Get(); ok && !c.Delete {
		t.gone = 0
	}
}

// estimate hands the position to the history and notes what is estimated. It
// returns by how much the group went back. The same position may be handed over
// again, once the log has learned more.
func (s *sighting) estimate(clock *rates.Clock) (rewound int64) {
	t := s.track
	t.last, rewound = t.pair.Observe(clock, s.log, s.at)
	t.habit.Observe(clock, s.log, &t.last)
	t.at, t.headroom = s.read, rates.Value{}
	if c, ok := s.topic.history.config.Get(); ok {
		t.headroom = rates.Headroom(clock, s.log, retention(c), s.at, t.last, s.lost > 0)
	}
	return rewound
}

func retention(c snapshot.TopicConfig) rates.Retention {
	r := rates.Retention{Delete: c.Delete, Bytes: c.RetentionBytes}
	if limit, ok := c.RetentionTime.Get(); ok {
		r.Time = max(limit, 1) // a limit of 0 is one
	}
	return r
}

// position is where a group is on a partition, on which it has a position that was
// read at a moment; false where the log's end is not known.
func (p *Pair) position(g *Group, part *snapshot.Partition, readAt snapshot.Instant) (at rates.Position, ok bool) {
	lag, known := p.Lag.Get()
	ends := logEnds{part, g.ReadCommitted}
	end, okEnd := ends.end()
	start, okStart := ends.start()
	if !known || !okEnd {
		return at, false
	}
	at = rates.Position{At: readAt, Lag: lag, End: end.Offset}
	if oldest, shared := p.ShareStart.Get(); shared {
		at.Committed, at.Oldest = max(0, end.Offset-lag), oldest
		return at, true
	}
	at.Committed = p.Committed.Or(0)
	at.Oldest = max(at.Committed, start.Offset)
	return at, okStart
}
