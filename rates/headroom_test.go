package rates

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// unknown is how tables write what is not known.
const unknown = -1

// number is a value as tables write it.
func number(v Value) float64 {
	if n, ok := v.Get(); ok {
		return n
	}
	return unknown
}

func TestHeadroom(t *testing.T) {
	day, both := 24*time.Hour, Retention{Delete: true, Time: 24 * time.Hour, Bytes: true}
	// A segment of 6000 offsets is deleted every minute: 100 a second.
	deleting := []int64{0, 6000, 12000, 18000, 24000}
	for name, c := range map[string]struct {
		retention Retention
		starts    []int64 // one a minute, up to now
		oldest    int64
		committed int64
		lag       int64
		age       Value
		lost      bool
		want      float64
	}{
		"by time":                         {Retention{Delete: true, Time: day}, nil, 500, 500, 10, Of(3600), false, 82800},
		"by time, an hour too old":        {Retention{Delete: true, Time: day}, nil, 500, 500, 10, Of(90000), false, 0},
		"by time, of unknown age":         {Retention{Delete: true, Time: day}, nil, 500, 500, 10, Value{}, false, unknown},
		"by bytes":                        {Retention{Delete: true, Bytes: true}, deleting, 54000, 54000, 10, Of(3600), false, 300},
		"by bytes, at the start":          {Retention{Delete: true, Bytes: true}, deleting, 24000, 100, 10, Of(3600), false, 0},
		"by bytes, nothing was deleted":   {Retention{Delete: true, Bytes: true}, []int64{7, 7, 7}, 500, 500, 10, Of(3600), false, unknown},
		"by bytes, one jump says nothing": {Retention{Delete: true, Bytes: true}, []int64{7, 7, 70}, 500, 500, 10, Of(3600), false, unknown},
		"by bytes, the start is unknown":  {Retention{Delete: true, Bytes: true}, nil, 500, 500, 10, Of(3600), false, unknown},
		"both, bytes are nearer":          {both, deleting, 54000, 54000, 10, Of(3600), false, 300},
		"both, time is nearer":            {both, deleting, 54000, 54000, 10, Of(86300), false, 100},
		"both, only time is known":        {both, nil, 500, 500, 10, Of(3600), false, 82800},
		"both, only bytes are known":      {both, deleting, 54000, 54000, 10, Value{}, false, 300},
		"records were lost":               {both, deleting, 24000, 20000, 10, Of(3600), true, 0},
		"all unread records were lost":    {both, deleting, 24000, 20000, 0, Of(0), true, 0},
		"nothing is unread":               {both, deleting, 54000, 54000, 0, Of(0), false, unknown},
		"no limit":                        {Retention{Delete: true}, deleting, 54000, 54000, 10, Of(3600), false, unknown},
		"compacted":                       {Retention{Time: day, Bytes: true}, deleting, 24000, 20000, 10, Of(3600), true, unknown},
		"purged by who reads, no limit":   {Retention{Delete: true}, deleting, 24000, 24000, 10, Of(3), false, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			clock, log := NewClock(Options{}), Log{}
			for i, start := range c.starts {
				at := after(time.Duration(i) * time.Minute)
				clock.Begin(at)
				log.Start(clock, snapshot.Reading{Offset: start, At: at})
			}
			p := Position{Committed: c.committed, Oldest: c.oldest, Lag: c.lag}
			got := number(Headroom(clock, &log, c.retention, p, Estimate{LagAge: c.age}, c.lost))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHeadroomAtTheStart has a group exactly where the log begins, in danger or not: one
// that had begun to read all of it, and was about to lose records, had no headroom that
// was known.
func TestHeadroomAtTheStart(t *testing.T) {
	for name, c := range map[string]struct {
		commits []int64 // one a minute, as the start jumps; -1 for none yet
		want    float64
	}{
		"it deletes what it has read":              {[]int64{0, 6000, 12000, 18000, 24000}, unknown},
		"that shows a poll later":                  {[]int64{0, 0, 6000, 12000, 18000, 24000}, unknown},
		"it deleted what it had read, and is idle": {[]int64{0, 6000, 12000, 18000, 24000, 24000, 24000, 24000}, unknown},
		"it was set to the start":                  {[]int64{50000, 50000, 50000, 50000, 50000, 50000, 24000}, 0},
		"it begins at the start":                   {[]int64{-1, -1, -1, -1, -1, -1, 24000, 24000}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			clock, log, pair := NewClock(Options{Interval: time.Minute}), Log{}, Pair{}
			got := Value{}
			for i, committed := range c.commits {
				at := after(time.Duration(i) * time.Minute)
				clock.Begin(at)
				log.Observe(clock, snapshot.Reading{Offset: 100000, At: at})
				log.Start(clock, snapshot.Reading{Offset: min(6000*int64(i), 24000), At: at})
				if committed < 0 {
					continue
				}
				p := Position{At: at, Committed: committed, Oldest: max(committed, log.starts.now.Offset), Lag: 100000 - committed, End: 100000}
				e, _ := pair.Observe(clock, &log, p)
				got = Headroom(clock, &log, Retention{Delete: true, Bytes: true}, p, e, false)
			}
			if n := number(got); n != c.want {
				t.Errorf("%v, want %v", n, c.want)
			}
		})
	}
}

// TestDeletionAgainstTruth deletes segments of random sizes at a steady rate on
// average, read once a minute: the rate is the true one once some jumps were seen.
func TestDeletionAgainstTruth(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 8))
		perSecond := 1 + r.Float64()*1000
		segment := perSecond * (30 + r.Float64()*600)
		var s starts
		start, next := 0.0, segment
		for second := 0; second < 4*3600; second += 60 {
			for front := float64(second) * perSecond; next <= front; next += segment * (0.9 + 0.2*r.Float64()) {
				start = next
			}
			now := after(time.Duration(second) * time.Second)
			s.observe(snapshot.Reading{Offset: int64(start), At: now})
			got, ok := s.rate(now)
			if !ok && second > 2400 {
				t.Fatalf("seed %d: unknown after %d s", seed, second)
			}
			if second > 3600 && (got < 0.6*perSecond || got > 1.5*perSecond) {
				t.Fatalf("seed %d: %v a second after %d s, really %v", seed, got, second, perSecond)
			}
		}
	}
}

