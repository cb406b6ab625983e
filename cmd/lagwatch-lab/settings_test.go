package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// Only thresholds that there are are lowered, and no lower than they may be.
func TestDemoThresholds(t *testing.T) {
	left := make(map[string]any)
	for name, v := range sooner {
		left[name] = v
	}
	for _, k := range diagnosis.Keys() {
		v, ok := sooner[k.Name]
		if !ok {
			continue
		}
		delete(left, k.Name)
		if d, ok := v.(time.Duration); !ok || d >= k.Default.(time.Duration) || d < k.Min.(time.Duration) {
			t.Errorf("%s is %v, the default %v, the least %v", k.Name, v, k.Default, k.Min)
		}
	}
	if len(left) > 0 {
		t.Errorf("there are no thresholds %v", left)
	}
}

// The daemon is told what the scenes say of their groups.
func TestDemoSettings(t *testing.T) {
	c, err := settings("127.0.0.1:0", 2*time.Second, []string{"127.0.0.1:9092"}, lab.Scenarios())
	if err != nil {
		t.Fatal(err)
	}
	watched := &c.Clusters[0]
	var expected []string
	for _, s := range lab.Scenarios() {
		if s.Expected {
			expected = append(expected, s.Group)
		}
		if got := watched.ReadCommitted(s.Group); got != s.ReadCommitted {
			t.Errorf("%s reads committed records: %t", s.Group, got)
		}
		if c.ConditionsFor(s.Group) == nil {
			t.Errorf("%s has the default thresholds", s.Group)
		}
	}
	if d := cmp.Diff(expected, watched.ExpectedGroups); d != "" || len(expected) == 0 {
		t.Errorf("expected groups (-want +got):\n%s", d)
	}
}

// What is told of groups is of those that are played: with --scenario healthy the group of
// another scene was missed, and no selection was calm.
func TestDemoSettingsOfSomeScenes(t *testing.T) {
	for names, want := range map[string][]string{"healthy": nil, "healthy,commits-vanished": {"loyalty-balance"}} {
		o := demoOptions{interval: time.Second, scenarios: strings.Split(names, ",")}
		c, err := settings("127.0.0.1:0", o.interval, []string{"127.0.0.1:9092"}, o.scenes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, c.Clusters[0].ExpectedGroups); d != "" || len(c.Clusters[0].Isolation) > 0 {
			t.Errorf("%s: expected groups (-want +got):\n%s, isolation %v", names, d, c.Clusters[0].Isolation)
		}
	}
}

// Each objective of the demo is that of a group that it plays, and as the config would
// have it.
func TestPromisesAreOfScenes(t *testing.T) {
	for _, o := range promises() {
		for group := range strings.SplitSeq(o.Groups, "|") {
			if !slices.ContainsFunc(lab.Scenarios(), func(s lab.Scenario) bool { return s.Group == group }) {
				t.Errorf("no scene has the group %s", group)
			}
		}
		text := fmt.Sprintf("brokers: a:1\nobjectives: [{groups: '%s', age: %s, target: %g, mode: %s, team: %s}]", o.Groups, o.Age, o.Target, o.Mode, o.Team)
		file := filepath.Join(t.TempDir(), "lagwatch.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := pflag.NewFlagSet("demo", pflag.ContinueOnError)
		configs.AddFlags(flags)
		if err := flags.Set("config", file); err != nil {
			t.Fatal(err)
		}
		c, err := configs.Load(configs.Options{Flags: flags})
		if err != nil || !c.Objectives[0].Equal(o) {
			t.Errorf("%s: %v, loaded %+v", o.Groups, err, c)
		}
	}
}
