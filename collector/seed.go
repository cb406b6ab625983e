package collector

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// timer looks up when records arrived. A [Poller] that can is one; it is asked
// after a poll, each broker by a goroutine of its own, and is done before the next.
// What it cannot tell is unknown.
type timer interface {
	Times(ctx context.Context, list []snapshot.TimeQuestion) []snapshot.TimeAnswer
}

// What is asked after one poll is bounded: brokers read the index of a segment for
// each question, and the poll's view waits for the answers. What is left over is
// asked after the next poll.
const (
	seedTime   = 2 * time.Second // and half of the interval at most
	seedRounds = 12
	seedPairs  = 5000 // that are asked about
	seedOfALog = 4    // questions about one log in a round: a request has each partition once
)

// seeder learns from brokers when records arrived that are older than the history.
// Without a timer it asks nothing.
type seeder struct {
	timer     timer
	tolerance time.Duration
	clock     *rates.Clock
	paces     map[int32]*pace // by broker
	first     time.Time       // when the first poll ended
	ahead     time.Duration   // by how much more the wall clock has advanced since
}

// stepAtLeast is by how much the wall clock is set at least, from one poll to the
// next: it is also made to run faster or slower, by less.
const stepAtLeast = time.Second

// begin is called when the clock has begun a poll that ended at a moment, before
// anything is observed. It notices that the wall clock was set.
func (s *seeder) begin(clock *rates.Clock, end time.Time) {
	if s.clock = clock; s.first.IsZero() {
		s.first = end
	}
	ahead := end.Round(0).Sub(s.first.Round(0)) - end.Sub(s.first)
	if (ahead - s.ahead).Abs() > stepAtLeast {
		clock.Stepped()
	}
	s.ahead = ahead
}

// wanted are pairs with an age that polls have not seen. Where there are too many,
// those are kept that [wanted.trim] puts first. Nil wants nothing.
type wanted struct {
	*seeder
	mu      sync.Mutex
	list    []sighting
	watched time.Duration // what is older is from before the first poll, or forgotten
}

// wanted makes an empty one, which is told how long polls have been remembered.
func (s *seeder) wanted(watched time.Duration) *wanted {
	if s.timer == nil {
		return nil
	}
	return &wanted{seeder: s, watched: watched}
}

// add wants the age of a pair, if it has something to read, polls have not seen it
// arrive, and there is something to ask. Topics in remote storage are left alone, and
// those that may be.
func (w *wanted) add(s *sighting) {
	if w == nil || s.at.Lag == 0 || !s.part.Leader.Known() || !s.topic.history.local() {
		return
	}
	if age, known := s.track.last.LagAge.Get(); known && age < w.watched.Seconds() {
		return
	}
	if _, ok := s.track.pair.Ask(w.clock, s.log, s.at, w.tolerance); !ok {
		return
	}
	if w.list = append(w.list, *s); len(w.list) >= 2*seedPairs {
		w.trim()
	}
}

// local tells whether all of the log is known to be on the brokers' own disks.
func (h *logHistory) local() bool {
	c, _ := h.config.Get()
	remote, known := c.Remote.Get()
	return known && !remote
}

// trim puts those first of which nothing is known, and of these the greatest lags,
// and drops the last. But every fifth place is for anyone: what is first may stay so,
// whatever is answered.
func (w *wanted) trim() {
	slices.SortStableFunc(w.list, func(a, b sighting) int {
		if known := a.track.last.LagAge.Known(); known != b.track.last.LagAge.Known() {
			return int(truth(known)) - int(truth(!known))
		}
		return cmp.Compare(b.at.Lag, a.at.Lag)
	})
	for i := 4; i < len(w.list); i += 5 {
		j := i + rand.IntN(len(w.list)-i)
		w.list[i], w.list[j] = w.list[j], w.list[i]
	}
	if len(w.list) > seedPairs {
		clear(w.list[seedPairs:])
		w.list = w.list[:seedPairs]
	}
}

// merge takes over what another one wants. Safe for concurrent use.
func (w *wanted) merge(o *wanted) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, o.list...)
}

