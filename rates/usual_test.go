package rates

import (
	"math"
	"testing"
	"time"
	"unsafe"
)

// habitScene polls a pair and has its habit watch.
type habitScene struct {
	*scene
	habit Habit
}

func (h *habitScene) poll(end, committed int64) Usual {
	e, _ := h.scene.poll(end, committed)
	h.habit.Observe(h.clock, &h.log, &e)
	return h.habit.Usual()
}

// What is usual is known after a minute in which the pair kept up, and stands while it
// falls behind: what it drains then is not what it usually does.
func TestUsual(t *testing.T) {
	s := &habitScene{scene: newScene(10 * time.Second)}
	var end int64
	for poll := range 40 {
		end += 1000
		u := s.poll(end, end-500)
		if known := u.Arrival.Known() && u.Drain.Known(); poll < 6 && known || poll > 8 && !known {
			t.Errorf("poll %d: known %v", poll, known)
		}
	}
	committed := end - 500
	for range 60 {
		end, committed = end+1000, committed+400
		u := s.poll(end, committed)
		in, _ := u.Arrival.Get()
		if out, _ := u.Drain.Get(); off(in, 100) > 0.05 || off(out, 100) > 0.05 {
			t.Fatalf("%g in and %g out while it falls behind, want 100", in, out)
		}
	}
}

// What is usual follows within some ten minutes.
func TestUsualFollows(t *testing.T) {
	s := &habitScene{scene: newScene(10 * time.Second)}
	var end int64
	for range 120 {
		end += 1000
		s.poll(end, end-100)
	}
	for poll := range 360 {
		end += 3000
		in, _ := s.poll(end, end-100).Arrival.Get()
		if poll == 60 && off(in, 100+200*(1-1/math.E)) > 0.1 || poll > 300 && off(in, 300) > 0.02 {
			t.Fatalf("%d s after it trebled %g/s is usual", 10*poll, in)
		}
	}
}

// A poll that is seen twice counts once, and time in which no poll saw the pair for two
// intervals.
func TestUsualOfPollsThatWereMissed(t *testing.T) {
	s := newScene(10 * time.Second)
	var h Habit
	watch := func() {
		e, _ := s.poll(100, 100)
		h.Observe(s.clock, &s.log, &e)
		h.Observe(s.clock, &s.log, &e)
	}
	watch()
	watch()
	watch()
	seen := h.watched
	for range 30 {
		s.now += 10e9
		s.clock.Begin(s.now)
	}
	if watch(); h.watched > seen+20 {
		t.Errorf("%d s count after %d, want 20 more at most", h.watched, seen)
	}
}

func TestHabitIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Habit{}); n > 16 {
		t.Errorf("%d bytes", n)
	}
}

// A group says of each pair how it commits: keeps up, waits, has stopped.
func TestSilence(t *testing.T) {
	s := newScene(10 * time.Second)
	at := sawtooth(30)
	var e Estimate
	for poll := range int64(60) {
		e, _ = s.poll(at(10*poll + 3))
		usual, known := e.Usual.Get()
		waiting, ok := e.Waiting.Get()
		if poll > 12 && (!e.KeepsUp || e.Stopped || !known || usual < 25 || usual > 35 || !ok || waiting > 30) {
			t.Fatalf("poll %d: %+v, waits %g of %g s", poll, e, waiting, usual)
		}
	}
	_, committed := at(593)
	for poll := int64(60); poll < 90; poll++ {
		end, _ := at(10*poll + 3)
		e, _ = s.poll(end, committed)
		waiting, _ := e.Waiting.Get()
		if silent := float64(10*poll + 3 - 573); waiting != silent { // the poll that saw the last commit
			t.Fatalf("poll %d: waits for %g s, want %g", poll, waiting, silent)
		} else if e.Stopped != (waiting > 1.2*orNaN(e.Usual)+15) || e.Stopped && e.KeepsUp {
			t.Fatalf("poll %d: %+v after %g s", poll, e, waiting)
		}
	}
	if e, _ = s.poll(200_000, 200_000); e.Stopped || !e.KeepsUp {
		t.Errorf("caught up: %+v", e)
	}
	if waiting, ok := e.Waiting.Get(); !ok || waiting != 0 {
		t.Errorf("caught up: waits for %g s (%v), want 0", waiting, ok)
	}
}

// Before a second commit nothing is usual, and a pair that never commits is stopped
// after twelve minutes only.
func TestSilenceOfWhatNeverCommits(t *testing.T) {
	s := newScene(10 * time.Second)
	for poll := range 80 {
		e, _ := s.poll(1000+int64(poll), 10)
		if waiting, ok := e.Waiting.Get(); e.Usual.Known() || !ok || waiting != float64(10*poll) || e.Stopped != (poll > 72) {
			t.Fatalf("poll %d: %+v, waits for %g s", poll, e, waiting)
		}
	}
}

func orNaN(v Value) float64 {
	if n, ok := v.Get(); ok {
		return n
	}
	return math.NaN()
}
