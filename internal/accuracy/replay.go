package main

import (
	"math"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// history is how far back estimates may look: lagwatch's default.
const history = 30 * time.Minute

// rounds is how often a poll may ask the broker for one partition.
const rounds = 6

// broker is what is known beside a trace. The zero value is of a recorded one: nobody
// answers, and nothing is known of when records are deleted.
type broker struct {
	// lookup answers when records arrived; see [simulate.Run.Lookup].
	lookup func(partition int32, at, now trace.Moment) (offset int64, stamp trace.Moment, found bool)
	// retain is how long records are kept, deleted when one really goes; see
	// [simulate.Run.Deleted].
	retain  time.Duration
	deleted func(partition int32, offset int64, now trace.Moment) (at trace.Moment, ok bool)
}

func brokerOf(r simulate.Run) broker { return broker{r.Lookup, r.Retain(), r.Deleted} }

// sample is a pair in one poll: what was seen, what was estimated, and what was true
// where somebody knows.
type sample struct {
	pair     pair
	poll     int          // which of the trace it is of
	at       trace.Moment // when the end was read
	lag      int64
	rewound  int64
	arrival  rates.Rate
	estimate rates.Estimate
	headroom rates.Value
	left     float64               // until the oldest unread record really is deleted; NaN for never or unknown
	others   [alternatives]float64 // NaN where they say nothing
	truth    *trace.Truth
}

func (s sample) arrivalValue() rates.Value {
	if !s.arrival.Known {
		return rates.Value{}
	}
	return rates.Of(s.arrival.PerSecond)
}

type place struct {
	topic     string
	partition int32
}

type pair struct {
	group string
	place
}

// replay estimates as the collector does, poll by poll.
type replay struct {
	broker   broker
	interval time.Duration
	clock    *rates.Clock
	logs     map[place]*rates.Log
	pairs    map[pair]*watched
	polls    int
	scraped  map[pair]*scrapes // outlives a restart, as Prometheus does
}

type watched struct {
	rates.Pair
	owner string
	start int64 // of the log
	seen  bool
}

func newReplay(h trace.Header, b broker) *replay {
	r := &replay{broker: b, interval: time.Duration(h.Interval), scraped: map[pair]*scrapes{}}
	r.begin()
	return r
}

func (r *replay) begin() {
	r.clock = rates.NewClock(rates.Options{History: history, Interval: r.interval})
	r.logs, r.pairs = map[place]*rates.Log{}, map[pair]*watched{}
}

// poll takes in one poll and returns a sample for each position in it.
func (r *replay) poll(p trace.Poll) []sample {
	if p.Restart {
		r.begin()
	}
	r.clock.Begin(instant(p.At))
	read := map[place]trace.Log{}
	for _, l := range p.Logs {
		at := place{l.Topic, l.Partition}
		read[at] = l
		log := entry(r.logs, at)
		log.Observe(r.clock, snapshot.Reading{Offset: l.End, At: instant(l.At)})
		log.Start(r.clock, snapshot.Reading{Offset: l.Start, At: instant(l.At)})
	}
	samples := make([]sample, 0, len(p.Positions))
	for _, c := range p.Positions {
		samples = append(samples, r.position(c, read[place{c.Topic, c.Partition}]))
	}
	r.polls++
	return samples
}

func (r *replay) position(c trace.Position, l trace.Log) sample {
	s := sample{pair: pair{c.Group, place{c.Topic, c.Partition}}, poll: r.polls, at: l.At, left: math.NaN(), truth: c.Truth}
	oldest := max(c.Committed, l.Start)
	s.lag = max(0, l.End-oldest)
	log, progress := entry(r.logs, s.pair.place), entry(r.pairs, s.pair)
	if progress.owner != c.Owner && progress.owner != "" {
		progress.Moved()
	}
	progress.owner = c.Owner
	if s.lag > 0 {
		r.learn(log, l, oldest)
	}
	s.arrival = log.Arrival(r.clock)
	at := rates.Position{At: instant(c.At), Committed: c.Committed, Oldest: oldest, Lag: s.lag, End: l.End}
	s.estimate, s.rewound = progress.Observe(r.clock, log, at)
	lost := progress.loses(c.Committed, l.Start)
	if r.broker.retain > 0 {
		s.headroom = rates.Headroom(r.clock, log, rates.Retention{Delete: true, Time: r.broker.retain}, at, s.estimate, lost)
		if gone, ok := r.broker.deleted(c.Partition, oldest, l.At); ok && s.lag > 0 {
			s.left = (gone - l.At).Seconds()
		}
	}
	s.others = entry(r.scraped, s.pair).scrape(l.At, s.lag, c.Committed, l.End)
	return s
}

// loses takes in a position, and tells whether records were deleted unread since the
// poll before.
func (w *watched) loses(committed, start int64) bool {
	lost := w.seen && start > max(committed, w.start)
	w.start, w.seen = start, true
	return lost
}

// learn asks the broker when the oldest unread record arrived, where that is not known.
func (r *replay) learn(log *rates.Log, l trace.Log, oldest int64) {
	for range rounds {
		at, ok := log.Ask(r.clock, oldest, r.interval)
		if !ok || r.broker.lookup == nil {
			return
		}
		offset, stamp, found := r.broker.lookup(l.Partition, moment(at), l.At)
		log.Learn(r.clock, at, found, offset, instant(stamp))
	}
}

// entry is the one of a key, made if there is none.
func entry[K comparable, V any](m map[K]*V, k K) *V {
	v := m[k]
	if v == nil {
		v = new(V)
		m[k] = v
	}
	return v
}

// epoch is the instant at which traces begin; it is far from 0, as in a process.
const epoch = snapshot.Instant(50 * 365 * 24 * time.Hour)

func instant(m trace.Moment) snapshot.Instant { return epoch + snapshot.Instant(m) }
func moment(i snapshot.Instant) trace.Moment  { return trace.Moment(i - epoch) }
