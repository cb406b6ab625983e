package rates

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// group is one on a watched log.
type group struct {
	*watched
	pair      Pair
	committed int64
	position  Position
	estimate  Estimate
}

// observe polls the group where it is.
func (g *group) observe() {
	end := g.end(g.now)
	oldest := max(g.committed, g.start)
	read := g.now - snapshot.Instant(time.Second/2) // commits are read before ends
	g.position = Position{At: read, Committed: g.committed, Oldest: oldest, Lag: max(0, end-oldest), End: end}
	g.estimate, _ = g.pair.Observe(g.clock, &g.log, g.position)
}

// ask asks at most some times, and estimates again. Whoever asks twice is told the
// same: the collector does so, and the check of timestamps used to be lost by it.
func (g *group) ask(most int) (asks int) {
	for ; asks < most; asks++ {
		g.pair.Ask(g.clock, &g.log, g.position, g.clock.opts.Interval)
		at, ok := g.pair.Ask(g.clock, &g.log, g.position, g.clock.opts.Interval)
		if !ok {
			break
		}
		g.answer(at)
	}
	if asks > 0 {
		g.observe()
	}
	return asks
}

// mustAge compares the age with the truth.
func (g *group) mustAge(t *testing.T, tolerance time.Duration, known bool) {
	t.Helper()
	age, ok := g.estimate.LagAge.Get()
	if ok != known {
		t.Fatalf("at %v, offset %d: known: %v", g.now.Sub(epoch), g.committed, ok)
	}
	if truth := g.truth(); ok && (age < truth.Seconds()-tolerance.Seconds() || age > truth.Seconds()+tolerance.Seconds()) {
		t.Fatalf("at %v, offset %d: an age of %v s, really %v s", g.now.Sub(epoch), g.committed, age, truth.Seconds())
	}
}

// truth is how long the oldest unread record has been waiting.
func (g *group) truth() time.Duration {
	if g.position.Lag == 0 {
		return 0
	}
	return g.now.Sub(g.arrived[g.position.Oldest])
}

// TestAgeOfWhoStandsStill has a group stop within the history and stand for three
// hours: its age used to be lost with the history, after half an hour.
func TestAgeOfWhoStandsStill(t *testing.T) {
	r := &records{}
	every(r, 7*time.Second, 0, 5*time.Hour, exactly)
	g := &group{watched: watch(r, 10*time.Second)}
	before := 0.0
	for at := time.Minute; at < 3*time.Hour; at += g.clock.opts.Interval {
		g.poll(after(at))
		g.committed = min(g.end(after(at-20*time.Second)), r.end(after(5*time.Minute)))
		g.observe()
		if at > 2*time.Minute {
			g.mustAge(t, g.clock.opts.Interval, true)
		}
		if age, _ := g.estimate.LagAge.Get(); at > 6*time.Minute {
			if grew := age - before; grew < 9.8 || grew > 10.2 {
				t.Fatalf("at %v: in 10 s the age grew by %v s", at, grew)
			}
		}
		before, _ = g.estimate.LagAge.Get()
	}
	// On it goes, through what no poll remembers: unknown, until somebody asks.
	g.committed += 500
	g.observe()
	g.mustAge(t, g.clock.opts.Interval, false)
	if asks := g.ask(20); asks == 0 || asks > 8 {
		t.Errorf("asked %d times", asks)
	}
	g.mustAge(t, g.clock.opts.Interval, true)
	// It comes to what polls remember, and then to the end.
	g.committed = g.end(g.now) - 5
	g.observe()
	g.mustAge(t, g.clock.opts.Interval, true)
	g.committed = g.end(g.now)
	g.observe()
	g.mustAge(t, 0, true)
}

// TestAgeIsExact has records come evenly, one for each poll and many.
func TestAgeIsExact(t *testing.T) {
	r := &records{}
	every(r, 10*time.Millisecond, 0, 10*time.Minute, exactly)
	g := &group{watched: watch(r, 10*time.Second)}
	g.pollUntil(after(0), after(9*time.Minute))
	g.committed = 12345
	g.observe()
	g.mustAge(t, 10*time.Millisecond, true)
}

