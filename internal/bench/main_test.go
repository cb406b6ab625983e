package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// TestMain lets the tests start their own binary as the processes of a
// measurement.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// tiny is small enough for every test, and yet has topics that two groups read,
// a member that owns nothing of one topic, and groups at every broker.
var tiny = synthetic.Shape{Name: "tiny", Groups: 4, Topics: 3, PartitionsPerTopic: 3, TopicsPerGroup: 2, MembersPerGroup: 4}

func TestBadInputIsOneLine(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"unknown size", []string{"--sizes", "small,big"}, 2, []string{`"big"`, "small, large, huge", "bench --help"}},
		{"unknown families", []string{"--families", "some"}, 2, []string{`"some"`, "default, all", "bench --help"}},
		{"no rounds", []string{"--rounds", "0"}, 2, []string{"--rounds 0", "1 or more"}},
		{"unknown flag", []string{"--size", "small"}, 2, []string{"--size", "bench --help"}},
		{"stray argument", []string{"small"}, 2, []string{"small", "bench --help"}},
		{"profiles and a document", []string{"--profile", "p", "--write", "d.md"}, 2, []string{"--profile", "--write", "bench --help"}},
		{"profiles where none can be", []string{"--profile", "/dev/null/p"}, 1, []string{"/dev/null", "--profile"}},
		{"unknown process", []string{"child", "server", "{}"}, 1, []string{`"server"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), tt.args, strings.NewReader(""), &stdout, &stderr); code != tt.code {
				t.Errorf("exit status %d, want %d", code, tt.code)
			}
			line := stderr.String()
			if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "bench: ") || stdout.Len() > 0 {
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

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"--help"}, strings.NewReader(""), &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), "--sizes small,large,huge") || !strings.Contains(stdout.String(), "-cpu.pprof") || strings.Contains(stdout.String(), "child") {
		t.Errorf("exit status %d\n%s%s", code, &stdout, &stderr)
	}
}
