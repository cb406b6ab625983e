//go:build breaking || soak

package integration

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// pollInterval is that of every lagwatch here, the shortest there is; a poll
// ends within pollLimit, and each of its requests within requestTimeout.
const (
	pollInterval   = time.Second
	pollLimit      = pollInterval * 9 / 10
	requestTimeout = pollInterval / 2
)

// slack is what a busy machine may add to a time that is promised.
const slack = time.Second

// startBrokers starts three brokers for one test, which may break them.
func startBrokers(t *testing.T) *testkafka.Cluster {
	t.Helper()
	testkafka.Require(t, testkafka.DefaultVersion)
	began := time.Now()
	c, err := testkafka.Start(t.Context(), testkafka.Options{})
	check(t, err)
	t.Cleanup(func() { check(t, c.Close()) })
	t.Logf("three brokers serve after %s", seconds(time.Since(began)))
	return c
}

// everyBroker does something to all three brokers at the same time.
func everyBroker(t *testing.T, do func(id int) error) {
	t.Helper()
	var g errgroup.Group
	for id := 1; id <= 3; id++ {
		g.Go(func() error { return do(id) })
	}
	check(t, g.Wait())
}

func killAll(t *testing.T, c *testkafka.Cluster) {
	t.Helper()
	everyBroker(t, c.Kill)
}

// startAll starts brokers that are down, and returns when all serve.
func startAll(t *testing.T, c *testkafka.Cluster) {
	t.Helper()
	everyBroker(t, func(id int) error { return c.StartBroker(t.Context(), id) })
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func seconds(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }

func clock(at time.Time) string { return at.Format("15:04:05.000") }

// ask gets a path other than /metrics.
func (l *lagwatch) ask(t *testing.T, path string) (code int, body string) {
	t.Helper()
	r, err := l.client.Get(l.url + path)
	check(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	check(t, err)
	return r.StatusCode, string(text)
}

// passed is a condition that holds when so much time has passed.
func passed(d time.Duration) func() bool {
	began := time.Now()
	return func() bool { return time.Since(began) >= d }
}

// length is how much has been logged so far.
func (b *logBuffer) length() int { return len(b.String()) }

// lines returns the lines logged since there were so many bytes that contain a
// text.
func (b *logBuffer) lines(since int, part string) []string {
	var out []string
	for line := range strings.Lines(b.String()[since:]) {
		if strings.Contains(line, part) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// all tells whether every series of a family that matches has the value, and
// there is one.
func (p *page) all(value float64, name string, match labels) bool {
	found := p.find(name, match)
	return len(found) > 0 && !slices.ContainsFunc(found, func(s sample) bool { return s.value != value })
}

// seldom are families that tell what happened, and not what there is: an
// outage adds to them. The generation of a classic group is known only after
// one of its members joined for the second time, and a group may not have
// rebalanced before the outage.
var seldom = []string{"lagwatch_poll_errors_total", "lagwatch_kafka_requests_total", "lagwatch_group_generation", "lagwatch_group_last_rebalance_timestamp_seconds"}

// estimated is what families of estimates have in their names, and of what is judged by
// them: these come once enough was seen, which may be before an outage or after it.
var estimated = regexp.MustCompile(`_(drain|arrival|processing|lag_age|commit_age|retention_headroom|members_needed|condition)(_|$)`)

// series names what lagwatch has on the page, sorted. Of owners it leaves out
// who they are: after an outage that may differ.
func (p *page) series() []string {
	names := map[string]bool{}
	for family, list := range p.families {
		if !strings.HasPrefix(family, "lagwatch_") || slices.Contains(seldom, family) || estimated.MatchString(family) {
			continue
		}
		for _, s := range list {
			names[seriesName(family, s)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func seriesName(family string, s sample) string {
	var b strings.Builder
	b.WriteString(family)
	for _, label := range slices.Sorted(maps.Keys(s.labels)) {
		if label != "client_id" && label != "host" && label != "kafka_cluster" {
			b.WriteString(" " + label + "=" + s.labels[label])
		}
	}
	return b.String()
}