// TestAgeAfterRestart has groups of all kinds on logs of all shapes, watched from
// one moment on, with twenty questions a poll at most: every age is known, and none is
// off by more than the interval.
func TestAgeAfterRestart(t *testing.T) {
	const over, interval = 30 * time.Hour, 10 * time.Second
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			total, tolerance := 0, interval
			if name == "out of order" {
				tolerance += 4 * time.Second
			}
			for seed := range uint64(6) {
				r := rand.New(rand.NewPCG(seed, 7))
				g := &group{watched: watch(shape(r, over), interval)}
				from := over - time.Duration(r.IntN(int(2*time.Hour)))
				g.committed = g.end(after(time.Duration(r.IntN(int(from)))))
				speed, asks := r.IntN(3), 0
				for poll := range 400 {
					g.poll(after(from + time.Duration(poll)*interval))
					g.observe()
					g.mustAge(t, tolerance, g.estimate.LagAge.Known())
					asks += g.ask(20)
					g.mustAge(t, tolerance, true)
					if poll%3 == 0 { // stands still, goes on, catches up
						g.committed = min(g.committed+int64(speed*r.IntN(100)), g.end(g.now))
					}
				}
				total += asks
			}
			t.Logf("asked %d times in 2400 polls", total)
		})
	}
}

// TestAgeOfManyGroups has more groups far behind on one log than points are kept for.
// All of them move, and all ages are known after a few questions each.
func TestAgeOfManyGroups(t *testing.T) {
	const over, groups, polls = 40 * time.Hour, 30, 50
	r := rand.New(rand.NewPCG(1, 10))
	w := watch(shapes["by the hour"](r, over), 10*time.Second)
	var all [groups]group
	for i := range all {
		all[i] = group{watched: w, committed: w.end(after(time.Duration(i) * time.Hour))}
	}
	asks := 0
	for poll := range polls {
		w.poll(after(35*time.Hour + time.Duration(poll)*w.clock.opts.Interval))
		for i := range all {
			all[i].observe()
			asks += all[i].ask(20)
			all[i].mustAge(t, w.clock.opts.Interval, true)
			all[i].committed += int64(r.IntN(10))
		}
	}
	t.Logf("asked %d times in %d polls", asks, polls)
	if perAge := float64(asks) / groups / polls; perAge > 5 {
		t.Errorf("asked %.1f times for an age", perAge)
	}
	if len(w.log.times.points) > maxPoints {
		t.Errorf("%d points are kept", len(w.log.times.points))
	}
}

// TestAgeFromLies has an age that came from timestamps which turn out to lie.
func TestAgeFromLies(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 26*time.Hour, func(time.Duration) time.Duration { return -30 * 24 * time.Hour })
	g := &group{watched: watch(r, 10*time.Second), committed: 5000}
	for at := 24 * time.Hour; at < 24*time.Hour+10*time.Minute; at += g.clock.opts.Interval {
		g.poll(after(at))
		g.observe()
		g.ask(40)
		if at == 24*time.Hour && !g.estimate.LagAge.Known() {
			t.Fatal("nothing contradicts it yet")
		}
	}
	if g.log.Trusted() || g.estimate.LagAge.Known() {
		t.Errorf("trusted: %v, age %v", g.log.Trusted(), g.estimate.LagAge)
	}
	g.committed = g.end(after(24*time.Hour + 5*time.Minute))
	g.observe()
	g.mustAge(t, g.clock.opts.Interval, true)
}

