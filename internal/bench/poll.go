package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/lagwatch/lagwatch/internal/bench/child"
	"github.com/lagwatch/lagwatch/internal/bench/least"
	"github.com/lagwatch/lagwatch/internal/bench/report"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// pollsPerRound is how many polls are taken together, so that a round of a small
// cluster is long enough to be measured, and has its share of garbage collection.
func pollsPerRound(s synthetic.Shape) int { return max(2, min(20, 500_000/s.Pairs())) }

// polls measures polls of both clients, in turn.
func (b *bench) polls() error {
	var m [2]measured
	for i := range b.rounds {
		b.step(fmt.Sprintf("round %d of %d", i+1, b.rounds))
		for j, p := range []*child.Process{b.least, b.lagwatch} {
			if err := m[j].poll(p, pollsPerRound(b.shape)); err != nil {
				return err
			}
		}
	}
	m[0].into(&b.result.Least)
	m[1].into(&b.result.Lagwatch)
	return nil
}

// conditions measures what it costs a lagwatch to say why groups lag: polls with and
// without, in turn.
func (b *bench) conditions(p *child.Process, of string) (c report.Conditions, err error) {
	var m [2]measured
	for i := range b.rounds {
		b.step(fmt.Sprintf("conditions%s, round %d of %d", of, i+1, b.rounds))
		for _, on := range []int{0, 1} {
			if err := p.Call("conditions", on, nil); err != nil {
				return c, err
			}
			if err := p.Call("poll", warmUp, nil); err != nil {
				return c, err
			}
			if err := m[on].poll(p, pollsPerRound(b.shape)); err != nil {
				return c, err
			}
		}
	}
	c = report.Conditions{Without: m[0].cost(), With: m[1].cost()}
	return c, p.Call("troubled", 1, &c.Troubled)
}

// calm measures the same where nearly all groups are calm, with a cluster and a lagwatch
// of its own. That is as many polls again, so it is done with one choice of families:
// conditions cost the same with all.
func (b *bench) calm(ctx context.Context) (err error) {
	b.step("filling the history of a calm cluster")
	shape := b.shape
	shape.Calm = true
	var up started
	cluster, err := start(ctx, &up, roleCluster, job{Shape: shape})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(cluster)) }()
	p, err := start(ctx, &up, roleLagwatch, job{Config: config(up.Addrs[0], "")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(p)) }()
	if err := p.Call("poll", warmUp+fill, nil); err != nil {
		return err
	}
	b.result.Calm, err = b.conditions(p, " of a calm cluster")
	return err
}

// measured collects the polls of one client.
type measured struct{ seconds, cpu, allocations, allocated []float64 }

func (m *measured) poll(p *child.Process, times int) error {
	var got polls
	if err := p.Call("poll", times, &got); err != nil {
		return err
	}
	n := float64(times)
	m.seconds = append(m.seconds, got.Seconds...)
	m.cpu = append(m.cpu, got.Used.CPUSeconds/n)
	m.allocations = append(m.allocations, float64(got.Used.Allocations)/n)
	m.allocated = append(m.allocated, float64(got.Used.Allocated)/n)
	return nil
}

func (m *measured) cost() report.Cost {
	return report.Cost{CPUSeconds: report.Median(m.cpu), Allocations: report.Median(m.allocations)}
}

func (m *measured) into(c *report.Client) {
	c.Seconds, c.CPUSeconds = report.Median(m.seconds), report.Median(m.cpu)
	c.Allocations, c.Allocated = report.Median(m.allocations), report.Median(m.allocated)
}

// requests counts what one poll of each client sends.
func (b *bench) requests() error {
	var c counted
	if err := b.cluster.Call("requests", 1, &c); err != nil { // what came until now
		return err
	}
	for _, p := range []*child.Process{b.least, b.lagwatch} {
		if err := p.Call("poll", 1, nil); err != nil {
			return err
		}
	}
	if err := b.cluster.Call("requests", 1, &c); err != nil {
		return err
	}
	b.result.Least.Requests, b.result.Lagwatch.Requests = map[string]int{}, map[string]int{}
	for i, call := range c.Calls {
		list := b.result.Lagwatch.Requests
		if call.Client == least.ClientID {
			list = b.result.Least.Requests
		}
		list[fmt.Sprintf("%s v%d", call.API, call.Version)] += c.Times[i]
	}
	return nil
}
