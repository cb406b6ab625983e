package rates

import (
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// sawtooth is a group that keeps up with 100 offsets a second and commits every so
// many seconds.
func sawtooth(every int64) func(second int64) (end, committed int64) {
	return func(second int64) (end, committed int64) {
		return 100 * second, 100 * (second - second%every)
	}
}

// What has only arrived since the last commit is gone with the next: however slow
// commits are, that is neither a backlog that never ends nor unknown.
func TestKeepingUp(t *testing.T) {
	for _, every := range []int64{5, 10, 30, 60, 300} {
		t.Run((time.Duration(every) * time.Second).String(), func(t *testing.T) {
			s := newScene(10 * time.Second)
			at := sawtooth(every)
			for poll := range int64(200) {
				end, committed := at(10*poll + 3)
				e, _ := s.poll(end, committed)
				if 10*poll < 4*max(every, 10) {
					continue
				}
				seconds, ok := e.DrainSeconds.Get()
				high, _ := e.DrainHigh.Get()
				if low, _ := e.DrainLow.Get(); !ok || low != 0 || seconds > high || high > float64(every+25) {
					t.Fatalf("poll %d, %d unread: %g s (%v), from %g to %g", poll, end-committed, seconds, ok, low, high)
				}
				if drain, _ := e.Drain.Get(); off(drain, 100) > 0.05 {
					t.Fatalf("poll %d: drains %g/s of 100", poll, drain)
				}
			}
		})
	}
}

// A group that stops is seen to when it has not committed for longer than it usually
// leaves between commits.
func TestStopping(t *testing.T) {
	for _, tt := range []struct {
		every, wantWithin int64 // seconds
	}{{5, 30}, {10, 30}, {60, 90}, {300, 390}} {
		t.Run((time.Duration(tt.every) * time.Second).String(), func(t *testing.T) {
			s := newScene(10 * time.Second)
			at := sawtooth(tt.every)
			const stops = 3000
			for now := int64(3); now < 2*stops; now += 10 {
				end, committed := at(now)
				if now > stops {
					_, committed = at(stops)
				}
				e, _ := s.poll(end, committed)
				seconds, _ := e.DrainSeconds.Get()
				drain, _ := e.Drain.Get()
				if late := now - stops - tt.wantWithin; late > 0 && (!math.IsInf(seconds, 1) || drain != 0) {
					t.Fatalf("%d s after it stopped: drains %g/s, %g s remaining", now-stops, drain, seconds)
				}
				if now > stops/2 && now < stops && (math.IsInf(seconds, 1) || drain == 0) {
					t.Fatalf("at %d s, before it stops: drains %g/s, %g s remaining", now, drain, seconds)
				}
			}
		})
	}
}

// One long pause, and time in which there was nothing to commit, are not how long a group
// usually leaves between commits: it would take as long until it is seen to stop.
func TestStoppingAfterAnException(t *testing.T) {
	even := func(s *scene, from, to int64, end func(int64) int64) {
		for now := from; now < to; now += 10 {
			s.poll(end(now), end(now-5))
		}
	}
	busy := func(now int64) int64 { return 100 * now }
	for _, tt := range []struct {
		name   string
		before func(s *scene)
	}{
		{"a pause of five minutes", func(s *scene) {
			even(s, 1000, 2600, busy)
			for now := int64(2600); now < 2900; now += 10 {
				s.poll(busy(now), busy(2600))
			}
			even(s, 2900, 3000, busy)
		}},
		{"a record every five minutes", func(s *scene) {
			even(s, 0, 2900, func(now int64) int64 { return now / 300 })
			even(s, 2900, 3000, busy)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(10 * time.Second)
			tt.before(s)
			for now := int64(3000); now < 3040; now += 10 {
				s.poll(busy(now), busy(2990))
			}
			e, _ := s.poll(busy(3040), busy(2990))
			if seconds, ok := e.DrainSeconds.Get(); !ok || !math.IsInf(seconds, 1) {
				t.Errorf("50 s after the last commit %g s remain (%v)", seconds, ok)
			}
		})
	}
}

// What arrives at once is gone with the next commit too, whether it does so every minute
// or was never seen before, unless it is far more than was ever drained by one.
func TestBurstsForAGroupThatKeepsUp(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(poll int64) int64
	}{
		{"every minute", func(poll int64) int64 { return 6000 * (poll / 6) }},
		{"for the first time", func(poll int64) int64 { return 1000*poll + 4000*(poll/49) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(10 * time.Second)
			for poll := range int64(50) {
				end, committed := tt.end(poll+1), tt.end(poll)
				e, _ := s.poll(end, committed)
				seconds, ok := e.DrainSeconds.Get()
				if high, _ := e.DrainHigh.Get(); poll > 30 && (!ok || seconds > high || high > 30) {
					t.Fatalf("poll %d, %d unread: %g s remaining (%v), at most %g", poll, end-committed, seconds, ok, high)
				}
			}
		})
	}
}

