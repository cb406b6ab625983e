package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lagwatch/lagwatch/internal/simulate"
	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// run is one trace: a scenario with a seed.
type run struct {
	scenario string
	seed     uint64
}

// samples simulates a scenario and estimates on it.
func samples(s simulate.Scenario, seed uint64) (map[pair][]sample, time.Duration) {
	made := s.Make(seed)
	return estimates(made.Trace, brokerOf(made)), time.Duration(made.Trace.Header.Interval)
}

// estimates replays a trace.
func estimates(t trace.Trace, b broker) map[pair][]sample {
	r := newReplay(t.Header, b)
	all := map[pair][]sample{}
	for _, p := range t.Polls {
		for _, x := range r.poll(p) {
			all[x.pair] = append(all[x.pair], x)
		}
	}
	return all
}

// measure scores every scenario with n seeds from first on. progress is told how many
// runs are done, one call after the other.
func measure(ctx context.Context, scenarios []simulate.Scenario, first, n uint64, progress func(done, of int)) ([]*score, error) {
	runs := make([][]*score, len(scenarios))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	done := 0
	for i, s := range scenarios {
		runs[i] = make([]*score, n)
		for k := range n {
			g.Go(func() error {
				if ctx.Err() != nil {
					return errors.New("stopped before all runs were done")
				}
				runs[i][k] = scoreOf(s, first+k)
				mu.Lock()
				defer mu.Unlock()
				done++
				progress(done, len(scenarios)*int(n))
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	scores := make([]*score, len(scenarios))
	for i := range scores {
		scores[i] = merged(runs[i])
	}
	return scores, nil
}

func scoreOf(s simulate.Scenario, seed uint64) *score {
	all, interval := samples(s, seed)
	return scored(run{s.Name, seed}, interval.Seconds(), all)
}

// scored scores all pairs of a run, and their groups.
func scored(of run, interval float64, all map[pair][]sample) *score {
	sum := &score{}
	for _, p := range inOrder(all) {
		sum.addAll(of, interval, all[p])
	}
	for _, list := range groups(all) {
		sum.addGroup(list)
	}
	return sum
}

// inOrder sorts pairs by group, topic and partition.
func inOrder(all map[pair][]sample) []pair {
	return slices.SortedFunc(maps.Keys(all), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
}
