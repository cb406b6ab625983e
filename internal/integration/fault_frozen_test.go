//go:build breaking

package integration

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// TestBreakingOneBrokerFrozen proves that one broker which accepts connections
// and answers nothing for a minute costs its own groups and partitions only:
// polls end within their deadline and pile nothing up, all the rest stays fresh,
// and when it goes on it is read again without a restart.
func TestBreakingOneBrokerFrozen(t *testing.T) {
	const frozenFor = time.Minute
	c := startBrokers(t)
	load := startLoad(t, c)
	placed := placeGroups(t, load)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 120s")
	awaitWhole(t, l, time.Minute)
	whole := l.await(t, time.Minute, "all placed groups", placed.complete)
	victim := coordinatorOf(t, whole, "modern")
	r := record(t, l, 150*time.Millisecond)
	before := steadyFootprint(t, c.Bootstrap()) // with what records

	frozen := time.Now()
	check(t, c.Freeze(victim))
	goroutines := countGoroutines(t, frozenFor)
	check(t, c.Thaw(victim))
	thawed := time.Now()
	during := r.between(t, frozen, thawed)
	t.Logf("broker %d was frozen for %s", victim, seconds(thawed.Sub(frozen)))
	checkAnswered(t, during)
	checkPollsEnd(t, during)
	checkNoneLost(t, during, whole)
	checkNoPileUp(t, goroutines, before.polling)
	placed.checkMarked(t, during, victim, frozen)
	checkFresh(t, during, placed, victim)
	checkBrokerDown(t, during, victim, frozen)

	p := l.await(t, 2*time.Minute, "all three brokers up and everything complete", func(p *page) bool {
		return len(p.families["lagwatch_broker_up"]) == 3 && p.all(1, "lagwatch_broker_up", nil) && placed.complete(p) && wholeLoad(p)
	})
	t.Logf("complete %s after the thaw; errors: %s", seconds(p.asked.Sub(thawed)), errorCounts(p))
	awaitFootprint(t, c.Bootstrap(), before, 90*time.Second)
}

// checkFresh checks that groups which need nothing of the broker are never old.
// A machine without a free processor is given its time.
func checkFresh(t *testing.T, during []scrape, placed placement, victim int) {
	t.Helper()
	oldest := map[bool]float64{} // by whether the group needs the broker
	busy := busyMoments(t, during)
	for i, s := range during {
		for _, group := range slices.Sorted(maps.Keys(placed)) {
			at := placed[group]
			affected := at.coordinator == victim || at.leader == victim
			age, ok := s.value("lagwatch_group_read_age_seconds", labels{"group": group})
			oldest[affected] = max(oldest[affected], age)
			if !ok || !affected && !busy[i] && age > (3*aPoll).Seconds() {
				t.Errorf("at %s %s was read %.1f s ago (known: %v)", clock(s.asked), group, age, ok)
			}
		}
	}
	t.Logf("oldest reading of a group that needs the broker %.1f s, of any other %.1f s", oldest[true], oldest[false])
}
