package rates

import (
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// miss is a poll that reads the log but not the pair.
func (s *scene) miss(end int64) {
	s.now += snapshot.Instant(s.every)
	s.clock.Begin(s.now)
	s.log.Observe(s.clock, snapshot.Reading{Offset: end, At: s.now})
}

// finite is whether a drain time is known and not +Inf.
func finite(e Estimate) bool {
	seconds, ok := e.DrainSeconds.Get()
	return ok && !math.IsInf(seconds, 1)
}

// A group that every poll had found without lag was not seen to stop for twelve minutes:
// how long it leaves between commits was learned only where there was a lag.
func TestPromptGroupStops(t *testing.T) {
	for _, every := range []time.Duration{5 * time.Second, 10 * time.Second, time.Minute} {
		t.Run(every.String(), func(t *testing.T) {
			s := newScene(every)
			const dies = 50
			for poll := range int64(dies + 10) {
				e, _ := s.poll(1000*poll, 1000*min(poll, dies))
				if poll > 2 && poll <= dies && !finite(e) {
					t.Fatalf("poll %d, before it dies: %+v", poll, e)
				}
				if drain, _ := e.Drain.Get(); poll > dies+4 && (finite(e) || drain != 0) {
					t.Fatalf("%d polls after it died %+v remain, and it drains %g/s", poll-dies, e.DrainSeconds, drain)
				}
			}
		})
	}
}

// Polls that had not read the pair were taken for a pause of it: a group that then stopped
// seemed to keep up for as long as it could not be read.
func TestTimeUnreadIsNoPause(t *testing.T) {
	for _, tt := range []struct {
		name string
		gap  func(s *scene, at func(int64) (end, committed int64), now int64) int64
	}{
		{"read all the time", func(_ *scene, _ func(int64) (int64, int64), now int64) int64 { return now }},
		{"polls that missed the pair", func(s *scene, at func(int64) (int64, int64), now int64) int64 {
			for range 180 {
				end, _ := at(now)
				s.miss(end)
				now += 10
			}
			return now
		}},
		{"the process was suspended", func(s *scene, _ func(int64) (int64, int64), now int64) int64 {
			s.now += 1790 * second
			return now + 1790
		}},
	} {
		for _, every := range []int64{10, 60} {
			t.Run(tt.name+", commits every "+(time.Duration(every)*time.Second).String(), func(t *testing.T) {
				s, at, now := newScene(10*time.Second), sawtooth(every), int64(3)
				alive := func(polls int) {
					for range polls {
						s.poll(at(now))
						now += 10
					}
				}
				alive(100)
				for range 2 {
					now = tt.gap(s, at, now)
					alive(13)
				}
				_, dead := at(now)
				for after := int64(0); after < 600; after += 10 {
					end, _ := at(now + after)
					if e, _ := s.poll(end, dead); after > every+40 && finite(e) {
						t.Fatalf("%d s after it stopped %+v", after, e)
					}
				}
			})
		}
	}
}

// A group that reads a record now and then seemed to stop after each and to go on at the
// next; once no more come, and not for long after, it drains nothing.
func TestARecordNowAndThenIsDrainedEvenly(t *testing.T) {
	for _, late := range []int64{0, 1} {
		s := newScene(10 * time.Second)
		for poll := range int64(200) {
			end := min(poll, 150) / 6
			e, _ := s.poll(end, max(0, min(poll, 150)-late)/6)
			drain, ok := e.Drain.Get()
			if poll > 50 && poll <= 150 && (!ok || off(drain, 1./60) > 0.2) {
				t.Errorf("commits %d polls late, poll %d: drains %g/s (%v), want 1/60", late, poll, drain, ok)
			}
			if poll > 180 && drain != 0 {
				t.Errorf("commits %d polls late, poll %d: drains %g/s of nothing", late, poll, drain)
			}
		}
	}
}

// What a group had drained while it stood still was told as its drain after it came back,
// and nothing said that it was not.
func TestResumed(t *testing.T) {
	s := newScene(10 * time.Second)
	at := sawtooth(60)
	const stops, returns = 1803, 2103
	var got []int64 // how long after its return it was resuming
	for now := int64(3); now < returns+600; now += 10 {
		end, committed := at(now)
		if now > stops && now < returns {
			_, committed = at(stops)
		}
		if e, _ := s.poll(end, committed); e.Resumed {
			got = append(got, now-returns)
		}
	}
	if len(got) != 12 || got[0] != 0 || got[11] != 110 {
		t.Errorf("resuming %v seconds after it came back, want from 0 to 110", got)
	}
}
