package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// shows is a page of a lagwatch whose last poll ended at a moment.
func shows(ended float64, up int) string {
	of := `{kafka_cluster="default"`
	return fmt.Sprintf(`# TYPE lagwatch_up gauge
lagwatch_up%[1]s} %[3]d
lagwatch_poll_interval_seconds%[1]s} 0.02
lagwatch_last_success_timestamp_seconds%[1]s} %[2]f
lagwatch_partition_start_offset%[1]s,topic="b",partition="0"} 3
lagwatch_partition_start_offset%[1]s,topic="a",partition="1"} 0
lagwatch_partition_end_offset%[1]s,topic="b",partition="0"} 9.007199254740991e+15
lagwatch_partition_end_offset%[1]s,topic="a",partition="1"} 40
lagwatch_partition_end_offset%[1]s,topic="a",partition="2"} 50
lagwatch_group_complete%[1]s,group="g"} 1
lagwatch_group_complete%[1]s,group="half"} 0
lagwatch_group_partition_owner%[1]s,group="g",topic="a",partition="1",client_id="c-7",host="h"} 1
lagwatch_group_partition_committed_offset%[1]s,group="g",topic="b",partition="0"} 5
lagwatch_group_partition_committed_offset%[1]s,group="g",topic="a",partition="1"} 30
lagwatch_group_partition_committed_offset%[1]s,group="g",topic="a",partition="2"} 7
lagwatch_group_partition_committed_offset%[1]s,group="half",topic="a",partition="1"} 31
`, of, ended, up)
}

// What is not known in full is left out: a log without its start, what is committed on
// it, a group that is not complete.
func TestPageToPoll(t *testing.T) {
	p, err := parse(strings.NewReader(shows(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	at := seconds(7)
	want := trace.Poll{
		At: at,
		Logs: []trace.Log{
			{Topic: "a", Partition: 1, Start: 0, End: 40, At: at},
			{Topic: "b", Partition: 0, Start: 3, End: 1<<53 - 1, At: at},
		},
		Positions: []trace.Position{
			{Group: "g", Topic: "a", Partition: 1, Committed: 30, At: at, Owner: "c-7"},
			{Group: "g", Topic: "b", Partition: 0, Committed: 5, At: at},
		},
	}
	if diff := cmp.Diff(want, p.poll(at)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each poll is recorded once, however often it is looked at, and none that failed; the
// file can be read while nobody has ended it.
func TestRecord(t *testing.T) {
	var looks atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := looks.Add(1)
		up := 1
		if n >= 7 && n < 10 {
			up = 0
		}
		if n == 5 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, shows(1_700_000_000+10*float64(n/3), up))
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "t.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int)
	var stdout, stderr bytes.Buffer
	go func() {
		ended <- execute(ctx, []string{"--record", server.URL, "--dump", file}, &stdout, &stderr)
	}()
	await.Until(t, 20*time.Second, "twelve looks", func() bool { return looks.Load() > 12 })
	cancel()
	if code := <-ended; code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr.String())
	}
	got, err := readTrace(file)
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	for _, p := range got.Polls {
		times = append(times, p.At.Seconds())
	}
	if len(times) < 4 || !cmp.Equal(times[:4], []float64{0, 10, 20, 30}) {
		t.Errorf("polls at %v", times)
	}
	if !strings.Contains(stderr.String(), "polls in "+file+": 1;") {
		t.Errorf("it says %q", stderr.String())
	}
}

// A disk that is full was taken for a poll that was missed.
func TestWhatCannotBeWrittenEndsIt(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, shows(1, 1)) }))
	defer server.Close()
	if code, _, stderr := call("--record", server.URL, "--dump", "/dev/full"); code != 1 || !strings.Contains(stderr, "no space left") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

func TestNothingToRecord(t *testing.T) {
	two := strings.ReplaceAll(shows(1, 1), "lagwatch_poll_interval_seconds{kafka_cluster=\"default\"} 0.02\n",
		"lagwatch_poll_interval_seconds{kafka_cluster=\"a\"} 1\nlagwatch_poll_interval_seconds{kafka_cluster=\"b\"} 1\n")
	tests := []struct{ name, page, want string }{
		{"several clusters", two, "2 times lagwatch_poll_interval_seconds"},
		{"another page", "up 1\n", "0 times lagwatch_poll_interval_seconds"},
		{"no page", "<html>", "no page of metrics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tt.page) }))
			defer server.Close()
			code, _, stderr := call("--record", server.URL, "--dump", filepath.Join(t.TempDir(), "t"))
			if code != 1 || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d: %s", code, stderr)
			}
		})
	}
}
