package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// made is a run of six partitions and three members, one of which leaves at 600 s.
func made(change func(*simulate.Setup)) simulate.Run {
	return simulate.Scenario{Name: "six", Build: func(*rand.Rand) simulate.Setup {
		s := simulate.Setup{
			Length: 20 * time.Minute, Commit: simulate.Commit{Every: 5 * time.Second},
			Polls: simulate.Polls{Every: 10 * time.Second, Between: time.Second},
			Past:  simulate.Past{PerSecond: 100, Span: time.Hour},
		}
		for range 6 {
			s.Producers = append(s.Producers, simulate.Producer{Rate: simulate.Constant(100), Batch: 1})
		}
		for _, owns := range simulate.Spread(6, 3) {
			s.Members = append(s.Members, simulate.Member{Capacity: simulate.Constant(300), Owns: owns})
		}
		change(&s)
		return s
	}}.Make(1)
}

func watched(t *testing.T, run simulate.Run, each func(Seen)) {
	synctest.Test(t, func(*testing.T) { Watch(run, collector.Options{Seed: true}, each) })
}

// What the view says is what the trace has, poll by poll.
func TestTheViewShowsWhatPollsSaw(t *testing.T) {
	run := made(func(s *simulate.Setup) { s.Events = simulate.Rebalance(600, 15, 0, 1) })
	i := 0
	watched(t, run, func(s Seen) {
		look := run.Looks[i]
		i++
		var lag int64
		poll := run.Trace.Polls[look.Poll]
		for k, l := range poll.Logs {
			lag += l.End - poll.Positions[k].Committed
		}
		if s.At != look.At || s.Failed || s.Group.Lag != snapshot.Known(lag) || !s.Group.Complete {
			t.Fatalf("at %v lag %v, want %d at %v", s.At, s.Group.Lag, lag, look.At)
		}
		if stable := s.Group.State == snapshot.StateStable; stable == look.Between || stable && s.Group.Generation != snapshot.Known(look.Generation) {
			t.Fatalf("at %v state %v, generation %v; %+v", s.At, s.Group.State, s.Group.Generation, look)
		}
		if m, _ := s.Group.Members.Get(); m.Assigned == look.Between || len(m.List) != len(look.Members) {
			t.Fatalf("at %v members %+v, want %+v", s.At, m, look.Members)
		}
		if owners := s.Group.Owners(&s.Group.Topics[0].Pairs[5]); !look.Between {
			if owns := look.Members[len(look.Members)-1].Owns; len(owners) != 1 || !slices.Contains(owns, 5) {
				t.Fatalf("at %v partition 5 is %+v's; %+v", s.At, owners, look.Members)
			}
		}
	})
	if i != len(run.Looks) || i < 119 {
		t.Errorf("%d polls of %d", i, len(run.Looks))
	}
}

// Time is that of the run: ages are what they truly are, and what was lost ages too.
func TestTimePasses(t *testing.T) {
	run := made(func(s *simulate.Setup) {
		s.Events, s.Polls.Lost = simulate.Stick(2, 100, 1e6), 0.1
	})
	i, failed := 0, 0
	watched(t, run, func(s Seen) {
		look := run.Looks[i]
		i++
		if s.Failed {
			failed++
			return
		}
		truth := run.Trace.Polls[look.Poll].Positions[2].Truth
		age, ok := s.Group.Topics[0].Pairs[2].LagAge.Get()
		if s.At.Seconds() > 120 && (!ok || math.Abs(age-truth.Age) > 10) {
			t.Errorf("at %v the lag age is %v, want %v", s.At, age, truth.Age)
		}
	})
	if failed < 3 {
		t.Errorf("%d polls failed", failed)
	}
}

// After a restart nothing is known of what was before.
func TestARestartBeginsAnew(t *testing.T) {
	run := made(func(s *simulate.Setup) { s.Events = simulate.Restart(300, 60) })
	var before trace.Moment
	restarted := false
	watched(t, run, func(s Seen) {
		if gap := s.At - before; gap > trace.Moment(30*time.Second) {
			restarted = true
			if age, known := s.Group.Estimates.LagAge.Get(); !known || age > 20 {
				t.Errorf("at once after the restart the lag age is %v, %v: brokers tell when records arrived", age, known)
			}
		}
		before = s.At
	})
	if !restarted {
		t.Error("there was no restart")
	}
}
