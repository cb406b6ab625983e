package main

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/command"
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
		{"nothing is committed", []string{"audit-tail"}, command.Holds, "audit-tail in default: never_committed for ", ""},
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
		if code != command.Error || out == "" || !strings.HasPrefix(text, "lagwatch: default could not be read in the last poll: ") || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s:\n%s", args, code, text, out)
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
