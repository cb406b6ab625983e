//go:build demo

// The tag keeps what takes minutes out of the fast tests.

package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/dashboards"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/boards"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/promtest"
)

// emptyOnDemo are the queries that have no data on the demo, and why. What says is
// in the words that the panel then shows; an annotation has none.
var emptyOnDemo = map[string]struct{ why, says string }{
	"lagwatch-topic: Partitions added, A":       {"the demo's topics never get more partitions", ""},
	"lagwatch-topic: Topic created anew, A":     {"the demo deletes no topic", ""},
	"lagwatch-self: Groups in less detail, A#2": {"the demo sets no max_series", "no cluster is above max_series"},
	"lagwatch-self: Memory, B":                  {"the demo sets no memory limit", ""},
}

// Every query of every dashboard is one that a real Prometheus answers, for each
// cluster, group and topic; and on the demo, in which each condition holds of some
// group, it has data for some choice, or the panel says why it has none. With the
// default families it has data as well, or the panel names the family to include.
func TestDashboardsOnDemo(t *testing.T) {
	all, byDefault := startDemo(t)
	list, began := parsed(t), time.Now()
	waitForScenes(t, all)
	t.Logf("every scene has shown its condition after %v", time.Since(began))
	full, lean := &asked{server: all, data: map[string]bool{}}, &asked{server: byDefault, data: map[string]bool{}}
	await.Until(t, 4*time.Minute, "data for every query", func() bool {
		full.ask(t, list, false)
		return len(full.missing(list)) == 0 || time.Since(began) > 4*time.Minute // what is missing is named below
	})
	lean.ask(t, list, false)
	t.Logf("%d queries have had no data after %v", len(full.missing(list)), time.Since(began))
	full.ask(t, list, true) // the rest of the choices: none may be an error
	t.Logf("%d of %d answers had data; that took %v", full.answers, full.asked, time.Since(began))
	for q, p := range places(list) {
		full.judge(t, q, p)
		lean.judgeLean(t, q, p, full)
	}
	for q := range emptyOnDemo {
		if _, ok := places(list)[q]; !ok {
			t.Errorf("%s: there is no such query any more", q)
		}
	}
}

// startDemo plays the demo. Two Prometheus scrape it: one gets all families, one
// those that lagwatch publishes by default.
func startDemo(t *testing.T) (all, byDefault *promtest.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, exit := &await.Buffer{}, make(chan int, 1)
	go func() { exit <- run(ctx, []string{"demo", "--listen", "127.0.0.1:0", "--plain"}, out, out) }()
	t.Cleanup(func() {
		stop()
		if code := <-exit; code != 0 {
			t.Errorf("the demo's exit status is %d:\n%s", code, out)
		}
	})
	var address string
	await.Until(t, time.Minute, "the demo's page", func() bool {
		if m := regexp.MustCompile(`metrics: http://(\S+)/metrics\n`).FindStringSubmatch(out.String()); m != nil {
			address = m[1]
		}
		return address != ""
	})
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: lagwatch\n  static_configs: [{targets: [%q]}]\n", address)
	drop := fmt.Sprintf("  metric_relabel_configs: [{source_labels: [__name__], regex: %q, action: drop}]\n", strings.Join(optional(), "|"))
	return promtest.Start(t, promtest.Config{YAML: config}), promtest.Start(t, promtest.Config{YAML: config + drop})
}

// optional are the families that are published only where the config includes them.
func optional() []string {
	var names []string
	for _, m := range collector.Metrics() {
		if m.Optional {
			names = append(names, m.Name)
		}
	}
	return names
}

func waitForScenes(t *testing.T, server *promtest.Server) {
	t.Helper()
	await.Until(t, 3*time.Minute, "every scene's condition", func() bool {
		v, err := server.Query(t.Context(), "max by (group, condition) (max_over_time(lagwatch_group_condition[1h])) == 1")
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]bool{}
		for _, s := range v {
			held[string(s.Metric["group"]+" "+s.Metric["condition"])] = true
		}
		return !slices.ContainsFunc(lab.Scenarios(), func(s lab.Scenario) bool { return s.Shows != "" && !held[s.Group+" "+s.Shows] })
	})
}

func parsed(t *testing.T) []*boards.Board {
	t.Helper()
	shipped, err := dashboards.All()
	if err != nil {
		t.Fatal(err)
	}
	var list []*boards.Board
	for _, d := range shipped {
		b, err := boards.Parse(d.JSON)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	if len(list) != 5 {
		t.Errorf("%d dashboards, want 5", len(list))
	}
	return list
}

// A place is a query and the panel that it is of.
type place struct {
	board *boards.Board
	panel boards.Panel
	query boards.Query
}

// places are all queries by the names that failures give them. A title that a
// board has twice is told apart by a number.
func places(list []*boards.Board) map[string]place {
	out := map[string]place{}
	for _, b := range list {
		for _, p := range slices.Concat(b.Panels, b.Annotations) {
			for _, q := range p.Queries {
				name := fmt.Sprintf("%s: %s, %s", b.UID, p.Title, q.Ref)
				for i := 2; ; i++ {
					if _, taken := out[name]; !taken {
						break
					}
					name = fmt.Sprintf("%s: %s, %s#%d", b.UID, p.Title, q.Ref, i)
				}
				out[name] = place{b, p, q}
			}
		}
	}
	return out
}

func (a *asked) judge(t *testing.T, name string, p place) {
	t.Helper()
	empty, known := emptyOnDemo[name]
	switch {
	case a.data[name] && known:
		t.Errorf("%s has data: it is no longer true that %s", name, empty.why)
	case !a.data[name] && !known:
		t.Errorf("%s has no data on the demo:\n%s", name, p.query.Expr)
	case known && !strings.Contains(p.panel.NoValue, empty.says):
		t.Errorf("%s is empty as %s, and says %q", name, empty.why, p.panel.NoValue)
	}
}

// judgeLean judges what the default families make of a query that has data with all.
func (a *asked) judgeLean(t *testing.T, name string, p place, full *asked) {
	t.Helper()
	if a.data[name] || !full.data[name] {
		return
	}
	for _, family := range optional() {
		if strings.Contains(p.query.Expr, family) && strings.Contains(p.panel.NoValue, family) {
			return
		}
	}
	t.Errorf("%s has no data with the default families, and says %q", name, p.panel.NoValue)
}
