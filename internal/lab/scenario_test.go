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
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"
)

// look is what a client sees of a scene at one moment.
type look struct {
	commits, ends map[int32]int64
	lag           map[int32]int64 // of the partitions with a commit
}

func (l look) total() int64 { return sum(l.lag) }

// scened is a scene that plays while its promise is being checked.
type scened struct {
	Scenario
	t *testing.T
	c *Cluster
}

func (s scened) look() look {
	s.t.Helper()
	ctx := testContext(s.t)
	commits, err := s.c.CommittedOffsets(ctx, s.Group, s.Topic)
	if err != nil {
		s.t.Fatal(err)
	}
	ends, err := s.c.EndOffsets(ctx, s.Topic)
	if err != nil {
		s.t.Fatal(err)
	}
	l := look{commits: commits, ends: ends, lag: make(map[int32]int64)}
	for p, next := range commits {
		l.lag[p] = ends[p] - next
	}
	return l
}

// after looks again once n more records have come in.
func (s scened) after(n int64, since look) look {
	s.t.Helper()
	var l look
	eventually(s.t, "records come in", func() bool {
		l = s.look()
		return sum(l.ends)-sum(since.ends) >= n
	})
	return l
}

// group describes a classic group.
func (s scened) group() kadm.DescribedGroup {
	s.t.Helper()
	described, err := s.c.Admin().DescribeGroups(testContext(s.t), s.Group)
	if err != nil {
		s.t.Fatal(err)
	}
	return described[s.Group]
}

// promises check what the scenes' summaries say.
var promises = map[string]func(s scened){
	"healthy": keepsUp,
	"slow": func(s scened) {
		before := s.look()
		var after look
		eventually(s.t, "each partition advances", func() bool {
			after = s.look()
			for p := range after.commits {
				if after.commits[p] == before.commits[p] {
					return false
				}
			}
			return sum(after.ends)-sum(before.ends) >= 90
		})
		came, grew := sum(after.ends)-sum(before.ends), after.total()-before.total()
		if before.total() < 1000 || grew < came/6 {
			s.t.Errorf("lag %d grew by %d while %d came: want at least 1000, and growing by a third of what comes",
				before.total(), grew, came)
		}
	},
	"hot-partition": func(s scened) {
		before := s.look()
		after := s.after(120, before)
		if hot := after.lag[0]; hot < after.total()*8/10 || hot <= before.lag[0] {
			s.t.Errorf("lag %v, then %v: want it on partition 0, and growing there", before.lag, after.lag)
		}
		if came := after.ends[0] - before.ends[0]; came*10 < (sum(after.ends)-sum(before.ends))*7 {
			s.t.Errorf("end offsets %v, then %v: want most of the records in partition 0", before.ends, after.ends)
		}
	},
	"stuck-partition": func(s scened) {
		before := s.look()
		after := s.after(40, before)
		for p := range after.commits {
			moved := after.commits[p] - before.commits[p]
			if stuck := p == stuckTopicPartition; stuck != (moved == 0) {
				s.t.Errorf("partition %d moved by %d", p, moved)
			}
		}
		if after.lag[stuckTopicPartition] < 20 {
			s.t.Errorf("lag %v: want at least 20 on the stuck partition", after.lag)
		}
	},
	"stopped": func(s scened) {
		before := s.look()
		after := s.after(10, before)
		if d := cmp.Diff(before.commits, after.commits); d != "" || len(after.commits) != s.Partitions {
			s.t.Errorf("commits moved (-before +after):\n%s", d)
		}
		if after.total() < before.total()+10 || before.total() < 750 {
			s.t.Errorf("lag %d, then %d", before.total(), after.total())
		}
		if g := s.group(); g.State != "Empty" || len(g.Members) != 0 {
			s.t.Errorf("group is %s with %d members", g.State, len(g.Members))
		}
	},
	"uncommitted": func(s scened) {
		before := s.look()
		after := s.after(10, before)
		if len(after.commits) != 0 {
			s.t.Errorf("committed %v", after.commits)
		}
		if g := s.group(); g.State != "Stable" || !g.AssignedPartitions().Lookup(s.Topic, 2) {
			s.t.Errorf("group is %s and owns %v", g.State, g.AssignedPartitions())
		}
	},
	"standalone": func(s scened) {
		before := s.look()
		after := s.after(40, before)
		if sum(after.commits) <= sum(before.commits) {
			s.t.Errorf("commits %v, then %v", before.commits, after.commits)
		}
		if g := s.group(); g.State != "Empty" || len(g.Members) != 0 {
			s.t.Errorf("group is %s with %d members", g.State, len(g.Members))
		}
	},
	"rebalancing": func(s scened) {
		members := make(map[int]bool)
		first := s.c.Fake().GroupInfo(s.Group).Epoch
		eventually(s.t, "two more generations, with 3 and 4 members", func() bool {
			g := s.c.Fake().GroupInfo(s.Group)
			members[len(g.Members)] = true
			return g.Epoch >= first+2 && members[3] && members[4]
		})
	},
	"kip848": func(s scened) {
		ctx := testContext(s.t)
		listed, err := s.c.Admin().ListGroups(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		if typ := listed[s.Group].GroupType; typ != "consumer" {
			s.t.Errorf("group is of type %q", typ)
		}
		described, err := s.c.Admin().DescribeConsumerGroups(ctx, s.Group)
		if err != nil {
			s.t.Fatal(err)
		}
		if g := described[s.Group]; g.State != "Stable" || len(g.Members) != s.Members {
			s.t.Errorf("group is %s with %d members", g.State, len(g.Members))
		}
		keepsUp(s)
	},
	"idle-members": func(s scened) {
		var idle int
		for _, m := range s.group().Members {
			a, ok := m.Assigned.AsConsumer()
			if ok && len(a.Topics) == 0 {
				idle++
			}
		}
		if idle != s.Members-s.Partitions {
			s.t.Errorf("%d idle members, want %d", idle, s.Members-s.Partitions)
		}
		keepsUp(s)
	},
}

// keepsUp wants offsets to be committed while little more is behind than what
// comes in between two commits, at the peak of a burst.
func keepsUp(s scened) {
	before := s.look()
	var after look
	eventually(s.t, "commits advance", func() bool {
		after = s.look()
		return sum(after.commits) >= sum(before.commits)+15
	})
	if after.total() > 120 {
		s.t.Errorf("commits %v, then %v, lag %v", before.commits, after.commits, after.lag)
	}
}

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
		if _, err := c.WaitAssigned(testContext(t), s.Group, s.Members, s.Partitions); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("all groups are stable after %s", time.Since(start)) // hours_test.go has a bound, of a clock that load doesn't move
	t.Run("promises", func(t *testing.T) {
		for _, s := range Scenarios() {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				check, ok := promises[s.Name]
				if !ok {
					t.Fatal("no promise is being checked")
				}
				check(scened{s, t, c})
			})
		}
	})
	t.Run("end", func(t *testing.T) {
		r.Stop()
		for _, s := range Scenarios() {
			if g := c.Fake().GroupInfo(s.Group); len(g.Members) != 0 {
				t.Errorf("group %s kept %d members", s.Group, len(g.Members))
			}
		}
	})
}

func TestScenarioTable(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	used := make(map[string]string)
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
		if !strings.HasSuffix(s.Summary, ".") || s.Partitions == 0 {
			t.Errorf("%s: summary %q, %d partitions", s.Name, s.Summary, s.Partitions)
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
