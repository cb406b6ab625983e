package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/exercise"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// called runs the program with consumers that commit by a rule and somebody who
// types an answer.
func called(ctx context.Context, rule exercise.Rule, answer string, args ...string) (code int, out, err string) {
	root, o, e := newRoot(rule, nil), &await.Buffer{}, &await.Buffer{}
	root.SetIn(strings.NewReader(answer))
	code = command.Run(ctx, root, args, o, e)
	return code, o.String(), e.String()
}

func TestExercise(t *testing.T) {
	t.Parallel()
	code, out, err := called(t.Context(), exercise.Contiguous, "", "exercise")
	if code != 0 || err != "" {
		t.Errorf("exit status %d, stderr %q", code, err)
	}
	for _, want := range []string{
		"1  Two consumers", "6  Its successors read again", "lagwatch: stable, 3 members", "PARTITION  OWNER  COMMITTED  END  LAG",
		"order-17-2", "Absorbed duplicates", "held    nothing lost", "held    removed",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the text", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// With the wrong rule the loss is reported, the exit status is 1, and the line on
// stderr names the first thing that a reader has to know.
func TestExerciseWithTheWrongRule(t *testing.T) {
	t.Parallel()
	code, out, err := called(t.Context(), exercise.HighestDone, "", "exercise")
	if code != 1 || strings.Count(err, "\n") != 1 || !strings.Contains(err, "it did not hold: nothing lost: ") {
		t.Errorf("exit status %d, stderr %q", code, err)
	}
	if !strings.Contains(out, "FAILED  nothing lost") || !strings.Contains(out, "FAILED  no record skipped") {
		t.Errorf("the loss is not reported:\n%s", out)
	}
}

func TestExerciseForScripts(t *testing.T) {
	t.Parallel()
	c, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	code, out, notes := called(t.Context(), exercise.Contiguous, "", "exercise", "--json", "--yes", "--session-timeout", "3s", "--brokers", strings.Join(c.Addrs(), ", "))
	var report exercise.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if code != 0 || !report.Held || len(report.Steps) != 6 || report.Steps[0].Saw.State != "stable" {
		t.Errorf("exit status %d, %+v", code, report)
	}
	if !strings.Contains(notes, "6  Its successors read again\n") {
		t.Errorf("on stderr is %q", notes)
	}
}

// Nothing is written to a Kafka of somebody's before there is a yes. The question
// names what will be created.
func TestTheQuestion(t *testing.T) {
	t.Parallel()
	c, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	brokers := strings.Join(c.Addrs(), ",")
	for _, answer := range []string{"", "\n", "n\n", "yesterday\n"} {
		code, out, err := called(t.Context(), exercise.Contiguous, answer, "exercise", "--brokers", brokers)
		if code != 1 || out != "" || !strings.Contains(err, "--yes") {
			t.Errorf("%q: exit status %d, stdout %q, stderr %q", answer, code, out, err)
		}
		for _, want := range []string{brokers, "topic             lagwatch-exercise-", "group             lagwatch-exercise-", "[y/N]"} {
			if !strings.Contains(err, want) {
				t.Errorf("%q is not in the question:\n%s", want, err)
			}
		}
	}
	if topics, err := c.Admin().ListTopics(t.Context()); err != nil || len(topics) > 0 {
		t.Errorf("there are topics %v, %v", topics.Names(), err)
	}
}

// Ctrl-C counts while nobody has answered, and while the exercise runs.
func TestExerciseIsStopped(t *testing.T) {
	t.Parallel()
	t.Run("at the question", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		root, out, exit := newRoot(exercise.Contiguous, nil), &await.Buffer{}, make(chan int, 1)
		in, typed := io.Pipe()
		defer typed.Close()
		root.SetIn(in)
		go func() { exit <- command.Run(ctx, root, []string{"exercise", "--brokers", "127.0.0.1:1"}, out, out) }()
		await.Until(t, 20*time.Second, "the question", func() bool { return strings.Contains(out.String(), "[y/N]") })
		stop()
		if code := <-exit; code != 1 || !strings.Contains(out.String(), "stopped; nothing was created") {
			t.Errorf("exit status %d:\n%s", code, out)
		}
	})
	t.Run("on the way", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		out, exit := &await.Buffer{}, make(chan int, 1)
		go func() { exit <- run(ctx, []string{"exercise"}, out, out) }()
		await.Until(t, 60*time.Second, "the second step", func() bool { return strings.Contains(out.String(), "\n2  ") })
		stop()
		if code := <-exit; code != 1 || !strings.Contains(out.String(), "stopped before the end; topic and group are gone") {
			t.Errorf("exit status %d:\n%s", code, out)
		}
	})
}

func TestWrongCallsOfExercise(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"exercise", "now"}, 2, "now"},
		{[]string{"exercise", "--brokers", "a:1,,b:1"}, 2, "--brokers"},
		{[]string{"exercise", "--tls-ca-file", "ca.pem"}, 2, "--brokers or --config"},
		{[]string{"exercise", "--cluster", "east", "--brokers", "a:1"}, 2, "--config"},
		{[]string{"exercise", "--brokers", "a:1", "--sasl-mechanism", "scram-sha-512"}, 1, "username"},
		{[]string{"exercise", "--brokers", "a:1", "--tls-ca-file", "/nowhere/ca.pem"}, 1, "/nowhere/ca.pem"},
		{[]string{"exercise", "--session-timeout", "-1s"}, 2, "below zero"},
		{[]string{"exercise", "--brokers", "127.0.0.1:1", "--yes"}, 1, "check --brokers"},
	} {
		var out, err bytes.Buffer
		code := run(t.Context(), tt.args, &out, &err)
		if code != tt.code || strings.Count(err.String(), "\n") != 1 || !strings.Contains(err.String(), tt.says) {
			t.Errorf("%v: exit status %d, stderr %q", tt.args, code, err.String())
		}
	}
}
