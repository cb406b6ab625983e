//go:build breaking

package integration

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// TestBreakingAllBrokersAway proves that scrapes go on answering at once while
// Kafka is down, that the page says so and lets go of what is too old, and that
// everything comes back by itself when Kafka does.
func TestBreakingAllBrokersAway(t *testing.T) {
	const away, staleAfter = 60 * time.Second, 10 * time.Second
	c := startBrokers(t)
	startLoad(t, c)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 10s")
	awaitWhole(t, l, time.Minute)
	r := record(t, l, 150*time.Millisecond)
	before := steadyFootprint(t, c.Bootstrap())
	whole := awaitWhole(t, l, time.Minute)

	killed, logged := time.Now(), l.log.length()
	killAll(t, c)
	await.Until(t, 2*away, "the minute without brokers to pass", passed(away))
	back := time.Now()
	outage := r.between(t, killed, back)
	checkAtOnce(t, outage)
	checkRate(t, outage, back.Sub(killed), 5)
	checkUpFalls(t, outage, killed, whole)
	checkAges(t, outage, killed)
	checkGoesStale(t, outage, killed, staleAfter, whole)
	checkPollsEnd(t, outage)
	checkErrorsGrow(t, outage, whole, "connection_refused")

	startAll(t, c)
	checkReturn(t, l, r, back, whole)
	checkLogsOnce(t, l, logged, r.between(t, killed, time.Now()))
	awaitFootprint(t, c.Bootstrap(), before, 90*time.Second)
}
