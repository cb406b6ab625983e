package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/alerts"
	"github.com/lagwatch/lagwatch/internal/command"
)

func rulesOf(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"rules"}, args...), nil, &out, &errs)
	return out.String(), errs.String(), code
}

// Without options the command prints the shipped files, byte for byte.
func TestRulesAreThoseShipped(t *testing.T) {
	for file, args := range map[string][]string{"lagwatch.rules.yaml": nil, "lagwatch.prometheusrule.yaml": {"--format", "prometheusrule"}} {
		want, err := os.ReadFile("../../alerts/" + file)
		if err != nil {
			t.Fatal(err)
		}
		got, stderr, code := rulesOf(t, args...)
		if diff := cmp.Diff(string(want), got); diff != "" || stderr != "" || code != command.OK {
			t.Errorf("%s: exit status %d, %s (-shipped +printed)\n%s", file, code, stderr, diff)
		}
	}
}

func TestRulesOptions(t *testing.T) {
	got, stderr, code := rulesOf(t, "--format", "prometheusrule", "--name", "kafka", "--namespace", "monitoring", "--manifest-label", "release=prom",
		"--label", "tier=a=b", "--severity", "critical=page", "--threshold", "age_factor=4", "--for", "LagwatchDown=90s", "--without", "KafkaGroupRewound",
		"--job", "x", "--selector", `env="prod"`, "--grafana-base-url", "https://g", "--runbook-base-url", "https://r", "--time-scale", "2")
	if code != command.OK || stderr != "" {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	for _, part := range []string{
		"\n  name: kafka\n  namespace: monitoring\n  labels:\n    release: prom\n", "tier: a=b", "severity: page", "4 * max by", "for: 45s", `absent(up{job="x",env="prod"} == 1)`,
		"dashboard_url: https://g/d/lagwatch-self\n", "runbook_url: https://r/LagwatchDown.md\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("printed rules lack %q", part)
		}
	}
	if strings.Contains(got, "KafkaGroupRewound") || strings.Contains(got, "severity: critical") {
		t.Error("what was left out, or renamed, is there")
	}
}

// A wrong call is one line on stderr with the remedy, nothing on stdout, and status 2.
func TestRulesRefuse(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--label", "a"}, `--label "a": give it as KEY=VALUE`},
		{[]string{"--label", "a=1", "--label", "a=2"}, `--label names a twice: leave one out`},
		{[]string{"--threshold", "age_factor=two"}, `--threshold age_factor: "two" is not a number`},
		{[]string{"--threshold", "age_factor=NaN"}, `threshold age_factor is NaN: it has to be from 1 to 1000000`},
		{[]string{"--for", "LagwatchDown=5"}, `--for LagwatchDown: "5" is not a duration, such as 10m`},
		{[]string{"--without", "LagwatchDow"}, `no alert "LagwatchDow": did you mean LagwatchDown?`},
		{[]string{"--format", "json"}, `no format "json": give rules or prometheusrule`},
		{[]string{"--json"}, `--json is for --list: give both, or --format for the rules`},
		{[]string{"--time-scale", "0.1"}, `time scale is 0.1: it has to be from 1 to 1000`},
		{[]string{"--list", "--selector", "x"}, `selector "x" is not made of matchers: give name="value", separated by commas and without braces`},
		{[]string{"lagwatch.yaml"}, `unknown command "lagwatch.yaml" for "lagwatch rules"`},
	} {
		stdout, stderr, code := rulesOf(t, tt.args...)
		if want := "lagwatch: " + tt.want + "; see 'lagwatch rules --help'\n"; stderr != want || stdout != "" || code != command.Usage {
			t.Errorf("%q: exit status %d\n%s\nnot\n%s%s", tt.args, code, stderr, want, stdout)
		}
	}
}

func TestRulesAreListed(t *testing.T) {
	list := alerts.List(alerts.Options{})
	got, _, code := rulesOf(t, "--list")
	if n := strings.Count(got, "\n"); code != command.OK || n != len(list)+1 {
		t.Errorf("exit status %d, %d lines for %d alerts:\n%s", code, n, len(list), got)
	}
	got, _, code = rulesOf(t, "--list", "--json", "--for", "LagwatchDown=90s")
	var alerts []struct {
		Name, Severity string
		For            float64 `json:"for_seconds"`
	}
	if err := json.Unmarshal([]byte(got), &alerts); err != nil || code != command.OK || len(alerts) != len(list) {
		t.Fatalf("exit status %d, %v: %s", code, err, got)
	}
	for _, a := range alerts {
		if a.Name == "LagwatchDown" && (a.For != 90 || a.Severity != "critical") {
			t.Errorf("%+v", a)
		}
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("write |1: broken pipe") }

// A pipe that nobody reads is told, with status 1: a file that is cut off would be taken
// for all of it.
func TestRulesToNobody(t *testing.T) {
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"rules"}, nil, closed{}, &errs); code != command.Error || errs.String() != "lagwatch: write |1: broken pipe\n" {
		t.Errorf("exit status %d: %s", code, &errs)
	}
}
