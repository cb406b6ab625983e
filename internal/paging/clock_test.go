//go:build paging

package paging

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/lagwatch/lagwatch/alerts"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// scale is how many times as fast as usual time passes.
const scale = 10

// fast is how long something takes here that takes d by default.
func fast(d time.Duration) time.Duration { return d / scale }

// usual is how long what took d here would take.
func usual(d time.Duration) time.Duration { return (d * scale).Round(time.Second) }

// rounds is how many times as fast as usual the members of the lab's groups rebalance: they
// send a heartbeat each half second, not every three.
const rounds = 6

// sooner are the thresholds of conditions, each divided by the scale; those of how long a
// group may be between two assignments by what its members are capable of.
func sooner() map[string]any {
	out := make(map[string]any)
	for _, k := range diagnosis.Keys() {
		if d, ok := k.Default.(time.Duration); ok {
			out[k.Name] = fast(d)
		}
	}
	of := diagnosis.Defaults()
	out["unstable"], out["unstable_window"] = of.Unstable/rounds, of.UnstableWindow/rounds
	return out
}

// rules are the shipped ones.
func rules(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := alerts.Print(&b, alerts.Options{TimeScale: scale}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// routing is the shipped example for Alertmanager: its times divided by the scale, its
// receivers' URLs with another beginning.
func routing(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("the example has no receiver at %s", from)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, from, to)), &doc); err != nil {
		t.Fatal(err)
	}
	if n := hasten(t, &doc); n < 3 {
		t.Fatalf("%d times found in the example, want group_wait, group_interval and repeat_interval", n)
	}
	out, err := yaml.Marshal(&doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// hasten divides each time below a node of YAML, and returns how many there were.
func hasten(t *testing.T, n *yaml.Node) (found int) {
	t.Helper()
	for i, child := range n.Content {
		found += hasten(t, child)
		if n.Kind != yaml.MappingNode || i%2 == 0 {
			continue
		}
		switch n.Content[i-1].Value {
		case "group_wait", "group_interval", "repeat_interval":
			d, err := model.ParseDuration(child.Value)
			if err != nil {
				t.Fatal(err)
			}
			child.Value = model.Duration(fast(time.Duration(d))).String()
			found++
		}
	}
	return found
}

// scrapes is the config of Prometheus: one job, whose targets are asked for at a URL, as
// where pods come and go.
func scrapes(targets, manager string) string {
	return fmt.Sprintf(`
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 3s}
rule_files: [rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}
scrape_configs:
  - job_name: lagwatch
    http_sd_configs: [{url: %q, refresh_interval: 1s}]
`, manager, targets)
}
