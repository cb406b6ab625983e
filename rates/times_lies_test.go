package rates

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// every puts records one after the other, from a moment to another, with timestamps
// that are off.
func every(r *records, pause, from, to time.Duration, off func(at time.Duration) time.Duration) {
	for at := from; at < to; at += pause {
		r.stamped(after(at), after(at+off(at)))
	}
}

func exactly(time.Duration) time.Duration { return 0 }

// TestTrusted watches logs whose timestamps lie, or only look so, with a group that
// stands at an offset from before the first poll and asks in every poll.
func TestTrusted(t *testing.T) {
	const began = 24 * time.Hour // the first poll
	for name, c := range map[string]struct {
		put     func(r *records)
		offset  int64
		watch   time.Duration
		trusted bool
	}{
		"all right": {
			put:    func(r *records) { every(r, time.Second, 0, 26*time.Hour, exactly) },
			offset: 5000, watch: 2 * time.Hour, trusted: true,
		},
		"nothing arrives any more": {
			put:    func(r *records) { every(r, time.Second, 0, 20*time.Hour, exactly) },
			offset: 5000, watch: 2 * time.Hour, trusted: true,
		},
		"half a minute in the future": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, func(time.Duration) time.Duration { return 30 * time.Second })
			},
			offset: 86395, watch: time.Hour, trusted: true,
		},
		"in the future": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, func(at time.Duration) time.Duration { return time.Hour })
			},
			offset: 86000, watch: 0, trusted: false,
		},
		"a record from the future before it": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, exactly)
				r.stamps[80000] += snapshot.Instant(time.Hour * 24 * 365)
			},
			offset: 80001, watch: 0, trusted: false,
		},
		"a record from the future after it": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, exactly)
				r.stamps[86350] += snapshot.Instant(time.Hour * 24 * 365)
			},
			offset: 100, watch: 0, trusted: true,
		},
		"copied with timestamps of last month while polls watch": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, func(time.Duration) time.Duration { return -30 * 24 * time.Hour })
			},
			offset: 5000, watch: 6 * time.Minute, trusted: false,
		},
		"copied from last month on, ever faster, while polls watch": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, func(at time.Duration) time.Duration {
					return -time.Duration(float64(30*24*time.Hour) * (1 - at.Hours()/26))
				})
			},
			offset: 5000, watch: 6 * time.Minute, trusted: false,
		},
		"a late one now and then": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, func(at time.Duration) time.Duration {
					if at%time.Minute == 0 {
						return -5 * time.Hour
					}
					return 0
				})
			},
			offset: 5000, watch: 2 * time.Hour, trusted: true,
		},
		"producers that deliver after a minute": {
			put: func(r *records) {
				every(r, time.Second, 0, 26*time.Hour, func(time.Duration) time.Duration { return -time.Minute })
			},
			offset: 5000, watch: 2 * time.Hour, trusted: true,
		},
		"very many with one timestamp": {
			put: func(r *records) {
				every(r, time.Second, 0, 10*time.Hour, exactly)
				every(r, time.Second, 10*time.Hour, 20*time.Hour, func(at time.Duration) time.Duration { return 10*time.Hour - at })
				every(r, time.Second, 20*time.Hour, 26*time.Hour, exactly)
			},
			offset: 50000, watch: 0, trusted: false,
		},
		"all with one timestamp": {
			put: func(r *records) {
				every(r, time.Second, 0, 20*time.Hour, func(at time.Duration) time.Duration { return -at })
			},
			offset: 50000, watch: 0, trusted: false,
		},
		"a batch with one timestamp": {
			put: func(r *records) {
				every(r, time.Second, 0, 10*time.Hour, exactly)
				every(r, time.Microsecond, 10*time.Hour, 10*time.Hour+9*time.Millisecond, func(at time.Duration) time.Duration { return 10*time.Hour - at })
				every(r, time.Second, 10*time.Hour+time.Second, 26*time.Hour, exactly)
			},
			offset: 40000, watch: time.Hour, trusted: true,
		},
		"a burst": {
			put: func(r *records) {
				every(r, time.Second, 0, 10*time.Hour, exactly)
				every(r, 20*time.Microsecond, 10*time.Hour, 10*time.Hour+time.Second, exactly)
				every(r, time.Second, 18*time.Hour, 26*time.Hour, exactly)
			},
			offset: 50000, watch: time.Hour, trusted: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &records{}
			c.put(r)
			w := watch(r, 10*time.Second)
			for at := began; at <= began+c.watch; at += w.clock.opts.Interval {
				w.poll(after(at))
				w.search(t, c.offset)
			}
			if got := w.log.Trusted(); got != c.trusted {
				t.Fatalf("trusted: %v", got)
			}
			if c.trusted {
				w.mustKnow(t, c.offset, 2*time.Minute)
			} else if at, _, ok := w.log.Passed(w.clock, c.offset); ok {
				t.Errorf("believes that it passed %v ago", w.now.Sub(at))
			}
		})
	}
}

