package newest

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

const shipped = root + "/alerts/lagwatch.rules.yaml"

// What is shipped, and what each option prints, is loaded by the newest Prometheus too.
func TestRulesLoad(t *testing.T) {
	program := filepath.Join(t.TempDir(), "lagwatch")
	build := exec.CommandContext(t.Context(), "go", "build", "-mod=readonly", "-o", program, "./cmd/lagwatch")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building lagwatch: %v\n%s", err, out)
	}
	for _, args := range [][]string{
		nil,
		{"--selector", `env="prod",zone=~"a|b"`, "--job", `x"y`},
		{"--time-scale", "30", "--label", "tier=1"},
		{"--runbook-base-url", "https://r.example.com/x", "--grafana-base-url", "https://g.example.com"},
		{"--severity", "critical=page", "--threshold", "age_factor=3", "--for", "LagwatchBlind=90s", "--without", "KafkaGroupRewound"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), program, append([]string{"rules"}, args...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			if _, errs := rulefmt.Parse(out, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler)); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

// unitTests is a file of tests for promtool.
type unitTests struct {
	Interval model.Duration `yaml:"evaluation_interval"`
	Order    []string       `yaml:"group_eval_order"`
	Tests    []unitTest
}

type unitTest struct {
	Name     string
	Interval model.Duration
	Series   []struct{ Series, Values string } `yaml:"input_series"`
	Alerts   []struct {
		Name   string         `yaml:"alertname"`
		At     model.Duration `yaml:"eval_time"`
		Expect []alert        `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
	Queries []struct {
		Expr   string
		At     model.Duration `yaml:"eval_time"`
		Expect []struct {
			Labels string
			Value  float64
		} `yaml:"exp_samples"`
	} `yaml:"promql_expr_test"`
}

// alert is one that fires.
type alert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

// The alerts do with the newest engine what they do with that of 2.42, for which the
// files are written: windows are open on the left since 3.0.
func TestAlertsDoAsTheFilesSay(t *testing.T) {
	files, err := filepath.Glob(root + "/alerts/tests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, files: %v", err, files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f unitTests
		if err := yaml.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		for _, test := range f.Tests {
			t.Run(filepath.Base(file)+"/"+test.Name, func(t *testing.T) {
				t.Parallel()
				test.run(t, &f)
			})
		}
	}
}

// run evaluates all rules at each interval, and what the test says at its times.
func (test *unitTest) run(t *testing.T, f *unitTests) {
	load := fmt.Sprintf("load %s\n", test.Interval)
	for _, s := range test.Series {
		load += "  " + s.Series + " " + s.Values + "\n"
	}
	loader, err := promqltest.NewLazyLoader(load, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		t.Fatal(err)
	}
	defer loader.Close()
	groups := test.groups(t, f, loader)
	for at := time.Duration(0); at <= test.last(); at += time.Duration(f.Interval) {
		now := time.Unix(0, 0).UTC().Add(at)
		loader.WithSamplesTill(now, func(err error) {
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				g.Eval(loader.Context(), now)
				for _, r := range g.Rules() {
					if err := r.LastError(); err != nil {
						t.Fatalf("%s at %s: %v", r.Name(), at, err)
					}
				}
			}
		})
		test.check(t, groups, at)
		test.ask(t, loader, at)
	}
}

func (test *unitTest) groups(t *testing.T, f *unitTests, loader *promqltest.LazyLoader) (out []*rules.Group) {
	m := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(loader.QueryEngine(), loader.Storage()), AppendableV2: loader.Storage(), Context: loader.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler), ExternalURL: &url.URL{},
	})
	byName, errs := m.LoadGroups(time.Duration(f.Interval), labels.EmptyLabels(), "", nil, false, shipped)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, name := range f.Order {
		g := byName[shipped+";"+name]
		if g == nil {
			t.Fatalf("no group %s", name)
		}
		for _, r := range g.AlertingRules() {
			r.SetRestored(true) // there is nothing to restore; before that no ALERTS are written
		}
		out = append(out, g)
	}
	if len(out) != len(byName) {
		t.Fatalf("%d groups are evaluated, and there are %d", len(out), len(byName))
	}
	return out
}

func (test *unitTest) last() (last time.Duration) {
	for _, a := range test.Alerts {
		last = max(last, time.Duration(a.At))
	}
	for _, q := range test.Queries {
		last = max(last, time.Duration(q.At))
	}
	return last
}

func (test *unitTest) check(t *testing.T, groups []*rules.Group, at time.Duration) {
	for _, want := range test.Alerts {
		if time.Duration(want.At) != at {
			continue
		}
		var fires []alert
		for _, g := range groups {
			for _, r := range g.AlertingRules() {
				if r.Name() != want.Name {
					continue
				}
				for _, a := range r.ActiveAlerts() {
					if a.State == rules.StateFiring {
						l := a.Labels.Map()
						delete(l, "alertname")
						fires = append(fires, alert{l, a.Annotations.Map()})
					}
				}
			}
		}
		byText := cmpopts.SortSlices(func(a, b alert) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
		if diff := cmp.Diff(want.Expect, fires, byText, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s at %s (-want +fires):\n%s", want.Name, at, diff)
		}
	}
}

func (test *unitTest) ask(t *testing.T, loader *promqltest.LazyLoader, at time.Duration) {
	for _, q := range test.Queries {
		if time.Duration(q.At) != at {
			continue
		}
		query, err := loader.QueryEngine().NewInstantQuery(loader.Context(), loader.Queryable(), nil, q.Expr, time.Unix(0, 0).UTC().Add(at))
		if err != nil {
			t.Fatal(err)
		}
		answer := query.Exec(loader.Context())
		v, err := answer.Vector()
		if err != nil {
			t.Fatal(err)
		}
		got, want := map[string]float64{}, map[string]float64{}
		for _, s := range v {
			got[s.Metric.String()] = s.F
		}
		for _, s := range q.Expect {
			l, err := parser.NewParser(parser.Options{}).ParseMetric(s.Labels)
			if err != nil {
				t.Fatal(err)
			}
			want[l.String()] = s.Value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s at %s (-want +got):\n%s", q.Expr, at, diff)
		}
		query.Close()
	}
}
