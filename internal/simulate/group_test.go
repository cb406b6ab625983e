package simulate

import (
	"testing"
	"time"
)

// What a dead member had not committed is done again by its heir: the committed
// position stands still, and never goes back.
func TestCrash(t *testing.T) {
	s := with(exact(Constant(100), Constant(150), 90000), Crash(0, 1, 300, 60))
	s.Members = append(s.Members, Member{Capacity: Constant(150)})
	s.Commit = Commit{Every: 30 * time.Second}
	w := newWorld(s, random(1))
	p := w.parts[0]
	var committed, most, again int64
	for range int(600 / step) {
		w.step()
		if p.committed < committed {
			t.Fatalf("at %.1f s committed went from %d to %d", w.now(), committed, p.committed)
		}
		if now := w.now(); now > 301 && now < 359 && (p.committed != committed || p.drain != 0) {
			t.Fatalf("at %.1f s something is done", now)
		}
		again = max(again, most-p.processed())
		committed, most = p.committed, max(most, p.processed())
	}
	if again < 100 || again > 30*150 || p.owner != 1 {
		t.Errorf("%d are done again, want up to 30 s of 150/s; the owner is %d, want 1", again, p.owner)
	}
}

// What moves in good order is done once.
func TestAssign(t *testing.T) {
	s := with(exact(Constant(100), Constant(150), 90000), Assign(0, 1, 300))
	s.Members = append(s.Members, Member{Capacity: Constant(200)})
	s.Commit = Commit{Every: 30 * time.Second}
	w := newWorld(s, random(1))
	p := w.parts[0]
	for before := p.processed(); w.now() < 310; before = p.processed() {
		if w.step(); p.processed() < before {
			t.Fatalf("at %.1f s processed goes from %d to %d", w.now(), before, p.processed())
		}
	}
	if p.owner != 1 || p.drain != 200 || len(w.members[0].Owns) != 0 {
		t.Errorf("owner %d drains %v, and the former still has %v", p.owner, p.drain, w.members[0].Owns)
	}
}

func TestCommitsOfBatches(t *testing.T) {
	s := exact(Steps(100, Change{300, 0}), Constant(150), 12345)
	s.Commit = Commit{Batch: 500}
	w := newWorld(s, random(1))
	p := w.parts[0]
	for before := p.committed; w.now() < 200; before = p.committed {
		w.step()
		if (p.committed-before)%500 != 0 {
			t.Fatalf("at %.1f s %d are committed at once", w.now(), p.committed-before)
		}
	}
	for w.now() < 600 {
		w.step()
	}
	if p.committed != p.end() {
		t.Errorf("all is processed, and %d of %d is committed", p.committed, p.end())
	}
}

// One partition stands still, and the other's owner goes on, with all that it can.
func TestStuck(t *testing.T) {
	s := exact(Constant(100), Constant(150), 0)
	s.Producers = append(s.Producers, s.Producers[0])
	s.Members[0].Owns = []int{0, 1}
	s.Behind = []int64{50000, 50000}
	w := newWorld(with(s, Stick(0, 100, 100)), random(1))
	for w.now() < 150 {
		w.step()
	}
	stuck, other := w.parts[0], w.parts[1]
	if stuck.drain != 0 || other.drain != 150 {
		t.Errorf("stuck drains %v, the other %v; want 0 and 150", stuck.drain, other.drain)
	}
	for w.now() < 250 {
		w.step()
	}
	if stuck.drain != 75 || other.drain != 75 {
		t.Errorf("then stuck drains %v, the other %v; want 75 each", stuck.drain, other.drain)
	}
}

// Records that are deleted before they were read are no work any more.
func TestRetention(t *testing.T) {
	s := with(exact(Constant(100), Constant(150), 0), Pause(0, 60, 900))
	s.Past.Span, s.Retain = 5*time.Minute, 5*time.Minute
	w := newWorld(s, random(1))
	p := w.parts[0]
	for w.now() < 900 {
		w.step()
	}
	if kept := p.end() - p.start; kept < 300*100 || kept > 361*100 {
		t.Errorf("%d are kept, want 300 to 360 s of 100/s", kept)
	}
	if p.committed >= p.start || p.processed() != p.start {
		t.Errorf("start %d, committed %d, processed %d", p.start, p.committed, p.processed())
	}
}
