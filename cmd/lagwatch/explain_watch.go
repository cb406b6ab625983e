package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/explain"
)

// watchInterval is that of somebody who has half a minute.
const watchInterval = "2s"

// watchFor reads Kafka for a while, and returns a client of what it then knows.
func watchFor(ctx context.Context, flags *pflag.FlagSet, long time.Duration, cluster string, environ, args []string, stderr io.Writer) (*explain.Client, error) {
	c, err := watchConfig(flags, cluster, environ)
	if err != nil {
		return nil, err
	}
	limit := hasten(c, long)
	for _, one := range c.Clusters {
		for _, warning := range one.Warnings() {
			fmt.Fprintf(stderr, "cluster %s: %s\n", one.Name, warning)
		}
	}
	keep := func(string) bool { return true }
	if len(args) > 0 {
		keep = func(group string) bool { return group == args[0] }
	}
	d, err := watch(ctx, c, keep, over(args), long, stderr)
	if err != nil {
		return nil, err
	}
	if !anySeen(d) {
		return nil, fmt.Errorf("Kafka could not be read: %s", d.Watchers()[0].View().Err)
	}
	if len(args) > 0 && having(d.Watchers(), args[0]) == 0 {
		// Not there. What it may be called, only a look at all groups tells.
		all, err := watch(ctx, c, func(string) bool { return true }, over(nil), 0, stderr)
		if err != nil {
			return nil, err
		}
		if anySeen(all) {
			d = all
		}
	}
	fmt.Fprintln(stderr, limits(long, limit))
	return newClient(&url.URL{Scheme: "http", Host: "lagwatch"}, inProcess{api.New(d.Watchers()...)}, ""), nil
}

// watchConfig is the config that serve would have, with an interval for a short look, and
// of several clusters the one that is named.
func watchConfig(flags *pflag.FlagSet, cluster string, environ []string) (*configs.Config, error) {
	if !flags.Changed("interval") {
		if err := flags.Set("interval", watchInterval); err != nil {
			return nil, err
		}
	}
	if flags.Changed("config") && !flags.Changed("brokers") {
		flags.Lookup("cluster").Changed = false // it names one of the file, and is no setting
	}
	c, err := configs.Load(configs.Options{Flags: flags, Environ: environ})
	if err != nil || cluster == "" || !flags.Changed("config") {
		return c, err
	}
	var names []string
	for _, one := range c.Clusters {
		names = append(names, one.Name)
	}
	i := slices.Index(names, cluster)
	if i < 0 {
		return nil, fmt.Errorf("there is no cluster %q in the config: name one of %s", cluster, strings.Join(names, ", "))
	}
	c.Clusters = c.Clusters[i : i+1]
	return c, nil
}

// watch polls the clusters of a config for a while, once at least, and tells how it goes.
// It ends before where over says that more of it can change nothing.
func watch(ctx context.Context, c *configs.Config, keep func(string) bool, over func([]*collector.Watcher) bool, long time.Duration, stderr io.Writer) (*daemon.Daemon, error) {
	// What the log would say of polls, the answer says.
	d, err := daemon.Watch(c, slog.New(slog.DiscardHandler), keep)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(running) }()
	defer func() { stop(); <-ended }()
	began, said := time.Now(), time.Now()
	if long > 0 {
		fmt.Fprintf(stderr, "reading Kafka for %v …\n", long)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !allPolled(d) || time.Since(began) < long && !over(d.Watchers()) {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
		if long > 0 && time.Since(said) >= 5*time.Second {
			said = time.Now()
			fmt.Fprintf(stderr, "%.0f s of %.0f: %s\n", time.Since(began).Seconds(), long.Seconds(), progress(d))
		}
	}
	return d, nil
}

// progress is how far the watching came: no number that is not known, and why not.
func progress(d *daemon.Daemon) string {
	polls, groups, lag, known, problem := uint64(0), 0, int64(0), true, ""
	for _, w := range d.Watchers() {
		v := w.View()
		polls += v.Counters.Polls[collector.PollComplete] + v.Counters.Polls[collector.PollPartial]
		groups += len(v.Groups)
		known = known && w.Seen()
		for i := range v.Groups {
			n, ok := v.Groups[i].Lag.Get()
			lag, known = lag+n, known && ok
		}
		if !v.Up && v.Err != "" {
			problem = "; could not be read: " + strings.Join(strings.Fields(v.Err), " ")
		}
	}
	text := fmt.Sprintf("polls: %d", polls)
	if polls > 0 {
		text += fmt.Sprintf(", groups: %d", groups)
	}
	if known {
		text += fmt.Sprintf(", lag: %d", lag)
	}
	return text + problem
}

// over tells whether more polls can change nothing: two could read nothing anywhere, or
// the group is in no cluster, or in more than one of which none was chosen.
func over(args []string) func([]*collector.Watcher) bool {
	return func(list []*collector.Watcher) bool {
		read, dead := 0, 0
		for _, w := range list {
			switch polls := w.View().Counters.Polls; {
			case polls[collector.PollComplete] > 0:
				read++
			case !w.Seen() && polls[collector.PollFailed] > 1:
				dead++
			}
		}
		if dead == len(list) || len(args) == 0 {
			return dead == len(list)
		}
		n := having(list, args[0])
		return n > 1 || n == 0 && read+dead == len(list)
	}
}

// having is how many clusters have a group, or miss it.
func having(list []*collector.Watcher, group string) (n int) {
	for _, w := range list {
		v := w.View()
		if slices.ContainsFunc(v.Groups, func(g collector.Group) bool { return g.ID == group }) ||
			slices.ContainsFunc(v.Missing, func(m collector.MissingGroup) bool { return m.ID == group }) {
			n++
		}
	}
	return n
}

func allPolled(d *daemon.Daemon) bool {
	return !slices.ContainsFunc(d.Watchers(), func(w *collector.Watcher) bool { return !w.Polled() })
}

func anySeen(d *daemon.Daemon) bool {
	return slices.ContainsFunc(d.Watchers(), (*collector.Watcher).Seen)
}

// inProcess answers requests without a network.
type inProcess struct{ http.Handler }

// RoundTrip implements [http.RoundTripper].
func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorded{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(w, r)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorded is a response that is kept.
type recorded struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (w *recorded) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *recorded) WriteHeader(status int) { w.status = status }

// Write implements [http.ResponseWriter].
func (w *recorded) Write(p []byte) (int, error) { return w.body.Write(p) }
