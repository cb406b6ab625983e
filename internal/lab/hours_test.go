//go:build synctests

// The tag also makes franz-go's locks fit for a bubble, see Options.Network.

package lab

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// An hour of the whole demo takes a minute or two here. All its memory stays
// below a bound, and no group loses a record that it has not read.
func TestDemoForAnHour(t *testing.T) {
	// What grows is the logs, with the lags of scenes that fall behind, up to twice what
	// they keep (trim.go): 41 MiB and 85,717 records after 10 min, 62 MiB at most.
	const bound = 80 << 20
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Network: new(kfake.VirtualNetwork)})
		r, err := StartScenarios(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Stop()
		recovered := make(map[string]bool)
		highest := make(map[string]int64)
		var most int64
		for minute := range 60 {
			time.Sleep(time.Minute)
			for _, s := range Scenarios() {
				assertNothingLost(t, c, s)
				lag := sum(c.Lag(s.Group, s.Topic))
				if lag < highest[s.Name]/2 {
					recovered[s.Name] = true
				}
				highest[s.Name] = max(highest[s.Name], lag)
			}
			h := heap()
			if h > bound {
				t.Fatalf("%d MiB in use, %d records kept", h>>20, kept(c))
			}
			most = max(most, h)
			if minute%10 == 9 {
				t.Logf("after %d min %d KiB, %d records kept", minute+1, h>>10, kept(c))
			}
		}
		for _, name := range []string{"slow", "slow-dependency", "hot-partition", "stuck-partition", "stopped", "open-transaction"} {
			if !recovered[name] {
				t.Errorf("%s never recovered; its highest lag is %d", name, highest[name])
			}
		}
		t.Logf("%d KiB at most, %d goroutines, highest lags %v", most>>10, runtime.NumGoroutine(), highest)
	})
}

// kept is how many records the logs of all scenes hold.
func kept(c *Cluster) (n int64) {
	for _, s := range Scenarios() {
		for _, p := range c.Fake().PartitionInfos(s.Topic) {
			n += p.HighWatermark - p.LogStartOffset
		}
	}
	return n
}

func assertNothingLost(t *testing.T, c *Cluster, s Scenario) {
	t.Helper()
	group := c.Fake().GroupInfo(s.Group)
	if group == nil || s.Name == "data-lost" {
		return
	}
	for p, commit := range group.Commits[s.Topic] {
		if start := c.Fake().PartitionInfo(s.Topic, p).LogStartOffset; start > commit.Offset {
			t.Errorf("%s: partition %d starts at %d, the group is at %d", s.Name, p, start, commit.Offset)
		}
	}
}

// settle is how soon the whole demo has to show stable groups.
const settle = 4 * time.Second

func TestDemoSettlesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startLab(t, Options{Network: new(kfake.VirtualNetwork)})
		start := time.Now()
		if _, err := StartScenarios(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		for _, s := range Scenarios() {
			if s.Members == 0 {
				continue
			}
			if _, err := c.WaitAssigned(testContext(t), s.Group, s.Members, s.Partitions-s.Unowned); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took > settle {
			t.Errorf("groups are stable after %s, want %s", took, settle)
		}
	})
}

// The scenes that recover do so when their summaries say, so that somebody who
// looks for some minutes sees it: slow took 38 minutes once, stopped 40.
func TestScenesRecoverInTime(t *testing.T) {
	for _, tt := range []struct {
		scene       string
		back, again time.Duration // when the lag shrinks at the latest, and when it grows again
	}{
		{"slow", 150 * time.Second, 270 * time.Second},
		{"stopped", 11 * time.Minute, 13 * time.Minute},
	} {
		t.Run(tt.scene, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startLab(t, Options{Network: new(kfake.VirtualNetwork)})
				if _, err := StartScenarios(t.Context(), c, tt.scene); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				for _, want := range []struct {
					what  string
					sign  int64
					until time.Duration
				}{{"shrinks", -1, tt.back}, {"grows again", 1, tt.again}} {
					took := turnsAfter(c, tt.scene, start, want.sign)
					t.Logf("the lag %s after %s", want.what, took)
					if took > want.until {
						t.Errorf("the lag %s after %s, want %s at the latest", want.what, took, want.until)
					}
				}
			})
		})
	}
}

// turnsAfter waits until the lag of a scene went up (sign 1) or down (−1) in each
// of three successive spans of five seconds, and tells when that began; an hour at
// most.
func turnsAfter(c *Cluster, scene string, start time.Time, sign int64) time.Duration {
	s, _ := Find(scene)
	lag, turned := sum(c.Lag(s.Group, s.Topic)), 0
	for turned < 3 && time.Since(start) < time.Hour {
		time.Sleep(5 * time.Second)
		now := sum(c.Lag(s.Group, s.Topic))
		if turned++; (now-lag)*sign <= 0 {
			turned = 0
		}
		lag = now
	}
	return time.Since(start) - time.Duration(turned)*5*time.Second
}

// Each scene does what its summary says. Under load its members were slower than they
// are made to be, and fell behind where they should keep up.
func TestPromises(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			check, ok := promises[s.Name]
			if !ok {
				t.Fatal("no promise is being checked")
			}
			synctest.Test(t, func(t *testing.T) {
				c := startLab(t, Options{Network: new(kfake.VirtualNetwork)})
				if _, err := StartScenarios(t.Context(), c, s.Name); err != nil {
					t.Fatal(err)
				}
				if s.Members > 0 {
					if _, err := c.WaitAssigned(testContext(t), s.Group, s.Members, s.Partitions-s.Unowned); err != nil {
						t.Fatal(err)
					}
				}
				check(scened{s, t, c})
			})
		})
	}
}
