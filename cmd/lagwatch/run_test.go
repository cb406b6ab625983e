package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInputIsOneLine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name string
		args []string
		env  []string
		code int
		says []string
	}{
		{"no brokers", []string{"serve"}, nil, 1, []string{"no brokers", "--brokers host:9092"}},
		{"malformed address", []string{"serve", "--brokers", "kafka1"}, nil, 1, []string{"kafka1", "has no port", "kafka1:9092"}},
		{"malformed address in the environment", []string{"serve"}, []string{"LAGWATCH_BROKERS=a:9092,b"}, 1, []string{"LAGWATCH_BROKERS", `"b"`, "b:9092"}},
		{"unknown key", []string{"serve", "--config", file("a.yaml", "clusters:\n  - broker: a:9092\n")}, nil, 1, []string{"a.yaml", "clusters[0].broker", "brokers"}},
		{"wrong duration", []string{"serve", "--brokers", "a:9092", "--interval", "10"}, nil, 1, []string{"--interval", "10s"}},
		{"family that is none", []string{"serve", "--config", file("b.yaml", "clusters:\n  - brokers: a:9092\n    metrics:\n      exclude: [group_.*, group_lags]\n")}, nil, 1,
			[]string{"b.yaml", "clusters[0].metrics.exclude[1]", `"group_lags"`, "docs/metrics.md"}},
		{"family that is none, by group", []string{"serve", "--config", file("c.yaml", "clusters:\n  - brokers: a:9092\n    metrics:\n      by_group:\n        - {groups: a.*, include: [lag]}\n")}, nil, 1,
			[]string{"c.yaml", "clusters[0].metrics.by_group[0].include[0]", `"lag"`, "docs/metrics.md"}},
		{"family that is none, as a flag", []string{"serve", "--brokers", "a:9092", "--metrics-include", "lagwatch_groups.*"}, nil, 1, []string{"--metrics-include", `"lagwatch_groups.*"`, "docs/metrics.md"}},
		{"family that is none, in the environment", []string{"serve", "--brokers", "a:9092"}, []string{"LAGWATCH_METRICS_EXCLUDE=up_"}, 1, []string{"LAGWATCH_METRICS_EXCLUDE", `"up_"`, "docs/metrics.md"}},
		{"family that is always there", []string{"serve", "--brokers", "a:9092", "--metrics-exclude", "group_detail_lowered"}, nil, 1, []string{"--metrics-exclude", `"group_detail_lowered"`, "docs/metrics.md"}},
		{"detail that is none", []string{"serve", "--brokers", "a:9092", "--metrics-detail", "topics"}, nil, 1, []string{"--metrics-detail", "topics", "partition"}},
		{"missing config", []string{"serve", "--config", "/nonexistent.yaml"}, nil, 1, []string{"/nonexistent.yaml"}},
		{"port in use", []string{"serve", "--brokers", "a:9092", "--listen", taken.Addr().String()}, nil, 1, []string{taken.Addr().String(), "in use", "--listen"}},
		{"bad web config", []string{"serve", "--brokers", "a:9092", "--web-config-file", file("web.yaml", "nonsense: 1\n")}, nil, 1, []string{"web.yaml"}},
		{"unknown flag", []string{"serve", "--broker", "a:9092"}, nil, 2, []string{"--broker", "lagwatch serve --help"}},
		{"unknown command", []string{"server"}, nil, 2, []string{"server", "lagwatch --help"}},
		{"stray argument", []string{"serve", "a:9092"}, nil, 2, []string{"a:9092", "lagwatch serve --help"}},
		{"flag without a value", []string{"serve", "--brokers"}, nil, 2, []string{"--brokers"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), tt.args, tt.env, &stdout, &stderr)
			if code != tt.code {
				t.Errorf("exit status %d, want %d", code, tt.code)
			}
			line := stderr.String()
			if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "lagwatch: ") || stdout.Len() > 0 {
				t.Errorf("not one line on stderr alone:\n%s%s", line, stdout.String())
			}
			for _, want := range tt.says {
				if !strings.Contains(line, want) {
					t.Errorf("%q is not in: %s", want, line)
				}
			}
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says string
	}{
		{nil, "It only reads"},
		{[]string{"--help"}, "lagwatch serve --brokers"},
		{[]string{"serve", "--help"}, "LAGWATCH_BROKERS"},
		{[]string{"version"}, "lagwatch "},
		{[]string{"--version"}, "lagwatch "},
		{[]string{"completion", "bash"}, "bash completion"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), tt.args, nil, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), tt.says) {
			t.Errorf("%v: exit status %d, %q not in:\n%s%s", tt.args, code, tt.says, &stdout, &stderr)
		}
	}
}
