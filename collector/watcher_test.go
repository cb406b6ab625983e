package collector

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pollFunc is a Poller.
type pollFunc func(ctx context.Context) (*snapshot.Snapshot, error)

func (f pollFunc) Poll(ctx context.Context) (*snapshot.Snapshot, error) { return f(ctx) }

// readNow is a good poll at this moment: one group, 10 behind.
func readNow() (*snapshot.Snapshot, error) {
	return poll(time.Since(epoch).Seconds(), logOf("t", 1, ends(0, 100)),
		groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 90)))), nil
}

func nothingRead(err error) (*snapshot.Snapshot, error) {
	s := poll(time.Since(epoch).Seconds())
	s.ClusterID = ""
	return s, err
}

const interval = 10 * time.Second

// pause is what a poll waits for Kafka.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// inBubble runs a watcher on a clock of its own while during runs, and then
// stops it. Run must return nil, and nothing be left running.
func inBubble(t *testing.T, p pollFunc, during func(t *testing.T, w *Watcher)) {
	synctest.Test(t, func(t *testing.T) {
		w := New(p, Options{Cluster: "main", Interval: interval})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- w.Run(ctx) }()
		during(t, w)
		cancel()
		synctest.Wait()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Run returned %v when it was stopped", err)
			}
		default:
			t.Error("Run goes on after it was stopped")
		}
	})
}

// The first poll is at once, the others an interval apart give or take a
// twentieth, not in step, and each has nine tenths of it.
func TestPollTimes(t *testing.T) {
	var began time.Time
	var starts []time.Time
	var limits []time.Duration
	poller := func(ctx context.Context) (*snapshot.Snapshot, error) {
		deadline, ok := ctx.Deadline()
		if !ok {
			t.Error("a poll has no deadline")
		}
		starts, limits = append(starts, time.Now()), append(limits, time.Until(deadline))
		pause(ctx, time.Duration(len(starts)%9)*time.Second) // a poll's own time is part of the interval
		return readNow()
	}
	inBubble(t, poller, func(*testing.T, *Watcher) {
		began = time.Now()
		time.Sleep(100 * interval)
	})
	if len(starts) < 94 || !starts[0].Equal(began) {
		t.Fatalf("%d polls, the first %v late", len(starts), starts[0].Sub(began))
	}
	different := map[time.Duration]bool{}
	for i := 1; i < len(starts); i++ {
		d := starts[i].Sub(starts[i-1])
		different[d] = true
		if d < interval*95/100 || d > interval*105/100 {
			t.Errorf("%v between two polls", d)
		}
	}
	if len(different) < len(starts)/2 {
		t.Errorf("%d polls with only %d different distances", len(starts), len(different))
	}
	for _, d := range limits {
		if d != interval*9/10 {
			t.Errorf("a poll may take %v", d)
		}
	}
}

// A poll that overstays its deadline delays the next: two at once would double
// the load on a cluster that is slow already.
func TestPollsNeverOverlap(t *testing.T) {
	var running, polls atomic.Int32
	poller := func(ctx context.Context) (*snapshot.Snapshot, error) {
		if n := running.Add(1); n != 1 {
			t.Errorf("%d polls at once", n)
		}
		defer running.Add(-1)
		if polls.Add(1) > 10 {
			<-ctx.Done()
		} else {
			<-time.After(25 * time.Second) // whatever ctx says
		}
		return readNow()
	}
	inBubble(t, poller, func(t *testing.T, w *Watcher) {
		time.Sleep(251 * time.Second)
		if n := polls.Load(); n != 11 || !w.Seen() {
			t.Errorf("%d polls of 25 s have begun in 251 s, seen %v", n, w.Seen())
		}
	})
}

// What a stop cuts short says nothing of Kafka: a page in the last second would
// show an outage that never was.
func TestStopDuringPoll(t *testing.T) {
	var cut atomic.Bool
	poller := func(ctx context.Context) (*snapshot.Snapshot, error) {
		if !cut.Load() {
			return readNow()
		}
		<-ctx.Done()
		return nothingRead(ctx.Err())
	}
	var w *Watcher
	var before *View
	inBubble(t, poller, func(t *testing.T, running *Watcher) {
		synctest.Wait()
		w, before = running, running.View()
		cut.Store(true)
		time.Sleep(interval + interval/2)
		if !before.Up || w.View() != before {
			t.Error("the view is not that of the first poll")
		}
	})
	if w.View() != before {
		t.Errorf("the poll that was cut short was published: up %v, err %q", w.View().Up, w.View().Err)
	}
}