// A lag that seems to shrink by less than few commits can show is neither one that ends
// then and then nor one that never does.
func TestTooEarlyToTell(t *testing.T) {
	s := newScene(10 * time.Second)
	for poll := range int64(5) {
		if e, _ := s.poll(100_000+1000*poll, 50_000+1030*poll); e.DrainSeconds.Known() {
			t.Errorf("poll %d: %+v is known", poll, e.DrainSeconds)
		}
	}
}

// A pair that was never seen to commit is unknown for twelve minutes: one that commits every
// ten was said to drain nothing after a restart.
func TestNeverSeenToCommit(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		polls int // for which it is unknown
	}{{10 * time.Second, 73}, {time.Minute, 13}} {
		s := newScene(tt.every)
		for poll := range tt.polls + 5 {
			e, _ := s.poll(1000+int64(poll), 10)
			seconds, ok := e.DrainSeconds.Get()
			if ok != (poll >= tt.polls) || ok && !math.IsInf(seconds, 1) || e.CommitAge.Known() {
				t.Errorf("every %s, poll %d: %g s remaining (%v)", tt.every, poll, seconds, ok)
			}
		}
	}
}

// A rewind cuts the history: no rate below 0, and none from before.
func TestRewind(t *testing.T) {
	s := newScene(10 * time.Second)
	for i := range int64(30) {
		s.poll(100_000+500*i, 50_000+1000*i)
	}
	e, rewound := s.poll(115_000, 20_000)
	if rewound != 59_000 {
		t.Errorf("rewound by %d", rewound)
	}
	if e.Drain.Known() || e.DrainSeconds.Known() {
		t.Errorf("after a rewind %+v is known", e)
	}
	for i := range int64(5) {
		if e, rewound = s.poll(115_500+500*i, 22_000+2000*i); rewound != 0 {
			t.Errorf("rewound by %d again", rewound)
		}
	}
	if drain, _ := e.Drain.Get(); drain != 200 {
		t.Errorf("drains %g/s, want 200", drain)
	}
}

// A record now and then, which is read at once, is nothing that never ends: the group
// committed nothing for long because there was nothing.
func TestARecordNowAndThen(t *testing.T) {
	s := newScene(10 * time.Second)
	var read int64
	for poll := range int64(400) {
		end := poll / 40 // one in 400 s
		e, _ := s.poll(end, read)
		if seconds, ok := e.DrainSeconds.Get(); poll > 100 && (!ok || math.IsInf(seconds, 1)) {
			t.Fatalf("poll %d, %d unread: %g s (%v)", poll, end-read, seconds, ok)
		}
		read = end
	}
}

func TestCommitAge(t *testing.T) {
	s := newScene(10 * time.Second)
	s.poll(100, 10)
	s.poll(100, 20)
	s.poll(100, 20)
	e, _ := s.poll(100, 20)
	if age, ok := e.CommitAge.Get(); age != 20 || !ok {
		t.Errorf("%g s ago (%v), want 20", age, ok)
	}
}

