package boundary

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// twin says the same in the dumbest way: it remembers everything.
type twin struct {
	delivered []int64
	done      map[int64]bool
	committed int64
	revoked   bool
}

func (w *twin) deliver(offset int64) bool {
	if w.revoked || offset < 0 || len(w.delivered) > 0 && offset <= w.delivered[len(w.delivered)-1] {
		return false
	}
	w.delivered = append(w.delivered, offset)
	return true
}

func (w *twin) finish(offset int64) bool {
	for _, d := range w.delivered {
		if d == offset && !w.done[d] && !w.revoked {
			w.done[d] = true
			return true
		}
	}
	return false
}

func (w *twin) next() (int64, bool) {
	if w.revoked || len(w.delivered) == 0 {
		return 0, false
	}
	next := w.delivered[len(w.delivered)-1] + 1
	for i := len(w.delivered) - 1; i >= 0; i-- {
		if !w.done[w.delivered[i]] {
			next = w.delivered[i]
		}
	}
	return next, next > max(w.committed, w.delivered[0])
}

// compare plays one call on both, chosen by two bytes, and fails on a difference.
func compare(t *testing.T, tr *Tracker, w *twin, what, arg byte) {
	t.Helper()
	offset := int64(arg)
	switch what % 8 {
	case 0, 1, 2: // mostly the next one, or one beyond a gap
		if n := len(w.delivered); n > 0 {
			offset = w.delivered[n-1] + int64(arg%5) - 1
		}
		if a, b := tr.Deliver(offset), w.deliver(offset); a != b {
			t.Fatalf("Deliver(%d) = %v, want %v", offset, a, b)
		}
	case 3, 4, 5: // mostly one that was delivered
		if n := len(w.delivered); n > 0 {
			offset = w.delivered[max(0, n-1-int(arg)%16)]
		}
		if a, b := tr.Done(offset), w.finish(offset); a != b {
			t.Fatalf("Done(%d) = %v, want %v", offset, a, b)
		}
	case 6:
		if next, ok := tr.Next(); ok {
			tr.Committed(next)
			w.committed = next
		}
	case 7:
		if arg == 7 {
			tr.Revoke()
			w.revoked = true
		}
	}
	next, ok := tr.Next()
	want, due := w.next()
	if ok != due || ok && next != want {
		t.Fatalf("Next() = %d, %v, want %d, %v; delivered %v, done %v", next, ok, want, due, w.delivered, w.done)
	}
}

func TestLikeTheTwin(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		tr, w := &Tracker{}, &twin{done: map[int64]bool{}}
		for range 120 {
			compare(t, tr, w, byte(r.IntN(8)), byte(r.IntN(256)))
		}
	}
}

func FuzzTracker(f *testing.F) {
	f.Add([]byte{0, 100, 0, 2, 0, 2, 3, 0, 6, 0, 7, 7, 3, 1})
	f.Fuzz(func(t *testing.T, calls []byte) {
		tr, w := &Tracker{}, &twin{done: map[int64]bool{}}
		for ; len(calls) >= 2; calls = calls[2:] {
			compare(t, tr, w, calls[0], calls[1])
		}
	})
}

// world is a partition that is read by one consumer after the other, each from where
// the one before committed. Its offsets have gaps.
type world struct {
	r         *rand.Rand
	log       []int64
	committed int64
	effects   map[int64]bool
	skipped   []string // commits that passed a record without an effect
	highest   bool     // the wrong rule: the highest done record is committed
}

func newWorld(seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 2)), effects: map[int64]bool{}}
	for at := w.r.Int64N(200); len(w.log) < 40; at += 1 + w.r.Int64N(4)*w.r.Int64N(2) {
		w.log = append(w.log, at)
	}
	return w
}

// tenure is one consumer's time: it fetches, finishes in any order, commits now and
// then, and is revoked with or without a last commit, or crashes. Work that was in
// flight may finish later.
func (w *world) tenure(last bool) {
	var tr Tracker
	var flying []int64
	unread := w.log
	for len(unread) > 0 && unread[0] < w.committed {
		unread = unread[1:]
	}
	top := int64(-1)
	finish := func(i int) {
		o := flying[i]
		flying = append(flying[:i], flying[i+1:]...)
		w.effects[o] = true
		if tr.Done(o) {
			top = max(top, o)
		}
	}
	for step := 0; last && len(unread)+len(flying) > 0 || !last && step < 30; step++ {
		switch n := w.r.IntN(5); {
		case n == 0 && len(unread) > 0: // a fetch
			for range 1 + w.r.IntN(6) {
				if len(unread) > 0 && tr.Deliver(unread[0]) {
					flying, unread = append(flying, unread[0]), unread[1:]
				}
			}
		case n < 3 && len(flying) > 0:
			finish(w.r.IntN(len(flying)))
		case n == 3:
			w.commit(&tr, top)
		}
	}
	if last || w.r.IntN(2) == 0 {
		w.commit(&tr, top)
	}
	tr.Revoke()
	for len(flying) > 0 && w.r.IntN(3) > 0 { // late ones
		finish(w.r.IntN(len(flying)))
		w.commit(&tr, -1)
	}
}

func (w *world) commit(tr *Tracker, top int64) {
	next, ok := tr.Next()
	if w.highest {
		next, ok = top+1, top >= 0
	}
	if !ok {
		return
	}
	for _, o := range w.log {
		if o >= w.committed && o < next && !w.effects[o] {
			w.skipped = append(w.skipped, fmt.Sprintf("%d by %d", o, next))
		}
	}
	tr.Committed(next)
	w.committed = next
}

func (w *world) lost() int {
	n := 0
	for _, o := range w.log {
		if !w.effects[o] {
			n++
		}
	}
	return n
}

// Over random completion orders, gaps, revocations and crashes no commit skips a
// record; with the wrong rule some do, and records are lost.
func TestNoRecordIsEverSkipped(t *testing.T) {
	wrong := 0
	for seed := range uint64(3000) {
		for _, highest := range []bool{false, true} {
			w := newWorld(seed)
			w.highest = highest
			for range w.r.IntN(6) {
				w.tenure(false)
			}
			w.tenure(true)
			switch {
			case highest && len(w.skipped) > 0 && w.lost() > 0:
				wrong++
			case !highest && (len(w.skipped) > 0 || w.lost() > 0):
				t.Fatalf("seed %d: skipped %v, %d of %d lost", seed, w.skipped, w.lost(), len(w.log))
			}
		}
	}
	if wrong < 1000 {
		t.Errorf("the wrong rule lost records in %d of 3000 runs: this test sees too little", wrong)
	}
}
