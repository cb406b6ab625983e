package rates

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// epoch is an instant that tests begin at.
const epoch = snapshot.Instant(50 * 365 * 24 * time.Hour)

// after is an instant some time later than the epoch.
func after(d time.Duration) snapshot.Instant { return epoch + snapshot.Instant(d) }

// records are a log that keeps everything: when each record truly arrived, and what
// its timestamp is. They arrive in order.
type records struct {
	arrived, stamps []snapshot.Instant
	// start is where the log begins; what is before it is deleted.
	start int64
	// largest is the largest timestamp from the start up to each record.
	largest []snapshot.Instant
}

// put appends a record that arrives at a moment and is stamped with it.
func (r *records) put(at snapshot.Instant) { r.stamped(at, at) }

// stamped appends a record.
func (r *records) stamped(at, stamp snapshot.Instant) {
	r.arrived, r.stamps = append(r.arrived, at), append(r.stamps, stamp)
}

// end is where the log ends at a moment.
func (r *records) end(at snapshot.Instant) int64 {
	return int64(sort.Search(len(r.arrived), func(i int) bool { return r.arrived[i] > at }))
}

// lookUp answers by definition, as the broker does at a moment: the first record
// with a timestamp at or after the one asked for, which is in whole milliseconds. It
// is where the largest timestamp so far comes to that.
func (r *records) lookUp(now, asked snapshot.Instant) (offset int64, stamp snapshot.Instant, found bool) {
	asked -= asked % snapshot.Instant(time.Millisecond)
	if len(r.largest) != len(r.stamps)-int(r.start) {
		r.largest = slices.Clone(r.stamps[r.start:])
		for i := range r.largest {
			r.largest[i] = max(r.largest[i], r.largest[max(i-1, 0)])
		}
	}
	offset = r.start + int64(sort.Search(len(r.largest), func(i int) bool { return r.largest[i] >= asked }))
	if offset >= r.end(now) {
		return 0, 0, false
	}
	return offset, r.stamps[offset], true
}

// watched is a log that is polled, and the records in it.
type watched struct {
	*records
	clock *Clock
	log   Log
	now   snapshot.Instant
}

// watch is a log that was not polled yet.
func watch(r *records, interval time.Duration) *watched {
	return &watched{records: r, clock: NewClock(Options{History: 30 * time.Minute, Interval: interval})}
}

// poll polls the log.
func (w *watched) poll(at snapshot.Instant) {
	w.now = at
	w.clock.Begin(at)
	w.log.Observe(w.clock, snapshot.Reading{Offset: w.end(at), At: at})
	w.log.Start(w.clock, snapshot.Reading{Offset: w.start, At: at})
}

// pollUntil polls it at every interval.
func (w *watched) pollUntil(from, to snapshot.Instant) {
	for at := from; at <= to; at += snapshot.Instant(w.clock.opts.Interval) {
		w.poll(at)
	}
}

// search asks until nothing is asked any more, and returns how often.
func (w *watched) search(t *testing.T, offset int64) (asks int) {
	t.Helper()
	for {
		at, ok := w.log.Ask(w.clock, offset, w.clock.opts.Interval)
		if !ok {
			return asks
		}
		if asks++; asks > 500 {
			t.Fatalf("offset %d: asks for ever, now for %v ago", offset, w.now.Sub(at))
		}
		w.answer(at)
	}
}

// answer looks up and tells.
func (w *watched) answer(asked snapshot.Instant) {
	offset, stamp, found := w.lookUp(w.now, asked)
	w.log.Learn(w.clock, asked, found, offset, stamp)
}

// shapes are how records may arrive over a time.
var shapes = map[string]func(r *rand.Rand, over time.Duration) *records{
	"evenly": func(_ *rand.Rand, over time.Duration) *records {
		return spaced(over, func(time.Duration) time.Duration { return 3 * time.Second })
	},
	"at random": func(r *rand.Rand, over time.Duration) *records {
		return spaced(over, func(time.Duration) time.Duration { return time.Duration(r.ExpFloat64() * float64(4*time.Second)) })
	},
	"one in some minutes": func(r *rand.Rand, over time.Duration) *records {
		return spaced(over, func(time.Duration) time.Duration { return time.Duration(r.ExpFloat64() * float64(7*time.Minute)) })
	},
	"in bursts": func(r *rand.Rand, over time.Duration) *records {
		return spaced(over, func(time.Duration) time.Duration {
			if r.IntN(1000) == 0 {
				return time.Duration(r.ExpFloat64() * float64(time.Hour))
			}
			return 10 * time.Millisecond
		})
	},
	"with long pauses": func(r *rand.Rand, over time.Duration) *records {
		return spaced(over, func(time.Duration) time.Duration {
			if r.IntN(5000) == 0 {
				return time.Duration(r.IntN(int(8 * time.Hour)))
			}
			return 2 * time.Second
		})
	},
	"by the hour": func(_ *rand.Rand, over time.Duration) *records {
		return spaced(over, func(at time.Duration) time.Duration {
			return time.Duration(float64(4*time.Second) / (1.05 + math.Sin(at.Hours()*2*math.Pi)))
		})
	},
	"ever more": func(_ *rand.Rand, over time.Duration) *records {
		return spaced(over, func(at time.Duration) time.Duration {
			return time.Minute - time.Duration(59*float64(time.Second)*float64(at)/float64(over))
		})
	},
	"one record years ago": func(_ *rand.Rand, over time.Duration) *records {
		r := spaced(over, func(time.Duration) time.Duration { return 5 * time.Second })
		r.arrived[0] -= snapshot.Instant(9 * 365 * 24 * time.Hour)
		r.stamps[0] = r.arrived[0]
		return r
	},
	"for years": func(r *rand.Rand, over time.Duration) *records {
		rs := spaced(over, func(time.Duration) time.Duration { return time.Duration(r.ExpFloat64() * float64(10*time.Second)) })
		for i := range rs.arrived { // what is older than an hour is older by the factor
			ago := after(over) - rs.arrived[i]
			rs.arrived[i] -= 500 * max(0, ago-snapshot.Instant(time.Hour))
		}
		rs.stamps = slices.Clone(rs.arrived)
		return rs
	},
	"out of order": func(r *rand.Rand, over time.Duration) *records {
		rs := spaced(over, func(time.Duration) time.Duration { return time.Second })
		for i := range rs.stamps {
			rs.stamps[i] -= snapshot.Instant(r.IntN(int(4 * time.Second)))
		}
		return rs
	},
}

// spaced are records with pauses between them.
func spaced(over time.Duration, pause func(at time.Duration) time.Duration) *records {
	r := &records{}
	for at := time.Duration(0); at <= over; at += max(pause(at), time.Microsecond) {
		r.put(after(at))
	}
	return r
}
