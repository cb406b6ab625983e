package collector

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Pages are made while views are swapped: with the race detector this fails if
// anything in a published view is written to.
func TestReadersWhileViewsAreSwapped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var polls atomic.Int32
	watch := func(name string, seed uint64) *Watcher {
		c := newChaos(seed)
		return New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) {
			polls.Add(1)
			return c.next()
		}), Options{Cluster: name, Interval: time.Millisecond, StaleAfter: 1_000_000 * time.Hour, Expected: []string{"gone"}})
	}
	a, b := watch("a", 1), watch("b", 2)
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(&Collector{NewPublisher(testBuild, a, b)})

	var running, readers sync.WaitGroup
	for _, w := range []*Watcher{a, b} {
		running.Go(func() { _ = w.Run(ctx) })
	}
	for range 4 {
		readers.Go(func() {
			for pages := 0; ctx.Err() == nil && (polls.Load() < 100 || pages < 20); pages++ {
				if _, err := r.Gather(); err != nil {
					t.Error(err)
					return
				}
				tell(a.View())
				fmt.Fprint(io.Discard, a.View().Groups, a.View().Missing)
				_ = a.Polled() && a.Seen()
			}
		})
	}
	readers.Wait()
	if ctx.Err() != nil {
		t.Errorf("only %d polls in a minute", polls.Load())
	}
	cancel()
	running.Wait()
}

// A page waits for no poll: it is what is known, at once.
func TestPageDuringPoll(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	w := New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) {
		close(started)
		<-release
		return readNow()
	}), Options{Cluster: "main", Interval: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx) })
	<-started
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(&Collector{NewPublisher(testBuild, w)})
	if families, err := r.Gather(); err != nil || len(families) == 0 {
		t.Errorf("%d families, %v", len(families), err)
	}
	cancel()
	close(release)
	running.Wait()
}
