package lab

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"

	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

func TestScenarios(t *testing.T) {
	t.Cleanup(func() { goleak.VerifyNone(t) }) // after the cluster was closed
	c := startLab(t, Options{})
	start := time.Now()
	r, err := StartScenarios(testContext(t), c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	for _, s := range Scenarios() {
		if s.Members == 0 {
			continue
		}
		if _, err := c.WaitAssigned(testContext(t), s.Group, s.Members, s.Partitions-s.Unowned); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("all groups are stable after %s", time.Since(start)) // hours_test.go has a bound, of a clock that load doesn't move
	t.Run("end", func(t *testing.T) {
		r.Stop()
		for _, s := range Scenarios() {
			if g := c.Fake().GroupInfo(s.Group); g != nil && len(g.Members) != 0 {
				t.Errorf("group %s kept %d members", s.Group, len(g.Members))
			}
		}
	})
}

func TestScenarioTable(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	used, shown := make(map[string]string), make(map[string]bool)
	for _, s := range Scenarios() {
		for _, n := range []string{s.Name, s.Topic, s.Group} {
			if !name.MatchString(n) {
				t.Errorf("%s: %q is no name", s.Name, n)
			}
		}
		for _, n := range []string{"scene " + s.Name, "topic " + s.Topic, "group " + s.Group} {
			if other, taken := used[n]; taken {
				t.Errorf("%s: %s belongs to %s", s.Name, n, other)
			}
			used[n] = s.Name
		}
		if shown[s.Shows] && s.Shows != "" {
			t.Errorf("%s: another scene shows %s", s.Name, s.Shows)
		}
		shown[s.Shows] = true
		if !strings.HasSuffix(s.Summary, ".") || s.Partitions == 0 {
			t.Errorf("%s: summary %q, %d partitions", s.Name, s.Summary, s.Partitions)
		}
	}
	for c := range diagnosis.Conditions {
		if !shown[c.String()] {
			t.Errorf("no scene shows %s", c)
		}
	}
	if len(promises) != len(Scenarios()) {
		t.Errorf("%d scenes and %d promises", len(Scenarios()), len(slices.Sorted(maps.Keys(promises))))
	}
}

func TestScenariosOfWrongNames(t *testing.T) {
	c := startLab(t, Options{})
	if _, err := StartScenarios(t.Context(), c, "healthy", "helthy"); err == nil || !strings.Contains(err.Error(), `"helthy"`) {
		t.Errorf("a scene that isn't there: %v", err)
	}
	if _, err := StartScenarios(t.Context(), c, "healthy", "healthy"); err == nil {
		t.Error("a scene played twice")
	}
}

func TestSetupThatFailsLeavesNothing(t *testing.T) {
	c := startLab(t, Options{Topics: map[string]int32{"refunds": 2}}) // the topic of idle-members
	if _, err := StartScenarios(testContext(t), c, "healthy", "idle-members"); err == nil {
		t.Fatal("two scenes share a topic")
	}
	if g := c.Fake().GroupInfo("order-fulfilment"); g != nil && len(g.Members) != 0 {
		t.Errorf("healthy plays on with %d members", len(g.Members))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := StartScenarios(ctx, c, "slow"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A scene goes from trouble to recovery and back, by its lag.
func TestRelief(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Network: new(kfake.VirtualNetwork), Topics: map[string]int32{"payments": 2}})
		if err := c.CommitAll(t.Context(), "fraud", "payments", map[int32]int64{0: 0, 1: 0}); err != nil {
			t.Fatal(err)
		}
		r := c.newRunning()
		defer r.Stop()
		var log []string
		turn := func(what string) func() {
			return func() { log = append(log, what) }
		}
		r.relieve(relief{"payments", "fraud", 100, 10, turn("on"), turn("off")}, time.Second)
		step := func(fn func() error) {
			t.Helper()
			if err := fn(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * time.Second)
		}
		produce := func(n int) func() error {
			return func() error {
				_, err := c.Produce(t.Context(), "payments", 1, n)
				return err
			}
		}
		commit := func(next int64) func() error {
			return func() error { return c.Commit(t.Context(), "fraud", "payments", 1, next) }
		}
		step(produce(99))
		step(produce(1))
		step(commit(50))
		step(commit(90))
		step(produce(50))
		step(produce(50))
		r.Stop()
		if d := cmp.Diff([]string{"on", "off", "on"}, log); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
