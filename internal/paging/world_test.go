//go:build paging

package paging

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/promtest"
)

// played are the demo's scenes that are played too: in one cluster with those of the
// tests, and at the same time.
var played = []string{
	"healthy", "kip848", "standalone", "idle-members", // nothing is wrong
	"hot-partition", "uncommitted", "unowned-partition", "rebalancing", "open-transaction", "unreadable", "rewound",
}

// world is all that takes part.
type world struct {
	t          *testing.T
	near, far  *lab.Cluster
	lagwatch   *exporter
	prometheus *promtest.Server
	manager    *promtest.Alertmanager
	pager      *promtest.Pager
	began      time.Time
}

// newWorld starts two clusters, in which nothing happens yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, near: cluster(t), far: cluster(t), began: time.Now()}
}

func cluster(t *testing.T) *lab.Cluster {
	t.Helper()
	c, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// watch lets lagwatch watch them, Prometheus lagwatch, and Alertmanager take what it says.
func (w *world) watch() {
	t := w.t
	t.Helper()
	var scenes []lab.Scenario
	for _, name := range played {
		s, _ := lab.Find(name)
		scenes = append(scenes, s)
	}
	if _, err := lab.StartScenarios(t.Context(), w.near, played...); err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../alerts/alertmanager.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w.pager = promtest.StartPager(t)
	w.manager = promtest.StartAlertmanager(t, routing(t, string(example), "http://127.0.0.1:9099", w.pager.URL))
	w.lagwatch = newExporter(t, settings(t, w.near, w.far, scenes))
	w.lagwatch.start(t)
	w.prometheus = promtest.Start(t, promtest.Config{
		YAML:  scrapes(w.lagwatch.discover.URL, w.manager.Address()),
		Files: map[string]string{"rules.yml": rules(t)},
		Flags: []string{
			"--query.lookback-delta=" + fast(5*time.Minute).String(),
			"--rules.alert.resend-delay=" + fast(time.Minute).String(),
		},
	})
}

// say tells what happens when, for who reads along.
func (w *world) say(format string, args ...any) {
	w.t.Logf("%4.0f s  %s", time.Since(w.began).Seconds(), fmt.Sprintf(format, args...))
}

// pass lets time pass: so much, as it usually passes.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	end := time.Now().Add(fast(d))
	await.Until(w.t, fast(d)+time.Minute, "time to pass", func() bool { return time.Now().After(end) })
}

// about are the notifications that have the alert, firing or resolved, in the order in which
// they came.
func (w *world) about(x *trouble, status string) []promtest.Notification {
	var out []promtest.Notification
	for _, n := range w.pager.Notifications() {
		if slices.ContainsFunc(n.Alerts, func(a promtest.Alert) bool { return x.is(a) && a.Status == status }) {
			out = append(out, n)
		}
	}
	return out
}

// wait waits for each trouble's notification; limit is as time usually passes. Which
// did not come is an error, and the others go on.
func (w *world) wait(status string, limit time.Duration, all ...*trouble) {
	w.t.Helper()
	var left []string
	for end := time.Now().Add(fast(limit)); ; w.pass(5 * time.Second) {
		left = nil
		for _, x := range all {
			if len(w.about(x, status)) == 0 {
				left = append(left, x.String())
			}
		}
		if len(left) == 0 {
			w.say("all is %s: %s", status, names(all))
			return
		}
		if time.Now().After(end) {
			w.t.Errorf("after %v these are not %s: %s", limit, status, strings.Join(left, ", "))
			return
		}
	}
}

func names(all []*trouble) string {
	var out []string
	for _, x := range all {
		out = append(out, x.String())
	}
	return strings.Join(out, ", ")
}