// TestAnswersThatExcludeEachOther has brokers that tell two stories.
func TestAnswersThatExcludeEachOther(t *testing.T) {
	type answer struct {
		asked  time.Duration // ago
		found  bool
		offset int64
		stamp  time.Duration // ago
	}
	for name, c := range map[string]struct {
		answers []answer
		trusted bool
	}{
		"one story": {[]answer{
			{20 * time.Hour, true, 100, 19 * time.Hour}, {18 * time.Hour, true, 200, 17 * time.Hour}, {time.Hour, false, 0, 0},
		}, true},
		"an earlier record is younger": {[]answer{
			{10 * time.Hour, true, 500, 9 * time.Hour}, {8 * time.Hour, true, 400, 7 * time.Hour},
		}, false},
		"a record after there was none": {[]answer{
			{10 * time.Hour, false, 0, 0}, {8 * time.Hour, true, 400, 7 * time.Hour},
		}, false},
		"one record, two timestamps": {[]answer{
			{10 * time.Hour, true, 500, 9 * time.Hour}, {8 * time.Hour, true, 500, 7 * time.Hour},
		}, false},
		"older than what was asked for":                    {[]answer{{10 * time.Hour, true, 500, 11 * time.Hour}}, false},
		"older by the batch of a broker that is not exact": {[]answer{{10 * time.Hour, true, 500, 10*time.Hour + time.Second}}, true},
		"the clock was set by a few seconds": {[]answer{
			{10 * time.Hour, true, 500, 9 * time.Hour}, {8 * time.Hour, true, 700, 7 * time.Hour}, {9*time.Hour - 5*time.Second, true, 500, 9*time.Hour - 5*time.Second},
		}, true},
		"an earlier record is younger by some seconds": {[]answer{
			{10 * time.Hour, true, 500, 9 * time.Hour}, {10*time.Hour + 10*time.Second, true, 400, 10*time.Hour - 5*time.Second},
		}, true},
		"a record that polls did not see yet": {[]answer{
			{time.Minute, true, 1445, time.Second}, {-3 * time.Minute, false, 0, 0},
		}, true},
		"one that polls did not see yet, from the future": {[]answer{{time.Minute, true, 1445, -time.Hour}}, false},
		"records were deleted": {[]answer{
			{20 * time.Hour, true, 100, 19 * time.Hour}, {20 * time.Hour, true, 300, 18 * time.Hour},
		}, true},
		"records seem to be deleted all the time": {[]answer{
			{20 * time.Hour, true, 100, 11 * time.Hour}, {20 * time.Hour, true, 110, 11 * time.Hour}, {20 * time.Hour, true, 120, 11 * time.Hour},
			{20 * time.Hour, true, 130, 11 * time.Hour}, {20 * time.Hour, true, 140, 11 * time.Hour}, {20 * time.Hour, true, 150, 11 * time.Hour},
			{20 * time.Hour, true, 160, 11 * time.Hour}, {20 * time.Hour, true, 170, 11 * time.Hour}, {20 * time.Hour, true, 180, 11 * time.Hour},
			{20 * time.Hour, true, 190, 11 * time.Hour},
		}, false},
		"no offset": {[]answer{{20 * time.Hour, true, -1, 11 * time.Hour}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(spaced(24*time.Hour, func(time.Duration) time.Duration { return time.Minute }), 10*time.Second)
			w.poll(after(24 * time.Hour))
			for _, a := range c.answers {
				w.log.Learn(w.clock, add(w.now, -a.asked), a.found, a.offset, add(w.now, -a.stamp))
			}
			if got := w.log.Trusted(); got != c.trusted {
				t.Errorf("trusted: %v", got)
			}
			mustBeInOrder(t, &w.log)
		})
	}
}

