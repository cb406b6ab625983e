// Package settled is an embedded cluster that stands still, and a lagwatch that
// has read it: its pages stay the same but for what they say of the process.
// Groups, topics and clients have the names that formats get wrong.
package settled

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// startTimeout bounds how long members may take to settle, and lagwatch to read
// what they have settled on.
const startTimeout = 30 * time.Second

// Scene is the cluster and the lagwatch.
type Scene struct {
	// URL is that of the page: http://127.0.0.1:PORT/metrics.
	URL string

	cluster *lab.Cluster
	stop    context.CancelFunc
	ended   chan error
}

// Start returns once a page shows all that there is. The caller closes the
// scene. Lagwatch logs to log.
func Start(ctx context.Context, log *slog.Logger) (*Scene, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the cluster has not settled in %v", startTimeout))
	defer cancel()
	topics := make(map[string]int32)
	for _, name := range Topics() {
		topics[name.Kafka] = partitions
	}
	cluster, err := lab.Start(lab.Options{Topics: topics})
	if err != nil {
		return nil, err
	}
	s := &Scene{cluster: cluster, stop: func() {}}
	err = fill(ctx, cluster)
	if err == nil {
		err = s.watch(ctx, log)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// watch starts lagwatch, with an interval in which no test will see a second
// poll, and waits for the first.
func (s *Scene) watch(ctx context.Context, log *slog.Logger) error {
	flags := pflag.NewFlagSet("lagwatch serve", pflag.ContinueOnError)
	configs.AddFlags(flags)
	err := flags.Parse([]string{"--listen=127.0.0.1:0", "--interval=1h", "--brokers=" + strings.Join(s.cluster.Addrs(), ",")})
	if err != nil {
		return err
	}
	config, err := configs.Load(configs.Options{Flags: flags})
	if err != nil {
		return err
	}
	d, err := daemon.New(config, log)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.Background())
	s.stop, s.ended = stop, make(chan error, 1)
	go func() { s.ended <- d.Run(running) }()
	base := "http://" + d.Addr().String()
	s.URL = base + "/metrics"
	return waitReady(ctx, base+"/-/ready")
}

func waitReady(ctx context.Context, url string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if r, err := http.DefaultClient.Do(request); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// Close ends lagwatch and the cluster. The error is lagwatch's.
func (s *Scene) Close() error {
	s.stop()
	var err error
	if s.ended != nil {
		err = <-s.ended
	}
	s.cluster.Close()
	return err
}