// TestDeletionThatGetsFaster is noticed within about an hour.
func TestDeletionThatGetsFaster(t *testing.T) {
	var s starts
	start := int64(0)
	for minute := range time.Duration(241) {
		if start += 600; minute > 120 {
			start += 5400
		}
		s.observe(snapshot.Reading{Offset: start, At: after(minute * time.Minute)})
	}
	if perSecond, _ := s.rate(after(4 * time.Hour)); perSecond != 100 {
		t.Errorf("%v a second", perSecond)
	}
}

// TestDeletionThatEnds falls while nothing is deleted any more, and a log that begins
// anew has no rate.
func TestDeletionThatEnds(t *testing.T) {
	var s starts
	for i := range int64(5) {
		s.observe(snapshot.Reading{Offset: 6000 * i, At: after(time.Duration(i) * time.Minute)})
	}
	var got []float64
	for _, minute := range []time.Duration{4, 5, 8, 20} {
		perSecond, _ := s.rate(after(minute * time.Minute))
		got = append(got, perSecond)
	}
	if diff := cmp.Diff([]float64{100, 100, 50, 18000. / 60 / 18}, got); diff != "" {
		t.Error(diff)
	}
	s.observe(snapshot.Reading{Offset: 90000, At: after(3 * time.Minute)}) // read before
	if perSecond, _ := s.rate(after(4 * time.Minute)); perSecond != 100 {
		t.Errorf("an old reading makes it %v a second", perSecond)
	}
	s.observe(snapshot.Reading{Offset: 10, At: after(time.Hour)})
	if perSecond, ok := s.rate(after(time.Hour)); ok {
		t.Errorf("a log made anew loses %v a second", perSecond)
	}
}