// A first poll that is cut short has not polled.
func TestStopDuringFirstPoll(t *testing.T) {
	var w *Watcher
	inBubble(t, func(ctx context.Context) (*snapshot.Snapshot, error) {
		<-ctx.Done()
		return nothingRead(ctx.Err())
	}, func(t *testing.T, running *Watcher) {
		synctest.Wait()
		w = running
	})
	if v := w.View(); v == nil || w.Polled() || w.Seen() || !v.Built.IsZero() {
		t.Errorf("view %+v, polled %v, seen %v", v, w.Polled(), w.Seen())
	}
}

func TestStoppedBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) {
		t.Error("it polled all the same")
		return readNow()
	}), Options{Interval: interval})
	if err := w.Run(ctx); err != nil {
		t.Error(err)
	}
}

// View is never nil; Polled and Seen tell a start from an outage, and stay.
func TestPolledAndSeen(t *testing.T) {
	var fails atomic.Bool
	fails.Store(true)
	type facts struct{ polled, seen, up bool }
	of := func(w *Watcher) facts { return facts{w.Polled(), w.Seen(), w.View().Up} }
	inBubble(t, func(ctx context.Context) (*snapshot.Snapshot, error) {
		pause(ctx, time.Second)
		if fails.Load() {
			return nothingRead(errTest)
		}
		return readNow()
	}, func(t *testing.T, w *Watcher) {
		synctest.Wait()
		if v := w.View(); v == nil || of(w) != (facts{}) || v.Cluster != "main" {
			t.Errorf("before the first poll has ended: %+v", of(w))
		}
		time.Sleep(2 * time.Second)
		if of(w) != (facts{polled: true}) || w.View().Err != errTest.Error() {
			t.Errorf("after a failed poll: %+v", of(w))
		}
		fails.Store(false)
		time.Sleep(interval * 11 / 10)
		if of(w) != (facts{true, true, true}) {
			t.Errorf("after a good poll: %+v", of(w))
		}
		fails.Store(true)
		time.Sleep(interval * 11 / 10)
		if of(w) != (facts{true, true, false}) {
			t.Errorf("after another failed poll: %+v", of(w))
		}
	})
}

// Kafka is away for two minutes: polls hang until their deadline, derived
// series go after three intervals, and all is as before with the first answer.
func TestOutageAndRecovery(t *testing.T) {
	var away atomic.Bool
	inBubble(t, func(ctx context.Context) (*snapshot.Snapshot, error) {
		if away.Load() {
			<-ctx.Done()
			return nothingRead(ctx.Err())
		}
		return readNow()
	}, func(t *testing.T, w *Watcher) {
		synctest.Wait()
		const lag = "group_partition_lag g t 0"
		if published(w.View())[lag] != 10 {
			t.Fatal("no lag after the first poll")
		}
		away.Store(true)
		time.Sleep(2*interval + 5*time.Second)
		if n, ok := published(w.View())[lag]; !ok || n != 10 || w.View().Up || w.View().Groups[0].Complete {
			t.Error("after one failed poll the lag is gone, or all looks well")
		}
		time.Sleep(2 * time.Minute)
		now := published(w.View())
		if _, ok := now[lag]; ok || now["up "] != 0 || now["group_complete g"] != 0 || now["group_read_age_seconds g"] < 100 {
			t.Errorf("after two minutes: %v", now)
		}
		away.Store(false)
		time.Sleep(2 * interval)
		now = published(w.View())
		if now[lag] != 10 || now["up "] != 1 || now["group_complete g"] != 1 || now["group_read_age_seconds g"] > 1 {
			t.Errorf("after the recovery: %v", now)
		}
	})
}

func TestOptionDefaults(t *testing.T) {
	w := New(nil, Options{Cluster: "main", Interval: interval})
	if w.rules.staleAfter != 3*interval || w.rules.objective("any") != DefaultObjective() || w.opts.Log == nil {
		t.Errorf("%+v", w.opts)
	}
	own := New(nil, Options{
		Interval: interval, StaleAfter: time.Minute, Log: slog.New(slog.DiscardHandler),
		Objective: func(string) Objective { return Objective{Age: time.Hour} },
	})
	if own.rules.staleAfter != time.Minute || own.rules.objective("any").Age != time.Hour {
		t.Errorf("%+v", own.opts)
	}
}
