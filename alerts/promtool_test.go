package alerts_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/lagwatch/lagwatch/alerts"
)

// promtool runs the one that is on PATH. Where there is none it skips the test, unless the
// environment says CI=true: there a skipped test would go unnoticed.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("promtool")
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal("needs promtool on PATH")
	default:
		t.Skip("needs promtool on PATH")
	}
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, out)
	}
}

// each option once, and together.
func everyOption() map[string]alerts.Options {
	return map[string]alerts.Options{
		"none":     {},
		"selector": {Selector: `env="prod", zone=~"a|b%d"`, Job: `monitoring/lagwatch "x"`},
		"labels":   {Labels: map[string]string{"tier": "1", "note": `{{ $labels.group }} "quoted"`}},
		"links":    {RunbookURL: "https://wiki.example.com/runbooks/", GrafanaURL: "https://grafana.example.com/x"},
		"fast":     {TimeScale: 30},
		"fastest":  {TimeScale: 1000},
		"other": {
			Severities: map[string]string{"critical": "page", "KafkaGroupHotPartition": "page"},
			Thresholds: map[string]float64{"age_factor": 3.5, "burn_1h": 10}, For: map[string]time.Duration{"KafkaGroupNoConsumers": 0, "LagwatchBlind": 90 * time.Second},
			Without: []string{"KafkaGroupRewound", "KafkaGroupAbandonedTopic", "KafkaGroupIdleMembers", "KafkaTopicPartitionsAdded"},
		},
		"all": {
			Selector: `env="prod"`, Job: "lw", Labels: map[string]string{"tier": "1"}, RunbookURL: "http://r", GrafanaURL: "http://g", TimeScale: 7,
			Severities: map[string]string{"info": "none"}, Thresholds: map[string]float64{"never_drains_share": 0},
		},
	}
}

// A rule that Prometheus 2.42 does not load, or finds fault with, takes all others with it.
func TestPrometheusLoadsThem(t *testing.T) {
	for name, o := range everyOption() {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if err := alerts.Print(&text, o); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "rules.yaml")
			if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			promtool(t, "check", "rules", "--lint=all", "--lint-fatal", file)
		})
	}
}

// What each alert is to do, and what it must not, stands in the files of tests. They are
// of the rules as they are printed now.
func TestAlertsDoAsTheFilesSay(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "tests"), os.DirFS("tests")); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := alerts.Print(&text, alerts.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lagwatch.rules.yaml"), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range testFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			promtool(t, "test", "rules", filepath.Join(dir, file))
		})
	}
}

func testFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("tests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, files: %v", err, files)
	}
	return files
}

// Each alert has a case in which it fires, with its text, and one in which it does not.
func TestEachAlertIsTried(t *testing.T) {
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, file := range testFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f struct {
			Tests []struct {
				Name   string
				Alerts []struct {
					Name   string `yaml:"alertname"`
					Expect []any  `yaml:"exp_alerts"`
				} `yaml:"alert_rule_test"`
			}
		}
		if err := yaml.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		for _, test := range f.Tests {
			if test.Name == "" {
				t.Errorf("%s: a test without a name, which is its reason", file)
			}
			for _, a := range test.Alerts {
				if len(a.Expect) > 0 {
					fires[a.Name] = true
				} else {
					silent[a.Name] = true
				}
			}
		}
	}
	for _, a := range alerts.List(alerts.Options{}) {
		if !fires[a.Name] || !silent[a.Name] {
			t.Errorf("%s: a case in which it fires %v, one in which it does not %v", a.Name, fires[a.Name], silent[a.Name])
		}
	}
}
