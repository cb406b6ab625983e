// Command serve answers from views that stand still, and from a lagwatch that watches an
// embedded cluster. It prints the addresses of both, a line each, and ends when its
// standard input does. It is for tests of other modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/api/apitest"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/lab"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "serve: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	fixed := httptest.NewServer(api.New(apitest.Views()...))
	defer fixed.Close()
	cluster, err := lab.Start(lab.Options{})
	if err != nil {
		return err
	}
	defer cluster.Close()
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errors.New("the scenes were not set in a minute"))
	defer cancel()
	if _, err := lab.StartScenarios(ctx, cluster, "healthy", "hot-partition", "stopped", "uncommitted", "standalone", "kip848"); err != nil {
		return err
	}
	return watch(ctx, cluster.Addrs(), fixed.URL)
}

// watch starts lagwatch, prints the addresses once it has read the cluster some times, and
// waits for the end of the input.
func watch(ctx context.Context, brokers []string, fixed string) error {
	flags := pflag.NewFlagSet("lagwatch serve", pflag.ContinueOnError)
	configs.AddFlags(flags)
	if err := flags.Parse([]string{"--listen=127.0.0.1:0", "--interval=1s", "--brokers=" + strings.Join(brokers, ",")}); err != nil {
		return err
	}
	config, err := configs.Load(configs.Options{Flags: flags})
	if err != nil {
		return err
	}
	d, err := daemon.New(config, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(running) }()
	defer func() { stop(); <-ended }()
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		if v := d.Watchers()[0].View(); v.Counters.Polls[collector.PollPartial]+v.Counters.Polls[collector.PollComplete] >= 5 {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	fmt.Printf("%s\nhttp://%s\n", fixed, d.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
