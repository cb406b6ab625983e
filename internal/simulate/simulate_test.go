package simulate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func find(t *testing.T, name string) Scenario {
	t.Helper()
	for _, s := range Scenarios() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scenario %q", name)
	return Scenario{}
}

// exact is a world without chance but for the phase of polls: an even flow, and a
// commit after each record.
func exact(arrival, capacity Curve, behind int64) Setup {
	s := one(20*time.Minute, Producer{arrival, 0}, capacity, Commit{Batch: 1})
	s.Members[0].Jitter = 0
	s.Behind = []int64{behind}
	return s
}

func TestASeedMakesTheSameTrace(t *testing.T) {
	for _, s := range Scenarios() {
		if len(s.Build(random(1)).Producers) == 1 && s.Name != "lossy-polls" && s.Name != "restart" {
			continue // they have nothing that those with four partitions lack
		}
		a, b := s.Make(7).Trace, s.Make(7).Trace
		if !reflect.DeepEqual(a, b) { // in a hundredth of the time that cmp.Diff takes
			t.Errorf("%s: twice the same seed (-first +second):\n%s", s.Name, cmp.Diff(a, b))
		}
		if reflect.DeepEqual(a.Polls, s.Make(8).Trace.Polls) {
			t.Errorf("%s: two seeds make the same polls", s.Name)
		}
	}
}

func TestWorkedExample(t *testing.T) {
	for _, p := range find(t, "worked-example").Make(1).Trace.Polls {
		l, c, now := p.Logs[0], p.Positions[0], p.Logs[0].At.Seconds()
		lag := float64(l.End - c.Committed)
		switch {
		case now < 600:
			// 1,200 at first, and 1,200 more a minute.
			if want := 1200 + 20*now; math.Abs(lag-want) > 50 {
				t.Fatalf("at %.1f s the lag is %v, want about %v", now, lag, want)
			}
			if !math.IsInf(float64(c.Truth.ETA), 1) || c.Truth.Arrival != 120 || c.Truth.Drain != 100 {
				t.Fatalf("at %.1f s: %+v", now, c.Truth)
			}
		case lag > 500:
			if got := float64(c.Truth.ETA); math.Abs(got-lag/30) > 1e-9 {
				t.Fatalf("at %.1f s ETA %v, want lag %v / 30", now, got, lag)
			}
			// 13,200 were unread after ten minutes; 30/s less from then on.
			if ends := now + float64(c.Truth.Remaining); math.Abs(ends-(600+13200.0/30)) > 2 {
				t.Fatalf("at %.1f s the end is said to be at %v", now, ends)
			}
		}
	}
}

func TestTruthByHand(t *testing.T) {
	inf := trace.Infinite(math.Inf(1))
	tests := []struct {
		name  string
		setup Setup
		at    float64
		want  trace.Truth // Age to the step; Gap, Polls and Commits are not compared
	}{
		{"keeps up", exact(Constant(100), Constant(200), 0), 300, trace.Truth{Arrival: 100, Drain: 100, KeepsUp: true}},
		{"behind by 60,000 at a net of 50/s", exact(Constant(100), Constant(150), 60000), 300,
			trace.Truth{Arrival: 100, Drain: 150, ETA: 900, Remaining: 900, Age: 450}},
		{"falls behind by 20/s", exact(Constant(120), Constant(100), 0), 300,
			trace.Truth{Arrival: 120, Drain: 100, ETA: inf, Remaining: inf, Age: 50}},
		{"nothing arrives any more", exact(Steps(100, Change{100, 0}), Constant(50), 0), 150,
			trace.Truth{Drain: 50, ETA: 50, Remaining: 50, Age: 75}},
		{"done", exact(Steps(100, Change{100, 0}), Constant(50), 0), 250, trace.Truth{KeepsUp: true}},
		{"stands still", with(exact(Constant(100), Constant(200), 0), Pause(0, 200, 500)), 260,
			trace.Truth{Arrival: 100, ETA: inf, Remaining: inf, Age: 60}},
		{"set back by 5,000", with(exact(Constant(100), Constant(200), 0), Rewind(0, 200, 5000)), 210,
			trace.Truth{Arrival: 100, Drain: 200, ETA: 40, Remaining: 40, Age: 40}},
		{"constant lag", with(withPast(day(1), exact(Constant(0), Constant(200), 10)), Stick(0, 0, 5000)), 600,
			trace.Truth{ETA: inf, Remaining: inf, Age: 609}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(tt.setup, random(1))
			for w.now() < tt.at {
				w.step()
			}
			p := w.parts[0]
			got := *w.truth(p, p.committed)
			near := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) <= 0.3 })
			nearInfinite := cmp.Comparer(func(a, b trace.Infinite) bool { return a == b || math.Abs(float64(a-b)) <= 0.3 })
			got.Gap, got.Polls, got.Commits = 0, 0, 0
			if diff := cmp.Diff(tt.want, got, near, nearInfinite); diff != "" {
				t.Errorf("truth (-want +got):\n%s", diff)
			}
		})
	}
}

// with and withPast change one thing of a world.
func with(s Setup, events []Event) Setup {
	s.Events = events
	return s
}

func withPast(p Past, s Setup) Setup {
	s.Past = p
	return s
}

func TestShare(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name  string
		total float64
		wants []float64
		want  []float64
	}{
		{"enough for all", 100, []float64{10, 20}, []float64{10, 20}},
		{"two that want all", 100, []float64{inf, inf}, []float64{50, 50}},
		{"what one does not want is the other's", 100, []float64{10, inf}, []float64{10, 90}},
		{"of three", 90, []float64{inf, 10, 35}, []float64{45, 10, 35}},
		{"too little for any", 30, []float64{20, 10, 40}, []float64{10, 10, 10}},
		{"nobody", 30, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wants, got := map[*partition]float64{}, map[*partition]float64{}
			var parts []*partition
			for _, v := range tt.wants {
				p := &partition{}
				parts, wants[p] = append(parts, p), v
			}
			share(parts, tt.total, func(p *partition) float64 { return wants[p] }, func(p *partition, v float64) { got[p] = v })
			var list []float64
			for _, p := range parts {
				list = append(list, got[p])
			}
			if diff := cmp.Diff(tt.want, list); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
