package simulate

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// six is a world of six partitions and three members.
func six(events ...[]Event) Setup {
	s := exact(Constant(100), Constant(400), 0)
	s.Commit = Commit{Every: 30 * time.Second}
	s.Producers = slices.Repeat(s.Producers, 6)
	s.Members = nil
	for _, owns := range Spread(6, 3) {
		s.Members = append(s.Members, Member{Capacity: Constant(400), Owns: owns})
	}
	s.Events = slices.Concat(events...)
	return s
}

func (w *world) goTo(t float64) {
	for w.now() < t {
		w.step()
	}
}

func (w *world) owners() (list []int) {
	for _, p := range w.parts {
		list = append(list, p.owner)
	}
	return list
}

// A member leaves, all do, and all come back.
func TestRebalance(t *testing.T) {
	w := newWorld(six(Rebalance(100, 5, 0, 1), Rebalance(200, 0), Rebalance(300, 5, 0, 1, 2)), random(1))
	for _, want := range []struct {
		at         float64
		owners     []int
		generation int32
		between    bool
	}{
		{99, []int{0, 0, 1, 1, 2, 2}, 1, false},
		{103, []int{0, 0, 1, 1, 2, 2}, 1, true},
		{110, []int{0, 0, 1, 1, 0, 1}, 2, false}, // who is left keeps what it had
		{210, []int{-1, -1, -1, -1, -1, -1}, 3, false},
		{310, []int{0, 1, 2, 0, 1, 2}, 4, false},
	} {
		w.goTo(want.at)
		l := w.look()
		if d := cmp.Diff(want.owners, w.owners()); d != "" || l.Generation != want.generation || l.Between != want.between {
			t.Errorf("at %v s generation %d, between %v; owners (-want +got):\n%s", want.at, l.Generation, l.Between, d)
		}
	}
	want := []Joined{{0, 2, []int{0, 3}}, {1, 2, []int{1, 4}}, {2, 2, []int{2, 5}}}
	if d := cmp.Diff(want, w.look().Members); d != "" {
		t.Errorf("members (-want +got):\n%s", d)
	}
}

// While a group is between two assignments nothing is done, and after it nothing again.
func TestNothingIsDoneBetween(t *testing.T) {
	w := newWorld(six(Shuffle(100, 20, 0, 1, 2)), random(1))
	w.goTo(100)
	before := w.parts[0].processed()
	if w.parts[0].committed != before {
		t.Errorf("%d is done, and %d committed", before, w.parts[0].committed)
	}
	if w.goTo(119); w.parts[0].processed() != before || w.parts[0].drain != 0 {
		t.Errorf("%d more are done", w.parts[0].processed()-before)
	}
	if w.goTo(125); w.parts[0].processed() <= before {
		t.Error("nothing is done afterwards")
	}
}

// A member that hangs commits nothing more, and its heir does again what it had done.
func TestTheHeirOfAHungMember(t *testing.T) {
	s := six(Rebalance(100, 0, 0, 1))
	s.Members[2].Capacity = Constant(1e6)
	w := newWorld(s, random(1))
	w.goTo(99)
	w.members[2].stopped++ // with what it has done since its last commit
	committed := w.parts[5].committed
	if w.goTo(100); w.parts[5].committed != committed || w.parts[5].owner == 2 {
		t.Errorf("committed %d, want %d; owner %d", w.parts[5].committed, committed, w.parts[5].owner)
	}
}

// Each poll looks once, whether or not it fails.
func TestLooks(t *testing.T) {
	s := six(Rebalance(100, 25, 0, 1, 2))
	s.Polls = Polls{Every: 10 * time.Second, Lost: 0.3}
	run := simulate(s, random(1), trace.Header{})
	failed, between := 0, 0
	for _, l := range run.Looks {
		switch {
		case l.Poll < 0:
			failed++
		case run.Trace.Polls[l.Poll].At != l.At:
			t.Errorf("the look at %v is of a poll at %v", l.At, run.Trace.Polls[l.Poll].At)
		}
		if l.Between {
			between++
		}
	}
	if len(run.Looks) < 119 || failed != len(run.Looks)-len(run.Trace.Polls) || between < 2 || between > 3 {
		t.Errorf("%d looks, %d failed, %d between assignments; %d polls", len(run.Looks), failed, between, len(run.Trace.Polls))
	}
}

func TestStandaloneShowsNoMembers(t *testing.T) {
	s := six()
	s.Standalone = true
	w := newWorld(s, random(1))
	if w.goTo(60); len(w.look().Members) != 0 || w.parts[0].committed == w.parts[0].first {
		t.Errorf("%d members are shown, and %d is committed", len(w.look().Members), w.parts[0].committed)
	}
}

// Noise is around the rate, and of its own every ten seconds.
func TestNoiseOfArrivals(t *testing.T) {
	s := exact(Constant(1000), Constant(2000), 0)
	s.Noise = 0.2
	w := newWorld(s, random(1))
	var sum, squares, n float64
	for w.now() < 1190 {
		before := w.parts[0].end()
		w.goTo(w.now() + 10)
		came := float64(w.parts[0].end()-before) / 10000
		sum, squares, n = sum+came, squares+(came-1)*(came-1), n+1
	}
	if mean, spread := sum/n, squares/n; mean < 0.93 || mean > 1.07 || spread < 0.02 || spread > 0.06 {
		t.Errorf("mean %v and variance %v of the rate's, want 1 and 0.04", mean, spread)
	}
}
