package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lagwatch/lagwatch/internal/bench/child"
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
// when they are told to (or so seldom that it hardly matters), a history of as many
// polls as 10 s and 30 minutes make, no questions about the past, patience with a
// size that a single machine serves, and a limit of series that no size reaches, so
// that all are shown in full.
func config(broker, metrics string) string {
	return fmt.Sprintf(`listen: 127.0.0.1:0
interval: 8m
history: 24h
seed: off
clusters:
  - name: bench
    brokers: [%q]
    start_offset_interval: 10000h
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
	profiles string            // what the names of lagwatch's profiles begin with, "" for none
	step     func(what string) // tells the progress; it is called as often as steps says

	cluster, least, lagwatch *child.Process
	job                      job    // of the clients
	url                      string // of the lagwatch that runs
	result                   report.Result
}

// steps is how often a run tells its progress.
func (b *bench) steps() int {
	if b.families != report.DefaultFamilies {
		return 4*b.rounds + 10
	}
	return 5*b.rounds + 11
}

// run starts the processes, measures and stops them.
func (b *bench) run(ctx context.Context) (_ report.Result, err error) {
	b.result = report.Result{
		Shape: b.shape, Families: b.families, Rounds: b.rounds,
		Polls: b.rounds * pollsPerRound(b.shape), Scrapes: b.rounds * scrapesPerRound(b.shape),
	}
	defer func() { err = errors.Join(err, stop(b.least, b.lagwatch, b.cluster)) }()
	b.step("measuring a history")
	if b.result.History, err = history(b.shape); err != nil {
		return b.result, err
	}
	if err := b.start(ctx); err != nil {
		return b.result, err
	}
	if err := b.asPrometheus(ctx); err != nil {
		return b.result, err
	}
	if err := stop(b.least, b.lagwatch); err != nil {
		return b.result, err
	}
	if err := b.asOthers(ctx); err != nil || b.families != report.DefaultFamilies {
		return b.result, err
	}
	return b.result, errors.Join(stop(b.lagwatch), b.calm(ctx))
}

// start starts the cluster and the clients, with as many polls of both.
func (b *bench) start(ctx context.Context) (err error) {
	b.step("starting the cluster and its clients")
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
	b.job = job{Config: config(up.Addrs[0], metrics)}
	if b.least, err = start(ctx, &up, roleLeast, b.job); err != nil {
		return err
	}
	b.result.Least.FirstSeconds = up.FirstSeconds
	profiled := b.job
	profiled.Profiles = b.profiles
	if b.result.Lagwatch.FirstSeconds, err = b.startLagwatch(ctx, profiled); err != nil {
		return err
	}
	return b.least.Call("poll", warmUp, nil)
}

// warmUp is how many polls a client makes after its first, for buffers and heap to
// become what they will be.
const warmUp = 2

// fill is how many polls lagwatch makes before it is measured, beside the first
// few, so that its history is as full as after half an hour of use.
const fill = 180

// startLagwatch starts a process and returns what its first poll took.
func (b *bench) startLagwatch(ctx context.Context, j job) (seconds float64, err error) {
	var up started
	if b.lagwatch, err = start(ctx, &up, roleLagwatch, j); err != nil {
		return 0, err
	}
	b.url = up.URL
	if err := b.lagwatch.Call("poll", warmUp, nil); err != nil {
		return 0, err
	}
	if b.result.Young.Live == 0 {
		if err := memory(b.lagwatch, &b.result.Young); err != nil {
			return 0, err
		}
	}
	b.step("filling the history")
	return up.FirstSeconds, b.lagwatch.Call("poll", fill, nil)
}

// asPrometheus measures polls, and pages in gzip, of a lagwatch that has never
// made a page in another encoding.
func (b *bench) asPrometheus(ctx context.Context) (err error) {
	if err := b.lagwatch.Call("profiles begin", 1, nil); err != nil {
		return err
	}
	if err := b.polls(); err != nil {
		return err
	}
	if b.result.Conditions, err = b.conditions(b.lagwatch, ""); err != nil {
		return err
	}
	if err := b.inGzip(ctx); err != nil {
		return err
	}
	b.step("requests and memory")
	if err := b.requests(); err != nil {
		return err
	}
	err = errors.Join(memory(b.least, &b.result.Least.Memory), memory(b.lagwatch, &b.result.Lagwatch.Memory))
	if err != nil {
		return err
	}
	if err := b.lagwatch.Call("profiles end", 1, nil); err != nil {
		return err
	}
	b.result.GzipCrowd, err = b.crowd(ctx, "gzip", b.result.Gzip.Bytes)
	return err
}

// asOthers measures another lagwatch, with pages without compression as well.
func (b *bench) asOthers(ctx context.Context) error {
	b.step("starting lagwatch for both encodings")
	if _, err := b.startLagwatch(ctx, b.job); err != nil {
		return err
	}
	if err := b.inBoth(ctx); err != nil {
		return err
	}
	err := memory(b.lagwatch, &b.result.Both)
	if err != nil {
		return err
	}
	if b.result.Plain.Bytes <= report.MostPlain {
		b.result.PlainCrowd, err = b.crowd(ctx, "identity", b.result.Plain.Bytes)
	}
	return err
}

// stop stops the processes that were started, none of which is scraped.
func stop(list ...*child.Process) (err error) {
	scraper.CloseIdleConnections()
	for _, p := range list {
		if p != nil {
			err = errors.Join(err, p.Stop())
		}
	}
	return err
}

func start(ctx context.Context, up *started, role string, j job) (*child.Process, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return child.Start(ctx, up, "child", role, string(text))
}

// memory polls once more and tells what is held then: before the next scrape, the
// page before is there beside the new view.
func memory(p *child.Process, into *report.Memory) error {
	if err := p.Call("poll", 1, nil); err != nil {
		return err
	}
	var m child.Memory
	err := p.Call("memory", 1, &m)
	*into = report.Memory(m)
	return err
}
