package simulate

import (
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// What is said of when a record goes is compared with when the start passes it.
func TestRecordsAreDeletedWhenSaid(t *testing.T) {
	setup := find(t, "retention").Build(random(1))
	w := newWorld(setup, random(1))
	p, r := w.parts[0], Run{world: w}
	said := map[int64]trace.Moment{}
	gone := 0
	for range int(setup.Length.Seconds() / step) {
		w.step()
		for offset, at := range said {
			if now := moment(w.now()); (p.start > offset) != (now >= at) {
				t.Fatalf("offset %d was said to go at %.1f s; at %.1f s the log begins at %d", offset, at.Seconds(), now.Seconds(), p.start)
			} else if now >= at {
				delete(said, offset)
				gone++
			}
		}
		if w.at%997 == 0 {
			for _, offset := range []int64{p.start, (p.start + p.end()) / 2} {
				said[offset], _ = r.Deleted(0, offset, moment(w.now()))
			}
		}
	}
	if gone < 40 {
		t.Errorf("%d records were seen to go", gone)
	}
	if _, ok := (Run{world: newWorld(exact(Constant(1), Constant(1), 0), random(1))}).Deleted(0, 0, 0); ok {
		t.Error("a log that is kept for ever is said to be deleted")
	}
}

// A commit that is made between the two reads of a poll is not the one that was read.
func TestCommitAgesAreOfWhatWasRead(t *testing.T) {
	setup := find(t, "keeps-up").Build(random(1))
	w := newWorld(setup, random(1))
	p := w.parts[0]
	changed, before, between := 0.0, p.committed, 0
	next := func() {
		w.step()
		if p.committed != before {
			before, changed = p.committed, w.now()
		}
	}
	for range 400 {
		for range 34 {
			next()
		}
		read, at, since := w.committed(), w.at, changed
		for range 3 {
			next()
		}
		if changed > since {
			between++
		}
		got := w.poll(look{at, w.at}, read).Positions[0].Truth.CommitAge
		if since == 0 {
			if got != nil {
				t.Fatalf("%v before the first commit", *got)
			}
		} else if want := float64(at)*step - since; got == nil || math.Abs(*got-want) > 1e-9 {
			t.Fatalf("at %.1f s %v, want %v", w.now(), got, want)
		}
	}
	if between < 10 {
		t.Errorf("%d commits were made between two reads", between)
	}
}

// Nothing is processed before it has come to the member, and soon after.
func TestRecordsAreOnTheirWay(t *testing.T) {
	s := exact(Bursts(0, 100, 20, 10, 0), Constant(1000), 0)
	s.Delay = time.Second
	w := newWorld(s, random(1))
	p := w.parts[0]
	for w.now() < 100 {
		w.step()
		if before := len(p.ends) - 11; before >= 0 && p.processed() != p.ends[before] {
			t.Fatalf("at %.1f s %d are processed, a second ago the end was %d", w.now(), p.processed(), p.ends[before])
		}
		if !p.keepsUp() {
			t.Fatalf("at %.1f s it does not keep up", w.now())
		}
	}
}
