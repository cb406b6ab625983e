package rates

import (
	"testing"
	"time"
)

// A lag of hours was said to be gone with the next commit, if it came at once to a group
// that had kept up: how fast a group can work is not known where it never had to.
func TestFarMoreThanWasEverDrained(t *testing.T) {
	const comes = 6005
	jump := func(now, offsets, perSecond int64) int64 {
		if now < comes {
			return 0
		}
		return offsets + perSecond*(now-comes)
	}
	busy := func(now int64) int64 { return 100 * now }
	for _, tt := range []struct {
		name               string
		every              int64 // seconds between commits
		end                func(now int64) int64
		offsets, perSecond int64 // that come then
	}{
		{"two million at once, commits every 5 s", 5, busy, 2_000_000, 0},
		{"two million at once, commits every minute", 60, busy, 2_000_000, 0},
		{"two million at once, commits every ten minutes", 600, busy, 2_000_000, 0},
		{"a hundred times as much from then on, commits every minute", 60, busy, 0, 9900},
		{"a hundred times as much from then on, commits every ten minutes", 600, busy, 0, 9900},
		{"a record every 100 s until then", 10, func(now int64) int64 { return now / 100 }, 2_000_000, 0},
		{"nothing for an hour until then", 10, func(now int64) int64 { return busy(min(now, 2000)) }, 2_000_000, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, given := newScene(10*time.Second), 0
			for now := int64(3); now < comes+max(tt.every-10, 15); now += 10 {
				end := tt.end(now) + jump(now, tt.offsets, tt.perSecond)
				e, _ := s.poll(end, tt.end(min(now, comes-1)/tt.every*tt.every))
				if now > comes/2 && now < comes && !finite(e) {
					t.Fatalf("at %d s, while it keeps up: %+v", now, e)
				}
				if now > comes && finite(e) {
					given++
				}
			}
			if tt.perSecond > 0 {
				given -= 2 // it takes a while to be far more
			}
			if given > 0 {
				t.Errorf("a drain time for %d polls too many", given)
			}
		})
	}
}
