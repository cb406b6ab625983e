package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/bench/child"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// serveLagwatch runs lagwatch as `lagwatch serve` does, but for its interval: it
// polls once by itself, and from then on when it is told. To its histories polls are
// an interval apart all the same.
func serveLagwatch(ctx context.Context, j job, in io.Reader, out io.Writer) error {
	config, err := load(j.Config)
	if err != nil {
		return err
	}
	daemon.PaceGC()
	d, err := daemon.New(config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	w := d.Watchers()[0]
	first := func() error {
		go func() { done <- d.Run(ctx) }()
		return polled(w)
	}
	calls := lagwatchCalls(j, w, func() error {
		snapshot.Advance(config.Clusters[0].Interval)
		w.Poll(ctx)
		return whole(w.View())
	})
	err = serveClient(in, out, started{URL: "http://" + d.Addr().String() + "/metrics"}, first, calls)
	stop()
	if ended := <-done; err == nil {
		err = ended
	}
	return err
}

// lagwatchCalls are what lagwatch can do beyond other clients: tell of itself
// while others scrape it, make profiles, do without conditions (0) or not (1), and tell
// how many groups are in trouble.
func lagwatchCalls(j job, w *collector.Watcher, poll func() error) child.Handlers {
	calls := clientCalls(poll)
	calls["conditions"] = func(on int) (any, error) {
		w.Diagnose(on == 1)
		return nil, nil
	}
	calls["troubled"] = func(int) (any, error) { return troubled(w.View()), nil }
	var crowd *child.Crowd
	calls["crowd begins"] = func(int) (_ any, err error) {
		crowd, err = child.BeginCrowd()
		return nil, err
	}
	calls["crowd ends"] = func(int) (any, error) { return crowd.End() }
	profiles := child.Profiles{Base: j.Profiles}
	calls["profiles begin"] = func(int) (any, error) { return nil, profiles.Begin() }
	calls["profiles end"] = func(int) (any, error) { return nil, profiles.End() }
	return calls
}

// troubled is of how many groups a condition holds.
func troubled(v *collector.View) (n int) {
	for i := range v.Groups {
		if len(v.Groups[i].Diagnosis.Findings) > 0 {
			n++
		}
	}
	return n
}

// patience is how long a single poll may take.
const patience = 5 * time.Minute

// polled waits for the first poll of a watcher that runs.
func polled(w *collector.Watcher) error {
	began := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ; !w.Polled(); <-tick.C {
		if time.Since(began) > patience {
			return fmt.Errorf("the first poll is not over after %s", patience)
		}
	}
	return whole(w.View())
}

// whole is an error unless the last poll has read everything: half a poll would
// be measured otherwise.
func whole(v *collector.View) error {
	if !v.Up {
		return fmt.Errorf("the poll has failed: %s", v.Err)
	}
	if n := len(v.Problems); n > 0 {
		return fmt.Errorf("the poll is not complete, for %d reasons; the first: %s", n, v.Problems[0].Detail)
	}
	return nil
}
