package simulate

import (
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

func TestCommitsAreReadBeforeEnds(t *testing.T) {
	for _, s := range Scenarios() {
		before := trace.Moment(-1)
		for _, p := range s.Make(3).Trace.Polls {
			if p.At <= before {
				t.Fatalf("%s: a poll at %v after one at %v", s.Name, p.At, before)
			}
			before = p.At
			for i, c := range p.Positions {
				l := p.Logs[i]
				if c.At > l.At || c.Committed > l.End || c.Partition != l.Partition {
					t.Fatalf("%s: commit %+v, log %+v", s.Name, c, l)
				}
				before = max(before, l.At)
			}
		}
	}
}

func TestPollsAreLost(t *testing.T) {
	s := exact(Constant(100), Constant(200), 0)
	s.Length, s.Polls = time.Hour, Polls{Every: 10 * time.Second, Jitter: 0.3, Lost: 0.25, LostOne: 0.5}
	list := simulate(s, random(1), trace.Header{}).Trace.Polls
	logs := 0
	for _, p := range list {
		logs += len(p.Logs)
	}
	if len(list) < 240 || len(list) > 300 || logs < 110 || logs > 160 {
		t.Errorf("of 360 polls %d are there, with %d logs; want about 270 and 135", len(list), logs)
	}
}

// Whoever polls anew has seen nothing: what it has seen of the rates begins anew too.
func TestRestart(t *testing.T) {
	s := with(exact(Constant(100), Constant(120), 60000), Restart(600, 35))
	restarts, last := 0, 0.0
	for _, p := range simulate(s, random(1), trace.Header{}).Trace.Polls {
		if p.Restart {
			restarts++
			if p.At.Seconds() < 635 || last > 600 || p.Positions[0].Truth.Polls != 1 || p.Positions[0].Truth.Commits != 0 {
				t.Errorf("restart at %v s after a poll at %v s: %+v", p.At.Seconds(), last, *p.Positions[0].Truth)
			}
		}
		last = p.At.Seconds()
	}
	if restarts != 1 {
		t.Errorf("%d restarts, want 1", restarts)
	}
}

// Polls and commits are counted from when both rates hold; in a poll every ten seconds
// of a commit every minute is a new one each sixth.
func TestWhatWasSeenOfTheRates(t *testing.T) {
	s := exact(Constant(100), Steps(120, Change{600, 150}), 90000)
	s.Commit = Commit{Every: time.Minute}
	for _, p := range simulate(s, random(1), trace.Header{}).Trace.Polls {
		truth, held := p.Positions[0].Truth, p.Logs[0].At.Seconds()
		if held > 600 {
			held -= 600
		}
		if math.Abs(float64(truth.Polls)-held/10) > 1.5 || math.Abs(float64(truth.Commits)-held/60) > 1.5 {
			t.Fatalf("%v s after a change: %+v", held, *truth)
		}
	}
}

// A broker finds by time what the truth says of when it arrived, before the beginning
// and after.
func TestLookup(t *testing.T) {
	run := simulate(exact(Constant(7), Constant(9), 5000), random(1), trace.Header{})
	p := run.world.parts[0]
	now := moment(run.world.now())
	for offset := p.first - 10000; offset < p.end(); offset += 37 {
		at := moment(p.passed(offset))
		got, stamp, found := run.Lookup(0, at, now)
		if later, stamp, found := run.Lookup(0, at+1, now); found && (stamp < at+1 || later <= got) {
			t.Fatalf("offset %d at a nanosecond after %v: %d of %v", offset, at, later, stamp)
		}
		if !found || stamp < at || got > offset || moment(p.passed(got)) != stamp {
			t.Fatalf("offset %d arrived at %v; looked up %d of %v, %v", offset, at, got, stamp, found)
		}
		if got > 0 && moment(p.passed(got-1)) > at {
			t.Fatalf("%d is not the first at %v: the one before is of %v", got, at, moment(p.passed(got-1)))
		}
	}
	if _, _, found := run.Lookup(0, now+trace.Moment(time.Hour), now); found {
		t.Error("something is found in the future")
	}
}