// What is observed twice in a poll is estimated again, and remembered once.
func TestObservedTwice(t *testing.T) {
	s := newScene(10 * time.Second)
	for i := range int64(20) {
		s.poll(100_000+500*i, 50_000+1000*i)
	}
	at := Position{At: s.now, Committed: 69_000, Oldest: 69_000, Lag: 40_500, End: 109_500}
	e, rewound := s.pair.Observe(s.clock, &s.log, at)
	if seconds, _ := e.DrainSeconds.Get(); seconds != 810 || rewound != 0 {
		t.Errorf("%g s remaining and rewound by %d, want 810 and 0", seconds, rewound)
	}
}

// Regression: it was not known whether what is unread had arrived after the last commit,
// so that the end of an aborted transaction could not be told from a record that is stuck.
func TestStill(t *testing.T) {
	for name, tt := range map[string]struct {
		polls [][2]int64 // end and committed
		moved bool       // to another owner, before the last poll
		want  bool
	}{
		"nothing is unread":              {polls: [][2]int64{{100, 100}}},
		"since it was first seen":        {polls: [][2]int64{{105, 100}, {105, 100}}, want: true},
		"since the last commit":          {polls: [][2]int64{{100, 90}, {105, 102}, {105, 102}}, want: true},
		"one has arrived":                {polls: [][2]int64{{105, 102}, {106, 102}}},
		"one arrived long ago":           {polls: [][2]int64{{105, 102}, {106, 102}, {106, 102}, {106, 102}}},
		"one arrived where nothing was":  {polls: [][2]int64{{100, 100}, {103, 100}}},
		"one arrived, and was committed": {polls: [][2]int64{{105, 102}, {108, 102}, {108, 105}}, want: true},
		"one arrived with the commit":    {polls: [][2]int64{{105, 102}, {108, 105}}, want: true},
		"it went back":                   {polls: [][2]int64{{105, 105}, {108, 105}, {108, 50}}, want: true},
		"another owner":                  {polls: [][2]int64{{105, 102}, {105, 102}}, moved: true, want: true},
		"another owner, one had arrived": {polls: [][2]int64{{105, 102}, {106, 102}, {106, 102}}, moved: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(10 * time.Second)
			var e Estimate
			for i, p := range tt.polls {
				if tt.moved && i == len(tt.polls)-1 {
					s.pair.Moved()
				}
				e, _ = s.poll(p[0], p[1])
			}
			if e.Still != tt.want {
				t.Errorf("still: %v, want %v", e.Still, tt.want)
			}
		})
	}
}

// Records that retention removed counted as drained once the group had gone past them: a
// group that lost half of what arrives seemed to drain all of it.
func TestLostIsNotDrained(t *testing.T) {
	s := newScene(10 * time.Second)
	var committed, start int64
	for poll := range int64(60) {
		end := 1000*poll + 10_000
		committed = max(committed, start) + 500 // 50/s of 100/s
		look := func() Estimate {
			s.now += snapshot.Instant(s.every)
			s.clock.Begin(s.now)
			s.log.Observe(s.clock, snapshot.Reading{Offset: end, At: s.now})
			oldest := max(start, committed)
			e, _ := s.pair.Observe(s.clock, &s.log, Position{At: s.now, Committed: committed, Oldest: oldest, Lag: end - oldest, End: end})
			return e
		}
		start = end - 9_000
		if e := look(); poll > 20 {
			if drain, ok := e.Drain.Get(); !ok || off(drain, 50) > 0.05 {
				t.Fatalf("end %d: drains %g/s (%v), want 50", end, drain, ok)
			}
			if at, _ := s.pair.Committed(); at != committed {
				t.Fatalf("it is at %d, want %d", at, committed)
			}
		}
	}
}

// Once retention had removed a lone marker, nothing said that it had been one.
func TestStillWhenRemoved(t *testing.T) {
	s := newScene(10 * time.Second)
	s.poll(100, 50)
	s.poll(101, 100)
	s.now += snapshot.Instant(s.every)
	s.clock.Begin(s.now)
	s.log.Observe(s.clock, snapshot.Reading{Offset: 101, At: s.now})
	e, _ := s.pair.Observe(s.clock, &s.log, Position{At: s.now, Committed: 100, Oldest: 101, End: 101})
	if !e.Still {
		t.Errorf("%+v", e)
	}
}