// ask asks each broker in rounds, each of which follows from the one before, and
// estimates again what has been learned of. at is when the poll ended: its wall clock
// is what the records' timestamps are compared with.
func (s *seeder) ask(ctx context.Context, clock *rates.Clock, at time.Time, w *wanted) {
	if w == nil || len(w.list) == 0 {
		return
	}
	w.trim()
	limit := min(seedTime, s.tolerance/2)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var brokers sync.WaitGroup
	for leader, list := range w.byLeader() {
		if p := s.pace(leader); !p.pauses() {
			r := rounds{clock: clock, end: at, tolerance: s.tolerance, pace: p, limit: limit, done: map[*rates.Log]bool{}}
			brokers.Go(func() { r.ask(ctx, s.timer, list) })
		}
	}
	brokers.Wait()
}

// byLeader sorts pairs by the broker that is asked about them.
func (w *wanted) byLeader() map[int32][]sighting {
	lists := map[int32][]sighting{}
	for _, s := range w.list {
		leader, _ := s.part.Leader.Get()
		lists[leader] = append(lists[leader], s)
	}
	return lists
}

// pace is that of a broker.
func (s *seeder) pace(broker int32) *pace {
	if s.paces[broker] == nil {
		if s.paces == nil {
			s.paces = map[int32]*pace{}
		}
		s.paces[broker] = &pace{most: paceFirst}
	}
	return s.paces[broker]
}

// rounds are the questions to one broker after one poll.
type rounds struct {
	clock     *rates.Clock
	end       time.Time // of the poll
	tolerance time.Duration
	pace      *pace
	limit     time.Duration       // for all rounds
	done      map[*rates.Log]bool // those asked about: whether it is for the last time
	logs      []*rates.Log        // that the questions of this round are about
	asked     []snapshot.Instant
}

// ask asks about pairs that one broker can tell of, which no other one changes. A
// round begins only while half of the time is left: an answer that does not come then
// is the broker's fault.
func (r *rounds) ask(ctx context.Context, broker timer, list []sighting) {
	end, _ := ctx.Deadline()
	for range seedRounds {
		questions := r.next(list)
		began := time.Now()
		if len(questions) == 0 || ctx.Err() != nil || end.Sub(began) < r.limit/2 {
			break
		}
		known := r.learn(broker.Times(ctx, questions))
		if !r.pace.heard(len(questions), known, time.Since(began), r.limit) {
			break
		}
	}
	for i := range list {
		if _, asked := r.done[list[i].log]; asked {
			list[i].estimate(r.clock)
		}
	}
}

// next are the questions of the next round: of a log some, for groups in different
// places on it.
func (r *rounds) next(list []sighting) (questions []snapshot.TimeQuestion) {
	r.logs, r.asked = nil, nil
	here := map[*rates.Log][]snapshot.Instant{}
	for i := range list {
		s := &list[i]
		if len(questions) == r.pace.most {
			break
		}
		if r.done[s.log] || len(here[s.log]) == seedOfALog {
			continue
		}
		at, ok := s.track.pair.Ask(r.clock, s.log, s.at, r.tolerance)
		if !ok || slices.Contains(here[s.log], at) {
			continue
		}
		here[s.log] = append(here[s.log], at)
		r.logs, r.asked = append(r.logs, s.log), append(r.asked, at)
		questions = append(questions, snapshot.TimeQuestion{Topic: s.topic.Name, Partition: s.part.ID, Asked: r.wall(at)})
	}
	return questions
}

// learn takes in the answers of a round, and tells how many there were. A log of
// which nothing is told is not asked about again after this poll.
func (r *rounds) learn(answers []snapshot.TimeAnswer) (known int) {
	for i, log := range r.logs {
		var a snapshot.TimeAnswer
		if i < len(answers) {
			a = answers[i]
		}
		if r.done[log] = r.done[log] || !a.Known; a.Known {
			known++
			log.Learn(r.clock, r.asked[i], a.Found, a.Offset, r.instant(a.Stamp))
		}
	}
	return known
}

// wall is an instant on the clock that records' timestamps are of, to the
// millisecond as they are.
func (r *rounds) wall(at snapshot.Instant) time.Time {
	return r.end.Round(0).Add(at.Sub(snapshot.InstantOf(r.end))).Truncate(time.Millisecond)
}

// instant is a record's timestamp on the clock of the polls.
func (r *rounds) instant(stamp time.Time) snapshot.Instant {
	if stamp.IsZero() {
		return 0
	}
	return snapshot.InstantOf(r.end) - snapshot.Instant(r.end.Round(0).Sub(stamp))
}
