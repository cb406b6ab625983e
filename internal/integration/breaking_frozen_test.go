//go:build breaking

package integration

import (
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// TestBreakingAllBrokersFrozen proves that brokers which accept connections and
// answer nothing hold up neither scrapes nor polls, pile nothing up, and are
// read again without a restart when they go on.
func TestBreakingAllBrokersFrozen(t *testing.T) {
	const frozenFor, staleAfter = 30 * time.Second, 5 * time.Second
	c := startBrokers(t)
	startLoad(t, c)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 5s")
	awaitWhole(t, l, time.Minute)
	r := record(t, l, 150*time.Millisecond)
	before := steadyFootprint(t, c.Bootstrap())
	whole := awaitWhole(t, l, time.Minute)

	frozen, logged := time.Now(), l.log.length()
	everyBroker(t, c.Freeze)
	goroutines := countGoroutines(t, frozenFor)
	thawed := time.Now()
	everyBroker(t, c.Thaw)
	outage := r.between(t, frozen, thawed)
	checkAtOnce(t, outage)
	checkRate(t, outage, thawed.Sub(frozen), 5)
	checkUpFalls(t, outage, frozen, whole)
	checkAges(t, outage, frozen)
	checkGoesStale(t, outage, frozen, staleAfter, whole)
	checkErrorsGrow(t, outage, whole, "timeout")
	checkPollsEnd(t, outage)
	checkNoPileUp(t, goroutines, before.polling)

	checkReturn(t, l, r, thawed, whole)
	checkLogsOnce(t, l, logged, r.between(t, frozen, time.Now()))
	awaitFootprint(t, c.Bootstrap(), before, 90*time.Second)
}

// countGoroutines counts the goroutines of polls for some time.
func countGoroutines(t *testing.T, span time.Duration) []int {
	t.Helper()
	var counts []int
	over, next := passed(span), time.Now()
	await.Until(t, 2*span, "the time without answers to pass", func() bool {
		if time.Now().After(next) {
			counts, next = append(counts, pollingGoroutines()), time.Now().Add(200*time.Millisecond)
		}
		return over()
	})
	return counts
}

// checkNoPileUp checks that the goroutines do not become more with every poll.
func checkNoPileUp(t *testing.T, counts []int, before int) {
	t.Helper()
	third := len(counts) / 3
	early, late := slices.Max(counts[:third]), slices.Max(counts[2*third:])
	t.Logf("goroutines that poll: %d before, at most %d in the first third of the freeze and %d in the last", before, early, late)
	if late > early+10 || late > before+40 {
		t.Error("goroutines pile up")
	}
}
