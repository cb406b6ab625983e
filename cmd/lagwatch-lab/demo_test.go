package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/words"
)

// What a person sees within ten seconds: every group, lag by partition, owners,
// members, and the same as metrics.
func TestDemoShowsEverythingInTenSeconds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, exit, started := &await.Buffer{}, make(chan int, 1), time.Now()
	go func() { exit <- run(ctx, []string{"demo", "--listen", "127.0.0.1:0", "--plain"}, out, out) }()
	var page string
	await.Until(t, 20*time.Second, "every group on the page with its lag", func() bool {
		m := regexp.MustCompile(`metrics: (http://\S+/metrics)\n`).FindStringSubmatch(out.String())
		if m == nil {
			return false
		}
		page = fetch(t, m[1])
		return missing(page) == ""
	})
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(page, "\nlagwatch_group_partition_lost_offsets{") {
		t.Error("a family that is not published by default is not on the page")
	}
	text := out.String()
	for _, want := range []string{"GROUP", "MEMBERS", "AGE", "CATCHES UP IN", "PARTITION", "COMMITTED", "IN/s", "OUT/s", "OWNER", "fraud-check-0 @ 127.0.0.1"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the screen:\n%s", want, text)
		}
	}
	stop()
	select {
	case code := <-exit:
		if code != 0 {
			t.Errorf("exit status %d:\n%s", code, out)
		}
	case <-time.After(10 * time.Second):
		t.Error("still running 10 s after Ctrl-C")
	}
}

// Ages are as old as the backlogs are. lagwatch saw them being written once, took
// their timestamps for lies, and counted every age from the start of the demo.
func TestDemoAges(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, exit, started := &await.Buffer{}, make(chan int, 1), time.Now()
	go func() {
		exit <- run(ctx, []string{"demo", "--listen", "127.0.0.1:0", "--plain", "--scenario", "stopped,stuck-partition"}, out, out)
	}()
	ages := map[string]float64{}
	await.Until(t, 20*time.Second, "the ages of both groups", func() bool {
		if m := regexp.MustCompile(`metrics: (http://\S+/metrics)\n`).FindStringSubmatch(out.String()); m != nil {
			ages = agesOn(t, fetch(t, m[1]))
		}
		return len(ages) == 2
	})
	passed := time.Since(started).Seconds()
	// The demo polls each second, and an age from timestamps is within an interval: it
	// need not be that of the very record.
	const interval = 1
	for group, backlog := range map[string]float64{"invoice-archive": 450, "shipment-tracking": 22.5} {
		if age := ages[group]; age < backlog-interval || age > backlog+passed+interval {
			t.Errorf("%s: the age is %v s, want %v and at most %v more, within %d", group, age, backlog, passed, interval)
		}
	}
	stop()
	<-exit
}

// agesOn are the lag ages of the groups on a page, in seconds.
func agesOn(t *testing.T, page string) map[string]float64 {
	t.Helper()
	ages := map[string]float64{}
	for _, m := range regexp.MustCompile(`(?m)^lagwatch_group_lag_age_seconds\{.*group="(.*)"\} (.*)$`).FindAllStringSubmatch(page, -1) {
		age, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		ages[m[1]] = age
	}
	return ages
}

// What is printed of the brokers is what lagwatch takes as --brokers; the command that asks
// the demo works as it stands there.
func TestHeading(t *testing.T) {
	v := &collector.View{Brokers: make([]collector.Broker, 2), Topics: make([]collector.Topic, 1), PollDuration: 3 * time.Millisecond}
	const want = `lagwatch demo: 2 brokers, 1 topic, 0 groups; poll 0 took 3 ms. Ctrl-C ends
why one lags: %s
metrics: http://%s/metrics
brokers: 127.0.0.1:1,127.0.0.1:2

`
	for at, ask := range map[string]string{
		"127.0.0.1:9742":  "lagwatch explain click-attribution",
		"127.0.0.1:40001": "lagwatch explain --url http://127.0.0.1:40001 click-attribution",
	} {
		a, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		got := heading(v, a, "click-attribution", []string{"127.0.0.1:1", "127.0.0.1:2"})
		if d := cmp.Diff(fmt.Sprintf(want, ask, at), got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// The help is for terminals of 80 columns, and says how to ask the demo's lagwatch.
func TestHelpOfDemo(t *testing.T) {
	var out, err bytes.Buffer
	if code := run(t.Context(), []string{"demo", "--help"}, &out, &err); code != 0 || !strings.Contains(out.String(), "\n  lagwatch explain click-attribution\n") {
		t.Errorf("exit status %d:\n%s", code, &out)
	}
	run(t.Context(), []string{"exercise", "--help"}, &out, &err)
	run(t.Context(), []string{"--help"}, &out, &err)
	text := regexp.MustCompile(`(?m)^ +(-., )?--.*$`).ReplaceAllString(out.String(), "") // flags are cobra's
	for line := range strings.Lines(text) {
		if n := words.Width(line); n > 81 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, s := range lab.Scenarios() {
		if !strings.Contains(text, "\n  "+s.Name+"  ") {
			t.Errorf("%s is not in the help, or has no room", s.Name)
		}
	}
	for names, want := range map[string]string{"healthy": "order-fulfilment", "healthy,stopped": "invoice-archive", "hot-partition,stopped": "click-attribution"} {
		if got := example(demoOptions{scenarios: strings.Split(names, ",")}.scenes()); got != want {
			t.Errorf("%s: the example is %s, want %s", names, got, want)
		}
	}
}

// missing marks with an x each scenario of whose group the page says nothing.
func missing(page string) string {
	var b strings.Builder
	for _, s := range lab.Scenarios() {
		series := `{kafka_cluster="demo",group="` + s.Group + `"`
		if !strings.Contains(page, series) {
			b.WriteByte('x')
		}
	}
	return b.String()
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWrongCallsAreOneLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"demo", "--scenario", "quiet"}, 2, "hot-partition"},
		{[]string{"demo", "now"}, 2, "now"},
		{[]string{"demo", "--duration", "-5s"}, 2, "below zero"},
		{[]string{"demmo"}, 2, "demmo"},
		{[]string{"demo", "--interval", "1ms"}, 1, "--interval"},
	} {
		var out, err bytes.Buffer
		code := run(t.Context(), tt.args, &out, &err)
		if code != tt.code || strings.Count(err.String(), "\n") != 1 || !strings.Contains(err.String(), tt.says) {
			t.Errorf("%v: exit status %d, stderr %q", tt.args, code, err.String())
		}
	}
}
