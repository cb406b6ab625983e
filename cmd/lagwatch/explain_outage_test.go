package main

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// With --brokers and nothing else said, half a minute was too short for the commonest
// outages to begin, and of each of them it was said that no condition holds, with exit
// status 0. A group that is well is still found to be.
func TestExplainFindsOutagesByItself(t *testing.T) {
	t.Parallel()
	cluster, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if _, err := lab.StartScenarios(t.Context(), cluster, "healthy", "stopped", "uncommitted", "stuck-partition"); err != nil {
		t.Fatal(err)
	}
	brokers := strings.Join(cluster.Addrs(), ",")
	var all sync.WaitGroup // at once: each takes half a minute
	defer all.Wait()
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string // what the answer begins with
		line string // of stderr
	}{
		{"nobody is a member", []string{"invoice-archive"}, command.Holds, "invoice-archive in default: no_consumers for ", "What lasts for 10s counts"},
		{"nothing is committed", []string{"audit-tail"}, command.Holds, "audit-tail in default: never_committed for ", ", groups: 1\n"},
		{"a partition is stuck", []string{"shipment-tracking"}, command.Holds, "shipment-tracking in default: stalled_partition for ", ""},
		{"all is well", []string{"order-fulfilment"}, command.OK, "order-fulfilment in default: no condition holds", ""},
		{"too short a look at a group", []string{"--for", "4s", "audit-tail"}, command.Error,
			"audit-tail in default: no condition holds so far; not known yet: never_committed\n", "lagwatch: audit-tail: not known yet: never_committed; "},
		{"too short a look at all", []string{"--for", "4s"}, command.Error, "a condition holds of 0 of 4 groups\n", "lagwatch: not known yet of audit-tail, invoice-archive"},
	} {
		all.Go(func() {
			code, out, text := explainOf(t, nil, append([]string{"--brokers", brokers}, tt.args...)...)
			if code != tt.code || !strings.HasPrefix(out, tt.says) || !strings.Contains(text, tt.line) {
				t.Errorf("%s: exit status %d, %s:\n%s", tt.name, code, text, out)
			}
		})
	}
}

// A lagwatch that sees nothing was taken for one that sees nothing wrong: exit status 0.
func TestExplainOfABlindLagwatch(t *testing.T) {
	p := start(t, "--brokers", "127.0.0.1:1")
	await.Until(t, 10*time.Second, "a poll", func() bool { return p.shows(`lagwatch_polls_total{kafka_cluster="default",result="failed"} 1`) })
	for _, args := range [][]string{nil, {"--json"}} {
		code, out, text := explainOf(t, nil, append(args, "--url", p.url)...)
		if code != command.Error || !strings.Contains(out, "connection refused") || !strings.HasPrefix(text, "lagwatch: default could not be read in the last poll; ") || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s:\n%s", args, code, text, out)
		}
	}
}

// Of a lag that is not known progress said 0, and of a Kafka that does not answer nothing.
func TestProgressOfWhatIsNotRead(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	configs.AddFlags(flags)
	if err := flags.Set("brokers", "127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	c, err := configs.Load(configs.Options{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	d, err := daemon.Watch(c, slog.New(slog.DiscardHandler), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := progress(d), "polls: 0"; got != want {
		t.Errorf("before the first poll: %q, want %q", got, want)
	}
	d.Watchers()[0].Poll(t.Context())
	if got := progress(d); !strings.HasPrefix(got, "polls: 0; could not be read: ") || !strings.Contains(got, "connection refused") {
		t.Errorf("after a poll that failed: %q", got)
	}
}

// A mistyped name, an address where nothing is, and a group that two clusters have each
// took all of --for to be told.
func TestExplainEndsWhereMoreOfItIsNoUse(t *testing.T) {
	cluster, err := lab.Start(lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if _, err := lab.StartScenarios(t.Context(), cluster, "uncommitted"); err != nil {
		t.Fatal(err)
	}
	brokers := strings.Join(cluster.Addrs(), ",")
	twice := writeFile(t, "lagwatch.yaml", "clusters: [{name: east, brokers: '"+brokers+"'}, {name: west, brokers: '"+brokers+"'}]\n")
	for _, tt := range []struct {
		name string
		args []string
		says string
	}{
		{"a mistyped name", []string{"--brokers", brokers, "audit-tial"}, "did you mean audit-tail?"},
		{"nobody there", []string{"--brokers", "127.0.0.1:1", "g"}, "Kafka could not be read: "},
		{"nobody there to list", []string{"--brokers", "127.0.0.1:1"}, "Kafka could not be read: "},
		{"two that have it", []string{"--config", twice, "audit-tail"}, "give --cluster with one of east, west"},
	} {
		began := time.Now()
		code, out, text := explainOf(t, nil, append(tt.args, "--for", "1m", "--interval", "1s")...)
		if code != command.Error || out != "" || !strings.Contains(text, tt.says) {
			t.Errorf("%s: exit status %d, %s:\n%s", tt.name, code, text, out)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: it took %v", tt.name, took)
		}
	}
}

// A short look judges by a part of itself, but for what the config sets, and a long one as
// serve does.
func TestHasten(t *testing.T) {
	load := func() *configs.Config {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		configs.AddFlags(flags)
		file := writeFile(t, "lagwatch.yaml", "clusters: [{brokers: 'a:1'}]\nconditions: [{groups: batch, gone: 2h, pause: 2}]\n")
		if err := flags.Set("config", file); err != nil {
			t.Fatal(err)
		}
		c, err := configs.Load(configs.Options{Flags: flags})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, tt := range []struct {
		long, limit time.Duration
		batch       map[string]any // some of what is set for this group
		others      map[string]any // all that is set for others
	}{
		{30 * time.Second, 10 * time.Second,
			map[string]any{"gone": 2 * time.Hour, "stalled": 10 * time.Second, "pause": 2.0, "at_risk": time.Hour},
			map[string]any{"behind": 10 * time.Second, "gone": 10 * time.Second, "never_committed": 10 * time.Second, "settle": 10 * time.Second, "stalled": 10 * time.Second}},
		{time.Second, 10 * time.Second, map[string]any{"stalled": 10 * time.Second}, nil},
		{2 * time.Minute, 40 * time.Second,
			map[string]any{"behind": 30 * time.Second, "stalled": 40 * time.Second},
			map[string]any{"never_committed": 40 * time.Second, "settle": 40 * time.Second, "stalled": 40 * time.Second}},
		{3 * time.Minute, 0, map[string]any{"stalled": time.Minute}, map[string]any{}},
	} {
		c := load()
		if got := hasten(c, tt.long); got != tt.limit {
			t.Errorf("%v: %v, want %v", tt.long, got, tt.limit)
		}
		// What retention removed was never said: start offsets were read once.
		if got := c.Clusters[0].StartOffsetInterval; got <= 0 || got > c.Clusters[0].Interval {
			t.Errorf("%v: start offsets are read every %v", tt.long, got)
		}
		set := c.ConditionsFor("batch").Thresholds
		for name, want := range tt.batch {
			if set[name] != want {
				t.Errorf("%v: %s is %v, want %v", tt.long, name, set[name], want)
			}
		}
		others := map[string]any{}
		if entry := c.ConditionsFor("orders\n2"); entry != nil {
			others = entry.Thresholds
		}
		if d := cmp.Diff(tt.others, others); tt.others != nil && d != "" {
			t.Errorf("%v, others (-want +got):\n%s", tt.long, d)
		}
	}
}
