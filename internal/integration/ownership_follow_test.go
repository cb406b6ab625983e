package integration

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	poller "github.com/lagwatch/lagwatch/collector/kafka"
)

// follower polls as lagwatch does, each second, and keeps every view.
type follower struct {
	watcher *collector.Watcher

	mu   sync.Mutex
	seen []look
}

// look is one poll: when it was made, and the view that came of it.
type look struct {
	began, ended time.Time
	view         *collector.View
}

// follow begins to poll, until the test ends. keep tells which groups.
func follow(t *testing.T, brokers []string, o collector.Options, keep func(group string) bool) *follower {
	t.Helper()
	client, err := poller.New(poller.Options{
		Brokers: brokers, Interval: o.Interval, RequestTimeout: o.Interval * 8 / 10, KeepGroup: keep,
		StartOffsetInterval: o.Interval, StaleAfter: o.StaleAfter, ReadCommitted: readsCommitted,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{watcher: collector.New(client, o)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); f.run(ctx, o.Interval) }()
	t.Cleanup(func() { cancel(); <-done; client.Close() })
	return f
}

func (f *follower) run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		began := time.Now()
		f.watcher.Poll(ctx)
		f.mu.Lock()
		f.seen = append(f.seen, look{began, time.Now(), f.watcher.View()})
		f.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// looks are all so far.
func (f *follower) looks() []look {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[:len(f.seen):len(f.seen)]
}

// last is the latest, if there is one.
func (f *follower) last() (look, bool) {
	all := f.looks()
	if len(all) == 0 {
		return look{}, false
	}
	return all[len(all)-1], true
}

// group finds a group in the view; nil if it is not there.
func (l *look) group(id string) *collector.Group {
	for i := range l.view.Groups {
		if g := &l.view.Groups[i]; g.ID == id {
			return g
		}
	}
	return nil
}

// told is whether the poll itself could tell the group's state.
func (l *look) told(g *collector.Group) bool { return l.view.Up && !g.StateAt.Before(l.began) }
