package ownership

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func TestRecent(t *testing.T) {
	known := func(d time.Duration) snapshot.Maybe[time.Duration] { return snapshot.Known(d) }
	storm := []string{"consumer stable #1 a:t0 b:t1", "consumer reconciling #2 a:t1 b:t0", "consumer reconciling #2 a:t1 b:t0", "consumer stable #3 a:t0 b:t1"}
	for _, tt := range []struct {
		name   string
		polls  []string
		after  time.Duration // since the last poll
		window time.Duration
		want   Recent
	}{
		{"nothing was seen", nil, 0, time.Minute, Recent{}},
		{"nothing happened", []string{"consumer stable #1 a:t0", "consumer stable #1 a:t0"}, 0, time.Minute, Recent{Known: true, Window: 10 * time.Second}},
		{"all of it", storm, 0, time.Minute, Recent{Known: true, Window: 30 * time.Second, Rounds: 2, Moved: 4, Unstable: 20 * time.Second, Quiet: known(0)}},
		{"the last poll", storm, 0, 10 * time.Second, Recent{Known: true, Window: 10 * time.Second, Rounds: 1, Moved: 2, Unstable: 10 * time.Second, Quiet: known(0)}},
		{"a part of an unstable time", storm, 5 * time.Second, 10 * time.Second, Recent{Known: true, Window: 10 * time.Second, Rounds: 1, Moved: 2, Unstable: 5 * time.Second, Quiet: known(5 * time.Second)}},
		{"none of it any more", storm, 25 * time.Second, 10 * time.Second, Recent{Known: true, Window: 10 * time.Second, Quiet: known(25 * time.Second)}},
		{"polls stay away", storm, 31 * time.Second, 2 * time.Minute, Recent{Window: 61 * time.Second, Rounds: 2, Moved: 4, Unstable: 20 * time.Second, Quiet: known(31 * time.Second)}},
		// A redeploy of a single member, which tells no generation at first, moved partitions without a time.
		{"a round that counts later", []string{"classic stable #3 a:t0", "classic stable #3 a:t0", "classic stable b:t0"}, 5 * time.Second, time.Minute,
			Recent{Known: true, Window: 25 * time.Second, Moved: 1, Quiet: known(5 * time.Second)}},
		{"one that changed nothing and counts later", []string{"classic stable #3 a:t0", "classic preparing ! a", "classic stable a:t0"}, 0, time.Minute,
			Recent{Known: true, Window: 20 * time.Second, Unstable: 10 * time.Second, Quiet: known(0)}},
		{"partitions handed over after the epoch", []string{"consumer stable #1 a:t0", "consumer stable #2 a:t0 b", "consumer stable #2 a b:t0"}, 0, time.Minute,
			Recent{Known: true, Window: 20 * time.Second, Rounds: 1, Moved: 1, Quiet: known(0)}},
		{"unstable now", storm[:3], 5 * time.Second, time.Minute, Recent{Known: true, Window: 25 * time.Second, Rounds: 1, Moved: 2, Unstable: 10 * time.Second, Since: 15 * time.Second, Quiet: known(15 * time.Second)}},
		{"unstable when it was last seen", storm[:3], 35 * time.Second, time.Minute, Recent{Window: 55 * time.Second, Rounds: 1, Moved: 2, Unstable: 10 * time.Second, Quiet: known(45 * time.Second)}},
		{"unstable again, after a gap", append(storm[:2:2], "+40 consumer reconciling #2 a:t1 b:t0"), 0, time.Hour, Recent{Known: true, Window: 50 * time.Second, Rounds: 1, Moved: 2, Quiet: known(40 * time.Second)}},
		{"members are not known", []string{"consumer stable ?"}, 0, time.Minute, Recent{}},
		{"the state is not known", []string{"consumer unknown #1 a:t0"}, 0, time.Minute, Recent{}},
		{"half an hour at most", append(storm[:4:4], "+1770 consumer stable #4 a:t0 b:t1"), 20 * time.Second, 5 * time.Hour,
			Recent{Known: true, Window: longest, Rounds: 2, Moved: 2, Unstable: 10 * time.Second, Quiet: known(20 * time.Second)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, now := watch(tt.polls...), snapshot.Instant(1e18)
			for _, s := range told(tt.polls...) {
				now = s.Now
			}
			if diff := cmp.Diff(tt.want, r.Recent(now+snapshot.Instant(tt.after), tt.window)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// However much happens, what is remembered of it is bounded; and when nothing has
// happened for half an hour, it takes no room.
func TestRecentIsBounded(t *testing.T) {
	r := &Rounds{}
	list := told("consumer reconciling #1 a:t0 b", "consumer reconciling #2 a b:t0")
	now := list[0].Now
	for i := range 10_000 {
		s := list[i%2]
		s.Now, s.Generation = now, snapshot.Known(int32(i))
		now += snapshot.Instant(time.Second)
		r.Observe(s)
	}
	got := r.Recent(now, longest)
	if len(r.recent) > 181 || got.Rounds < 1795 || got.Rounds > 1805 || got.Moved != got.Rounds || got.Unstable < longest-5*time.Second || got.Unstable > longest {
		t.Errorf("%d events, %+v", len(r.recent), got)
	}
	s := list[0]
	s.State, s.Generation, s.Now = snapshot.StateStable, snapshot.Known(int32(9999)), now
	r.Observe(s)
	s.Now += snapshot.Instant(longest)
	if r.Observe(s); r.recent != nil {
		t.Errorf("%d events are left", len(r.recent))
	}
}
