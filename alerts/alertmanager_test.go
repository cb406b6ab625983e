package alerts_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/lagwatch/lagwatch/alerts"
)

const example = "alertmanager.yaml"

// amtool runs the one that is on PATH, as promtool does.
func amtool(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("amtool")
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal("needs amtool on PATH")
	default:
		t.Skip("needs amtool on PATH")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("amtool %v: %v\n%s%s", args, err, out, &said)
	}
	return strings.TrimSpace(string(out))
}

func TestAlertmanagerLoadsTheExample(t *testing.T) { amtool(t, "check-config", example) }

// Who is told of what.
func TestRoutes(t *testing.T) {
	group := []string{"kafka_cluster=east", "group=settle"}
	for name, tt := range map[string]struct {
		labels []string
		want   string
	}{
		"a page of a team":             {append([]string{"alertname=KafkaGroupStalled", "severity=critical", "team=payments"}, group...), "payments-pager"},
		"a page of nobody's group":     {append([]string{"alertname=KafkaGroupStalled", "severity=critical"}, group...), "platform-pager"},
		"a page of a team without one": {append([]string{"alertname=KafkaGroupStalled", "severity=critical", "team=shop"}, group...), "platform-pager"},
		"a blind lagwatch":             {[]string{"alertname=LagwatchBlind", "severity=critical", "kafka_cluster=east"}, "platform-pager"},
		"lagwatch that is down":        {[]string{"alertname=LagwatchDown", "severity=critical"}, "platform-pager"},
		"a ticket of a team":           {append([]string{"alertname=KafkaGroupHotPartition", "severity=warning", "team=search"}, group...), "search-tickets"},
		"a ticket of nobody's group":   {append([]string{"alertname=KafkaGroupHotPartition", "severity=warning"}, group...), "platform-tickets"},
		"poll errors":                  {[]string{"alertname=LagwatchPollErrors", "severity=warning", "kafka_cluster=east"}, "platform-tickets"},
		"a note":                       {append([]string{"alertname=KafkaGroupRewound", "severity=info", "team=search"}, group...), "channel"},
		"a severity of somebody else":  {[]string{"alertname=Other", "severity=odd"}, "platform-tickets"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := amtool(t, append([]string{"config", "routes", "test", "--config.file=" + example}, tt.labels...)...); got != tt.want {
				t.Errorf("%v goes to %s, not to %s", tt.labels, got, tt.want)
			}
		})
	}
}

// An alert that is renamed, or that was never there, would silence nothing, or too much.
func TestInhibitionsNameAlerts(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Rules []struct {
			Source []string `yaml:"source_matchers"`
			Target []string `yaml:"target_matchers"`
			Equal  []string
		} `yaml:"inhibit_rules"`
	}
	if err := yaml.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]alerts.Alert)
	for _, a := range alerts.List(alerts.Options{}) {
		all[a.Name] = a
	}
	names := slices.Sorted(maps.Keys(all))
	for _, r := range f.Rules {
		sources, targets := named(t, r.Source, names), named(t, r.Target, names)
		for _, label := range r.Equal {
			// What is absent on both sides counts as equal.
			for _, source := range sources {
				if !slices.Contains(all[source].Labels, label) {
					t.Errorf("%s has no label %s, so it would silence whatever has none", source, label)
				}
			}
			for _, target := range targets {
				if !slices.Contains(all[target].Labels, label) {
					t.Errorf("%s has no label %s", target, label)
				}
			}
		}
		if len(r.Equal) == 0 && !slices.Equal(sources, []string{"LagwatchDown"}) {
			t.Errorf("%v silences what has nothing to do with it", sources)
		}
	}
}

var ofName = regexp.MustCompile(`^alertname=(~?)"(.*)"$`)

// named are the alerts that matchers name; each alternative has to name one.
func named(t *testing.T, matchers, names []string) (found []string) {
	t.Helper()
	for _, m := range matchers {
		parts := ofName.FindStringSubmatch(m)
		if parts == nil {
			continue
		}
		for alternative := range strings.SplitSeq(parts[2], "|") {
			whole := regexp.MustCompile("^(?:" + alternative + ")$")
			n := len(found)
			for _, name := range names {
				if whole.MatchString(name) {
					found = append(found, name)
				}
			}
			if len(found) == n {
				t.Errorf("%s names no alert", alternative)
			}
		}
	}
	return found
}
