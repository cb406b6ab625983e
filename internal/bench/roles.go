package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/bench/child"
	"github.com/lagwatch/lagwatch/internal/bench/least"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// The processes that a measurement consists of, beside the one that measures.
const (
	roleCluster  = "cluster"
	roleLeast    = "least"
	roleLagwatch = "lagwatch"
)

// job is what a child is told to be, as its one argument.
type job struct {
	Shape  synthetic.Shape // of a cluster
	Config string          // of lagwatch, YAML; the least client takes broker and batches from it
	// Profiles is where lagwatch's profiles go, without what their names end in;
	// "" makes none.
	Profiles string
}

// started is what a child tells when it is ready.
type started struct {
	Addrs        []string // of a cluster's brokers
	URL          string   // of lagwatch
	FirstSeconds float64  // what a client's first poll took
}

// counted is what arrived at the brokers since the last time.
type counted struct {
	Calls []lab.Call
	Times []int
}

// serve is the main function of a child.
func serve(ctx context.Context, role, text string, in io.Reader, out io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return fmt.Errorf("what to do: %w", err)
	}
	switch role {
	case roleCluster:
		return serveCluster(j, in, out)
	case roleLeast:
		return serveLeast(j, in, out)
	case roleLagwatch:
		return serveLagwatch(ctx, j, in, out)
	}
	return fmt.Errorf("no process is named %q", role)
}

func serveCluster(j job, in io.Reader, out io.Writer) error {
	c, err := synthetic.Start(j.Shape)
	if err != nil {
		return err
	}
	defer c.Close()
	return child.Serve(in, out, started{Addrs: c.Addrs()}, child.Handlers{
		"requests": func(int) (any, error) {
			var list counted
			for call, n := range c.Counter().Snapshot() {
				list.Calls, list.Times = append(list.Calls, call), append(list.Times, n)
			}
			c.Counter().Reset()
			return list, nil
		},
	})
}

func serveLeast(j job, in io.Reader, out io.Writer) error {
	config, err := load(j.Config)
	if err != nil {
		return err
	}
	its := config.Clusters[0]
	c := least.New(its.Brokers[0], its.MaxGroupsPerRequest, its.MaxPartitionsPerRequest)
	defer c.Close()
	return serveClient(in, out, started{}, c.Poll, clientCalls(c.Poll))
}

// load reads a config as lagwatch does, from a file.
func load(text string) (*configs.Config, error) {
	f, err := os.CreateTemp("", "lagwatch-bench-*.yaml")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if _, err = f.WriteString(text); err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, err
	}
	return configs.Load(configs.Options{File: f.Name()})
}

// polls is what some polls took. What was used is of all of them.
type polls struct {
	Seconds []float64
	Used    child.Usage
}

// serveClient serves a client that polls. Its first poll, which connects and
// reads what later ones need not, is over when it is ready.
func serveClient(in io.Reader, out io.Writer, ready started, first func() error, calls child.Handlers) error {
	began := time.Now()
	if err := first(); err != nil {
		return err
	}
	ready.FirstSeconds = time.Since(began).Seconds()
	return child.Serve(in, out, ready, calls)
}

// clientCalls are what every client can do.
func clientCalls(poll func() error) child.Handlers {
	return child.Handlers{
		"poll":   func(times int) (any, error) { return timed(times, poll) },
		"usage":  func(int) (any, error) { return child.ReadUsage() },
		"memory": func(int) (any, error) { return child.ReadMemory() },
	}
}

func timed(times int, poll func() error) (polls, error) {
	var p polls
	before, err := child.ReadUsage()
	if err != nil {
		return p, err
	}
	for range times {
		began := time.Now()
		if err := poll(); err != nil {
			return p, err
		}
		p.Seconds = append(p.Seconds, time.Since(began).Seconds())
	}
	after, err := child.ReadUsage()
	p.Used = after.Since(before)
	return p, err
}