// TestAgainTheSameRecord has answers with one offset: what they say is put together.
func TestAgainTheSameRecord(t *testing.T) {
	var m memory
	for _, p := range []point{
		{asked: after(10), stamp: after(10), offset: 7, none: true},
		{asked: after(12), stamp: after(20), offset: 7}, // one came later
		{asked: after(15), stamp: after(19), offset: 7}, // and a clock is not exact
	} {
		if m.take(p) {
			t.Fatalf("%+v is a contradiction", p)
		}
	}
	want := points{{asked: after(10), stamp: after(20), offset: 7, again: 2, depth: 2, order: 2}}
	if diff := cmp.Diff(want, m.points, cmp.AllowUnexported(point{})); diff != "" {
		t.Error(diff)
	}
}

// TestTheEndIsNoRecord has a log that had ended at an offset long before a record came
// there: that it ended was taken for the record's time.
func TestTheEndIsNoRecord(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, time.Hour, exactly)
	r.put(after(24*time.Hour + 30*time.Minute))
	w := watch(r, 10*time.Second)
	w.poll(after(24 * time.Hour))
	w.answer(after(10 * time.Hour)) // none
	w.pollUntil(after(24*time.Hour+10*time.Second), after(26*time.Hour))
	w.search(t, 3600)
	w.mustKnow(t, 3600, w.clock.opts.Interval)
}

// TestPurged has an application that deletes what it read: no answer says that those
// records were old.
func TestPurged(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 26*time.Hour, exactly)
	w := watch(r, 10*time.Second)
	w.pollUntil(after(24*time.Hour), after(25*time.Hour))
	r.start = w.end(w.now) - 3
	w.poll(w.now + snapshot.Instant(10*time.Second))
	w.answer(after(10 * time.Hour))
	if !w.log.Trusted() {
		t.Error("a purge is a lie")
	}
}

// TestManyWithOneTimestamp narrows down to them wherever they begin.
func TestManyWithOneTimestamp(t *testing.T) {
	for i := range time.Duration(40) {
		r, begin := &records{}, 10*time.Hour+i*i*37*time.Millisecond
		every(r, time.Second, 0, begin-time.Second, exactly)
		every(r, time.Millisecond, begin-time.Second, begin, exactly)
		every(r, time.Second, begin, 20*time.Hour, func(at time.Duration) time.Duration { return begin - at })
		every(r, time.Second, 20*time.Hour, 24*time.Hour, exactly)
		w := watch(r, 10*time.Second)
		w.poll(after(24 * time.Hour))
		w.search(t, 50000+int64(i))
		if w.log.Trusted() {
			t.Errorf("36000 records of %v are believed", begin)
		}
	}
}

