// Package collector watches Kafka clusters: it polls each at its interval,
// makes a view of what is known, and publishes it as metrics.
package collector

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// Poller reads a cluster once. The snapshot is never nil; with an error it has
// problems and requests only.
type Poller interface {
	Poll(ctx context.Context) (*snapshot.Snapshot, error)
}

// Options say how to watch. Interval and Cluster are required.
type Options struct {
	// Cluster is the name of the cluster, the value of the label
	// kafka_cluster.
	Cluster string
	// Interval is the time from the start of one poll to that of the next. A
	// poll may take nine tenths of it.
	Interval time.Duration
	// StaleAfter is how long a value that could not be renewed is still
	// shown. Default 3 intervals.
	StaleAfter time.Duration
	// History is how far back polls are remembered for what is estimated.
	// Default 30 minutes.
	History time.Duration
	// Seed says that brokers are asked when records arrived that are older than
	// the history, if the poller can.
	Seed bool
	// Objective tells what a group owes; it is asked once for each group. Default
	// [DefaultObjective] for all.
	Objective func(group string) Objective
	// Publish tells whether a family is published, by its name without the
	// prefix and what it is by default; group is "" for families that are not
	// of a group. It is asked once for each group and family that is of choice
	// ([Metric.OfChoice]). Default is what it is by default.
	Publish func(group, family string, byDefault bool) bool
	// Detail tells how far down the series of a group go. Default
	// DetailPartition for all.
	Detail func(group string) Detail
	// MaxSeries is how many series to show at most, as far as less detail of
	// groups can bring that about. Default no limit.
	MaxSeries int
	// Thresholds tells when the conditions of a group hold; it is asked once for
	// each group, and what it returns is never changed. Default
	// [diagnosis.Defaults] for all.
	Thresholds func(group string) *diagnosis.Thresholds
	// Expected are the ids of groups whose absence is a fault.
	Expected []string
	// Secured says that clients of the cluster need TLS or credentials, and Several
	// that other clusters are watched beside it: what is said to be done next is then
	// said so that it works.
	Secured, Several bool
	// Log gets one line for each change of what is wrong. Default none.
	Log *slog.Logger
}

// Watcher polls one cluster and holds the view of it.
type Watcher struct {
	poller Poller
	opts   Options
	rules  rules
	view   atomic.Pointer[View]
	polled atomic.Bool // a poll has ended
	seen   atomic.Bool // a poll has succeeded

	polling   sync.Mutex // held for a whole poll
	report    reporter
	estimates *estimator
}

// New returns a watcher that has polled nothing yet; Run starts it.
func New(p Poller, o Options) *Watcher {
	if o.StaleAfter <= 0 {
		o.StaleAfter = 3 * o.Interval
	}
	if o.History <= 0 {
		o.History = 30 * time.Minute
	}
	if o.Objective == nil {
		o.Objective = func(string) Objective { return DefaultObjective() }
	}
	if o.Publish == nil {
		o.Publish = func(_, _ string, byDefault bool) bool { return byDefault }
	}
	if o.Detail == nil {
		o.Detail = func(string) Detail { return DetailPartition }
	}
	if o.Thresholds == nil {
		usual := diagnosis.Defaults()
		o.Thresholds = func(string) *diagnosis.Thresholds { return &usual }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{
		poller: p,
		opts:   o,
		rules: rules{
			staleAfter: o.StaleAfter, objective: o.Objective, publish: o.Publish, detail: o.Detail, maxSeries: o.MaxSeries,
			thresholds: o.Thresholds, expected: slices.Compact(slices.Sorted(slices.Values(o.Expected))),
		},
		report: reporter{log: o.Log.With("kafka_cluster", o.Cluster)},

		estimates: newEstimator(p, o),
	}
	w.view.Store(w.rules.first(o.Cluster, o.Interval))
	return w
}

// View returns the latest view. It is never nil, and never changes.
func (w *Watcher) View() *View { return w.view.Load() }

// Polled tells whether a first poll has ended, and Seen whether one has
// succeeded.
func (w *Watcher) Polled() bool { return w.polled.Load() }

// Seen tells whether any poll has succeeded.
func (w *Watcher) Seen() bool { return w.seen.Load() }

// Run polls until ctx ends, at once and then at every interval, give or take a
// twentieth of it, so that many lagwatches do not poll in step. Polls never
// overlap. It returns nil.
func (w *Watcher) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		started := time.Now()
		w.Poll(ctx)
		wait := time.Duration(float64(w.opts.Interval)*(0.95+0.1*rand.Float64())) - time.Since(started)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return nil
}

// Diagnose sets whether it is said from the next poll on why groups lag, as it is unless
// somebody sets it. It is for measurements of what that costs. It waits for a poll that
// is under way.
func (w *Watcher) Diagnose(on bool) {
	w.polling.Lock()
	defer w.polling.Unlock()
	w.estimates.reasons = on
}

// Poll does one poll within its deadline and publishes what comes of it. Run
// calls it at its interval; anyone else may at any time, and waits for a poll that
// is under way.
func (w *Watcher) Poll(ctx context.Context) {
	w.polling.Lock()
	defer w.polling.Unlock()
	limit, cancel := context.WithTimeout(ctx, w.opts.Interval*9/10)
	defer cancel()
	s, err := w.poller.Poll(limit)
	if ctx.Err() != nil {
		return // stopping; what was cut short says nothing of Kafka
	}
	before := w.view.Load()
	next := assemble(before, s, err, time.Now(), w.rules)
	w.estimates.estimate(limit, next, s, err)
	next.limit(before, w.rules.maxSeries)
	w.view.Store(next)
	w.polled.Store(true)
	if err == nil {
		w.seen.Store(true)
	}
	w.report.changes(s, err)
	w.report.headline(next)
	w.report.detail(before, next, w.rules.maxSeries)
}