// TestAgeIsCheckedOnAndOn has a group that stands still since before the first poll,
// beside one that keeps up. An hour later timestamps begin to lie.
func TestAgeIsCheckedOnAndOn(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 25*time.Hour, exactly)
	every(r, time.Second, 25*time.Hour, 27*time.Hour, func(time.Duration) time.Duration { return -30 * 24 * time.Hour })
	w := watch(r, 10*time.Second)
	stands, keepsUp := &group{watched: w, committed: 5000}, &group{watched: w}
	asks := 0
	for at := 24 * time.Hour; at < 26*time.Hour; at += w.clock.opts.Interval {
		w.poll(after(at))
		keepsUp.committed = w.end(after(at - 3*time.Second))
		keepsUp.observe()
		stands.observe()
		asks += keepsUp.ask(20) + stands.ask(20)
		if at < 25*time.Hour {
			stands.mustAge(t, w.clock.opts.Interval, true)
		}
	}
	if w.log.Trusted() || stands.estimate.LagAge.Known() {
		t.Errorf("trusted: %v, age %v", w.log.Trusted(), stands.estimate.LagAge)
	}
	if asks > 30 {
		t.Errorf("asked %d times", asks)
	}
}

// TestAgeOfWhoWentBack has a rewind to before what is remembered.
func TestAgeOfWhoWentBack(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 26*time.Hour, exactly)
	g := &group{watched: watch(r, 10*time.Second), committed: 86000}
	g.poll(after(24 * time.Hour))
	g.observe()
	g.ask(20)
	g.mustAge(t, g.clock.opts.Interval, true)
	g.committed = 1000
	g.poll(after(24*time.Hour + 10*time.Second))
	g.observe()
	g.mustAge(t, g.clock.opts.Interval, false)
	g.ask(20)
	g.mustAge(t, g.clock.opts.Interval, true)
	g.committed = 86390 // there again, and on
	g.observe()
	g.ask(20)
	g.mustAge(t, g.clock.opts.Interval, true)
}

// TestAgeWherePollsWereMissed has an hour without polls: the age is somewhere in it,
// and the broker knows better.
func TestAgeWherePollsWereMissed(t *testing.T) {
	r := &records{}
	every(r, time.Second, 0, 9*time.Hour, exactly)
	every(r, time.Second, 9*time.Hour+20*time.Minute, 26*time.Hour, exactly)
	g := &group{watched: watch(r, 10*time.Second)}
	g.poll(after(8*time.Hour + 59*time.Minute))
	g.poll(after(9*time.Hour + 25*time.Minute))
	g.committed = r.end(after(9*time.Hour + 22*time.Minute))
	g.observe()
	g.mustAge(t, 26*time.Minute, true)
	g.ask(20)
	g.mustAge(t, g.clock.opts.Interval, true)
}

// TestSizes holds what a pair and a log cost.
func TestSizes(t *testing.T) {
	for name, c := range map[string]struct{ size, most uintptr }{
		"waiting": {unsafe.Sizeof(waiting{}), 24},
		"work":    {unsafe.Sizeof(work{}), 16},
		"times":   {unsafe.Sizeof(times{}), 8},
		"starts":  {unsafe.Sizeof(starts{}), 32},
		"point":   {unsafe.Sizeof(point{}), 32},
	} {
		if c.size > c.most {
			t.Errorf("%s takes %d bytes, %d at most", name, c.size, c.most)
		}
	}
}

// BenchmarkAge is the age of one pair in one poll, with half an hour of history: of
// one that moves in every poll, and of one that stands still.
func BenchmarkAge(b *testing.B) {
	for _, behind := range []time.Duration{0, 5 * time.Second, time.Minute, 20 * time.Minute, 20 * time.Hour} {
		for _, moves := range []bool{true, false} {
			b.Run(fmt.Sprintf("%v behind, moves: %v", behind, moves), func(b *testing.B) {
				benchmarkAge(b, behind, moves)
			})
		}
	}
}

func benchmarkAge(b *testing.B, behind time.Duration, moves bool) {
	r := &records{}
	every(r, time.Second, 0, 24*time.Hour, exactly)
	w := watch(r, 10*time.Second)
	w.pollUntil(after(23*time.Hour), after(24*time.Hour-time.Second))
	offset := w.end(w.now - snapshot.Instant(behind))
	at := Position{At: w.now, Committed: offset, Oldest: offset, Lag: w.end(w.now) - offset, End: w.end(w.now)}
	var wait waiting
	b.ReportAllocs()
	for b.Loop() {
		if moves {
			wait = waiting{}
		}
		wait.age(w.clock, &w.log, at)
	}
}
