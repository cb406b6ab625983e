package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/lagwatch/lagwatch/internal/command"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/lab"
	"github.com/lagwatch/lagwatch/internal/words"
)

// demoListen is where the demo's metrics are, unless something else is there.
const demoListen = "127.0.0.1:9742"

type demoOptions struct {
	listen    string
	scenarios []string
	interval  time.Duration
	duration  time.Duration
	plain     bool
}

// check finds what the flags alone show to be wrong, and leaves out scenarios
// that are named twice.
func (o *demoOptions) check() error {
	for i, name := range o.scenarios {
		name = strings.TrimSpace(name)
		o.scenarios[i] = name
		if _, ok := lab.Find(name); !ok {
			return fmt.Errorf("no scenario %q; there are %s", name, strings.Join(scenarioNames(), ", "))
		}
	}
	slices.Sort(o.scenarios)
	o.scenarios = slices.Compact(o.scenarios)
	if o.duration < 0 {
		return fmt.Errorf("--duration %s is below zero; leave it out to end with Ctrl-C", o.duration)
	}
	return nil
}

// scenes are those that are played: all where none is named.
func (o demoOptions) scenes() []lab.Scenario {
	if len(o.scenarios) == 0 {
		return lab.Scenarios()
	}
	var out []lab.Scenario
	for _, name := range o.scenarios {
		s, _ := lab.Find(name)
		out = append(out, s)
	}
	return out
}

func newDemo() *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch an embedded cluster with live producers and consumers",
		Long: `demo starts a cluster inside this process, with producers, and consumer groups
that are each in another kind of trouble, and shows what lagwatch sees of them
and why each lags: here, and as metrics, of which it publishes all families. It
prints where its brokers are, for other tools. It needs no Kafka, writes nothing
to disk, and ends with Ctrl-C.

While it runs, lagwatch explain GROUP answers for it from another terminal, with
what proves why the group lags and what to do (where the demo listens elsewhere
than on ` + demoListen + `, add --url http://HOST:PORT).

What takes minutes by default is said sooner here: a group is behind from a lag
age of 10 s on (30 s), a transaction hangs after 20 s (5 min), and so on.

Scenarios:
` + scenarioHelp(),
		Example: `  lagwatch-lab demo
  lagwatch-lab demo --scenario hot-partition,stopped
  lagwatch explain click-attribution
  lagwatch-lab demo --duration 15s --plain`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if err := demo(cmd.Context(), o, cmd.OutOrStdout()); err != nil {
				return command.Failed(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "", "serve metrics on this `host:port` (default "+demoListen+", or a free port if that is taken)")
	f.StringSliceVar(&o.scenarios, "scenario", nil, "play these `scenarios` only, separated by commas")
	f.DurationVar(&o.interval, "interval", time.Second, "poll every `duration`")
	f.DurationVar(&o.duration, "duration", 0, "end after this `duration` (default: with Ctrl-C)")
	f.BoolVar(&o.plain, "plain", false, "print the screen again every five seconds instead of redrawing it, as is done where the output is no terminal")
	return cmd
}

func scenarioNames() []string {
	var names []string
	for _, s := range lab.Scenarios() {
		names = append(names, s.Name)
	}
	return names
}

func scenarioHelp() string {
	var b strings.Builder
	for _, s := range lab.Scenarios() {
		const column = 21
		head := fmt.Sprintf("  %-*s", column-2, s.Name)
		indent := "\n" + strings.Repeat(" ", column)
		b.WriteString(head + strings.Join(words.Wrap(s.Summary, "", 80-column), indent) + "\n")
	}
	return b.String()
}

// demo runs the embedded cluster, the scenarios, lagwatch and the screen until
// ctx ends or the time is over. A screen that nobody gets ends it with an error.
func demo(ctx context.Context, o demoOptions, to io.Writer) error {
	ctx, out, end := outputOf(ctx, to)
	defer end()
	return errors.Join(play(ctx, o, out), out.failed())
}

func play(ctx context.Context, o demoOptions, out *output) error {
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	fmt.Fprintln(out, "starting an embedded cluster with producers and consumers …")
	cluster, err := lab.Start(lab.Options{})
	if err != nil {
		return fmt.Errorf("starting the embedded cluster: %w", err)
	}
	defer cluster.Close() // and what plays there
	if _, err := lab.StartScenarios(ctx, cluster, o.scenarios...); err != nil {
		return ignoreStop(ctx, err)
	}
	// Watching begins when the backlogs are there. If lagwatch saw them arrive, it
	// would take their timestamps, which tell of minutes ago, for lies.
	d, err := newDaemon(o, cluster.Addrs())
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.Run(ctx) })
	group.Go(func() error {
		show(ctx, newDisplay(out, o.plain), d, cluster.Addrs(), o.scenes())
		return nil
	})
	return group.Wait()
}

// ignoreStop leaves out the error of something that was asked to stop.
func ignoreStop(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func newDaemon(o demoOptions, brokers []string) (*daemon.Daemon, error) {
	listen := o.listen
	if listen == "" {
		listen = demoListen
	}
	d, err := daemonOn(listen, o, brokers)
	if o.listen == "" && errors.Is(err, syscall.EADDRINUSE) {
		return daemonOn("127.0.0.1:0", o, brokers)
	}
	return d, err
}

// daemonOn makes the daemon. Its log is silent: the screen shows what it would say.
func daemonOn(listen string, o demoOptions, brokers []string) (*daemon.Daemon, error) {
	c, err := settings(listen, o.interval, brokers, o.scenes())
	if err != nil {
		return nil, err
	}
	return daemon.New(c, slog.New(slog.DiscardHandler))
}

// metricsURL is what a person opens.
func metricsURL(a net.Addr) string { return "http://" + a.String() + "/metrics" }
