//go:build breaking

package integration

import (
	"testing"
	"time"
)

// TestBreakingBootstrapGone proves that lagwatch needs the address it was given
// only to begin with: when that broker is gone for good it carries on through
// the others, also after they were restarted.
func TestBreakingBootstrapGone(t *testing.T) {
	c := startBrokers(t)
	driver, err := c.Driver(t.Context())
	check(t, err)
	check(t, (&load{c, driver}).standStill(t.Context()))
	l := startLagwatch(t, []string{c.Broker(1).Addr()}, "stale_after: 60s")
	good := func(p *page) bool {
		return p.shows(1, "lagwatch_up", nil) && p.complete(standingGroup) && standsStill(p) == nil
	}
	whole := l.await(t, time.Minute, "a complete page", good)
	r := record(t, l, 150*time.Millisecond)

	killed := time.Now()
	check(t, c.Kill(1))
	l.await(t, time.Minute, "Kafka to move on", func(p *page) bool {
		return good(p) && len(p.families["lagwatch_broker_up"]) == 2
	})
	t.Logf("complete without the bootstrap broker after %s", seconds(time.Since(killed)))
	for _, id := range []int{2, 3} {
		began := time.Now()
		check(t, c.Restart(t.Context(), id))
		p := l.await(t, time.Minute, "a complete page after a restart", func(p *page) bool {
			return good(p) && len(p.families["lagwatch_broker_up"]) == 2 && p.all(1, "lagwatch_broker_up", nil)
		})
		t.Logf("broker %d restarted, complete after %s; polls: %d failed, %d partial, %d complete",
			id, seconds(time.Since(began)), p.polls("failed"), p.polls("partial"), p.polls("complete"))
	}
	during := r.between(t, killed, time.Now())
	checkAnswered(t, during)
	checkPollsEnd(t, during)
	checkNoneLost(t, during, whole)
	for _, s := range during {
		if s.err == nil && (!s.shows(1, "lagwatch_up", nil) || standsStill(s.page) != nil) {
			t.Errorf("%s after the kill: up is %v; %v", seconds(s.asked.Sub(killed)), s.find("lagwatch_up", nil), standsStill(s.page))
		}
	}
}
