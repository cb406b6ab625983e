package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lagwatch/lagwatch/internal/bench/child"
	"github.com/lagwatch/lagwatch/internal/bench/least"
	"github.com/lagwatch/lagwatch/internal/bench/report"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// families are the choices of families that are measured, each with what it adds
// to the mapping "metrics" of the config.
var families = []struct{ name, metrics string }{
	{report.DefaultFamilies, ""},
	{"all", `      include: [".*"]`},
}

// config is lagwatch's: its defaults, but for polls and start offsets that come
// when they are told to, patience with a size that a single machine serves, and
// a limit of series that no size reaches, so that all are shown in full.
func config(broker, metrics string) string {
	return fmt.Sprintf(`listen: 127.0.0.1:0
interval: 1h
clusters:
  - name: bench
    brokers: [%q]
    start_offset_interval: 1h
    request_timeout: 2m
    metrics:
      max_series: 1000000000
%s`, broker, metrics)
}

// bench measures one size with one choice of families.
type bench struct {
	shape    synthetic.Shape
	families string
	rounds   int
	step     func(what string) // tells the progress; it is called as often as steps says

	cluster, least, lagwatch *child.Process
	url                      string
	result                   report.Result
}

// pollsPerRound is how many polls are taken together, so that a round of a small
// cluster is long enough to be measured, and has its share of garbage collection.
func pollsPerRound(s synthetic.Shape) int { return max(2, min(20, 500_000/s.Pairs())) }

// steps is how often a run tells its progress.
func (b *bench) steps() int { return 2*b.rounds + 2 }

// run starts the processes, measures and stops them.
func (b *bench) run(ctx context.Context) (_ report.Result, err error) {
	b.result = report.Result{
		Shape: b.shape, Families: b.families, Rounds: b.rounds,
		Polls: b.rounds * pollsPerRound(b.shape), Scrapes: b.rounds * scrapesPerRound(b.shape),
	}
	defer func() {
		scraper.CloseIdleConnections()
		for _, p := range []*child.Process{b.least, b.lagwatch, b.cluster} {
			if p != nil {
				err = errors.Join(err, p.Stop())
			}
		}
	}()
	b.step("starting the cluster and its clients")
	if err := b.start(ctx); err != nil {
		return b.result, err
	}
	var m [2]measured
	for i := range b.rounds {
		b.step(fmt.Sprintf("round %d of %d", i+1, b.rounds))
		for j, p := range []*child.Process{b.least, b.lagwatch} {
			if err := m[j].poll(p, pollsPerRound(b.shape)); err != nil {
				return b.result, err
			}
		}
	}
	m[0].into(&b.result.Least)
	m[1].into(&b.result.Lagwatch)
	if err := b.scrapes(ctx); err != nil {
		return b.result, err
	}
	b.step("requests and memory")
	return b.result, errors.Join(b.requests(), memory(b.least, &b.result.Least), memory(b.lagwatch, &b.result.Lagwatch))
}

func (b *bench) start(ctx context.Context) (err error) {
	var up started
	if b.cluster, err = start(ctx, &up, roleCluster, job{Shape: b.shape}); err != nil {
		return err
	}
	metrics := ""
	for _, f := range families {
		if f.name == b.families {
			metrics = f.metrics
		}
	}
	j := job{Config: config(up.Addrs[0], metrics)}
	if b.least, err = start(ctx, &up, roleLeast, j); err != nil {
		return err
	}
	b.result.Least.FirstSeconds = up.FirstSeconds
	if b.lagwatch, err = start(ctx, &up, roleLagwatch, j); err != nil {
		return err
	}
	b.result.Lagwatch.FirstSeconds, b.url = up.FirstSeconds, up.URL
	// Two more each, for buffers and heap to become what they will be.
	return errors.Join(b.least.Call("poll", 2, &polls{}), b.lagwatch.Call("poll", 2, &polls{}))
}

func start(ctx context.Context, up *started, role string, j job) (*child.Process, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return child.Start(ctx, up, "child", role, string(text))
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
		if err := p.Call("poll", 1, &polls{}); err != nil {
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

func memory(p *child.Process, c *report.Client) error {
	var m child.Memory
	err := p.Call("memory", 1, &m)
	c.LiveHeap, c.Peak = m.Live, m.Peak
	return err
}
