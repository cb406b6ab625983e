//go:build breaking

package integration

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// TestBreakingKafkaComesLater proves that lagwatch can be started before Kafka:
// it says what it waits for, and is whole within an interval of Kafka.
func TestBreakingKafkaComesLater(t *testing.T) {
	c := startBrokers(t)
	load := startLoad(t, c)
	killAll(t, c)
	l := startLagwatch(t, c.Bootstrap(), "stale_after: 5s")
	checkWaits(t, l, c.Bootstrap()[0])
	r := record(t, l, 150*time.Millisecond)
	started := time.Now()
	serving := make(chan error, 3)
	for id := 1; id <= 3; id++ {
		go func() { serving <- c.StartBroker(t.Context(), id) }()
	}
	whole := awaitKafka(t, load, 2*time.Minute)
	awaitWhole(t, l, 30*time.Second)
	for range 3 {
		check(t, <-serving)
	}
	p := firstWhole(t, r.between(t, started, time.Now().Add(pollInterval)))
	t.Logf("Kafka is whole %s after it was started, the page %s after that", seconds(whole.Sub(started)), seconds(p.asked.Sub(whole)))
	if late := p.asked.Sub(whole); late > pollInterval+slack {
		t.Errorf("everything is on the page only %s after Kafka has it", seconds(late))
	}
	if code, body := l.ask(t, "/-/ready"); code != 200 {
		t.Errorf("ready: %d %s", code, body)
	}
	checkAnswered(t, r.between(t, started, time.Now()))
}

// checkWaits checks what lagwatch says while there is no Kafka.
func checkWaits(t *testing.T, l *lagwatch, address string) {
	t.Helper()
	l.await(t, 10*time.Second, "two failed polls", func(p *page) bool { return p.polls("failed") >= 2 })
	p := l.page(t)
	if !p.shows(0, "lagwatch_up", nil) {
		t.Error("up is not 0")
	}
	if p.sum("lagwatch_poll_errors_total", labels{"stage": "metadata", "reason": "connection_refused"}) < 2 {
		t.Errorf("the reason is not counted: %s", errorCounts(p))
	}
	for _, family := range append(derived, "lagwatch_last_success_timestamp_seconds", "lagwatch_group_complete") {
		if n := len(p.families[family]); n > 0 {
			t.Errorf("%d series of %s without ever having read Kafka", n, family)
		}
	}
	if code, body := l.ask(t, "/-/healthy"); code != 200 {
		t.Errorf("healthy: %d %s", code, body)
	}
	if code, body := l.ask(t, "/-/ready"); code != 503 || !strings.Contains(body, address) || !strings.Contains(body, "refused") {
		t.Errorf("ready: %d %s", code, body)
	}
	if lines := l.log.lines(0, "level=ERROR"); len(lines) != 1 {
		t.Errorf("%d errors logged, want one: %s", len(lines), l.log)
	}
}

// awaitKafka returns the time at which Kafka's own client has read all of the
// load, with every group stable, and no request can have taken longer than
// lagwatch waits for one.
func awaitKafka(t *testing.T, l *load, limit time.Duration) time.Time {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	await.Until(t, limit, "Kafka to be whole", func() bool {
		began := time.Now()
		return l.whole(ctx) && time.Since(began) < requestTimeout
	})
	return time.Now()
}

// whole tells whether every partition has a leader and every group is as it
// should be.
func (l *load) whole(ctx context.Context) bool {
	topics, err := l.driver.DescribeTopics(ctx, busyTopic, standingTopic)
	if err != nil {
		return false
	}
	for _, p := range topics.Value {
		if p.Leader == nil {
			return false
		}
	}
	groups, err := l.driver.DescribeGroups(ctx, loadGroups...)
	if err != nil {
		return false
	}
	for _, g := range groups.Value {
		if g.Group != standingGroup && (g.State != "Stable" || len(g.Members) != 2) {
			return false
		}
	}
	_, err = l.driver.EndOffsets(ctx, busyTopic, standingTopic)
	return err == nil
}

func firstWhole(t *testing.T, list []scrape) scrape {
	t.Helper()
	for _, s := range list {
		if s.err == nil && wholeLoad(s.page) {
			return s
		}
	}
	t.Fatal("no page has all of the load")
	return scrape{}
}