// TestAnswersAgainstPolls has answers about what polls saw, in a log in which nothing
// is left before.
func TestAnswersAgainstPolls(t *testing.T) {
	for name, c := range map[string]struct {
		asked, stamp time.Duration // after when polls saw the record
		trusted      bool
	}{
		"exactly":                {0, 0, true},
		"a minute late":          {-2 * time.Minute, -time.Minute, true},
		"long before it arrived": {-2 * time.Hour, -time.Hour, false},
		"long after it arrived":  {0, 5 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &records{}
			every(r, time.Second, 0, 26*time.Hour, exactly)
			w := watch(r, 10*time.Second)
			r.start = r.end(after(24*time.Hour + 10*time.Minute))
			w.pollUntil(after(24*time.Hour), after(24*time.Hour+20*time.Minute))
			arrived := r.arrived[r.start]
			w.log.Learn(w.clock, add(arrived, c.asked), true, r.start, add(arrived, c.stamp))
			if got := w.log.Trusted(); got != c.trusted {
				t.Errorf("trusted: %v", got)
			}
		})
	}
}

// TestBoundsDoNotCross has points beyond what polls saw, by less than a lie.
func TestBoundsDoNotCross(t *testing.T) {
	between := func(from, to snapshot.Instant) *bracket {
		return &bracket{
			lo: bound{Reading: snapshot.Reading{Offset: 10, At: from}, known: true}, polled: true,
			hi: bound{Reading: snapshot.Reading{Offset: 30, At: to}, known: true}, offset: 20,
		}
	}
	for name, ps := range map[string]points{
		"the one before is younger": {{offset: 15, asked: after(90), stamp: after(95)}},
		"the one after is older":    {{offset: 25, asked: after(5), stamp: after(8)}},
		"itself is younger":         {{offset: 20, asked: after(90), stamp: after(95)}},
		"itself is older":           {{offset: 20, asked: after(5), stamp: after(8)}},
	} {
		t.Run(name, func(t *testing.T) {
			b := between(after(30), after(60))
			b.narrow(ps)
			if b.lo.At < after(30) || b.hi.At > after(60) || b.lo.At > b.hi.At {
				t.Errorf("from %v to %v", b.lo.At.Sub(epoch), b.hi.At.Sub(epoch))
			}
		})
	}
}

// TestForgiven has a record from the future, which is deleted later.
func TestForgiven(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 26*time.Hour, exactly)
	r.stamps[50] += snapshot.Instant(1000 * time.Hour)
	w := watch(r, time.Minute)
	w.poll(after(24 * time.Hour))
	w.search(t, 1000)
	if w.log.Trusted() {
		t.Fatal("a record from the future is believed")
	}
	r.start = 60
	w.pollUntil(after(24*time.Hour+time.Minute), after(25*time.Hour-time.Minute))
	if asks := w.search(t, 1000); asks != 0 || w.log.Trusted() {
		t.Errorf("asked %d times while nothing is believed", asks)
	}
	w.poll(after(25 * time.Hour))
	w.search(t, 1000)
	w.mustKnow(t, 1000, time.Minute)
}

// TestNothingIsKeptForNobody has a group that was behind and no longer is.
func TestNothingIsKeptForNobody(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 26*time.Hour, exactly)
	w := watch(r, 10*time.Second)
	w.poll(after(24 * time.Hour))
	w.search(t, 1000)
	if w.log.times.memory == nil {
		t.Fatal("nothing was learned")
	}
	w.pollUntil(after(24*time.Hour+10*time.Second), after(24*time.Hour+idle+10*time.Second))
	w.search(t, w.end(w.now)-1)
	if w.log.times.memory != nil {
		t.Errorf("%d points are kept", len(w.log.times.points))
	}
}

// TestCut has a log that was cut: what was learned before is of other records.
func TestCut(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 24*time.Hour, exactly)
	w := watch(r, 10*time.Second)
	w.poll(after(24 * time.Hour))
	w.search(t, 1000)
	w.clock.Begin(after(25 * time.Hour))
	w.log.Observe(w.clock, snapshot.Reading{Offset: 2000, At: after(25 * time.Hour)})
	if at, _, ok := w.log.Passed(w.clock, 1000); ok {
		t.Errorf("passed at %v", at)
	}
}
