// Package daemon puts the parts together: a Kafka client and a watcher for
// each cluster of a config, and the HTTP server that shows what they know.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/sync/errgroup"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/configs"
)

// grace is how long requests that are being answered may take when the process
// stops; afterwards their connections are closed.
const grace = 3 * time.Second

// Daemon watches the clusters of one config. Its port, if it has one, is open from New
// on, so that a port in use is an error before anything else happens.
type Daemon struct {
	config   *configs.Config
	log      *slog.Logger
	listener net.Listener
	clients  []*kafka.Client
	watchers []*collector.Watcher
	server   *http.Server
}

// New opens the port and prepares everything; Run starts it. After an error
// nothing is left open.
func New(c *configs.Config, log *slog.Logger) (*Daemon, error) {
	d := &Daemon{config: c, log: log}
	if err := web.Validate(c.WebConfigFile); err != nil {
		return nil, fmt.Errorf("web config file %q: %w; name a web config file of the Prometheus exporter-toolkit, or none", c.WebConfigFile, err)
	}
	if err := d.addAll(func(c *configs.Cluster) func(string) bool { return c.KeepGroup }); err != nil {
		return nil, err
	}
	handler, err := d.handler()
	if err != nil {
		return nil, err
	}
	d.server = newServer(handler, usual, log)
	if d.listener, err = net.Listen("tcp", c.Listen); err != nil {
		return nil, fmt.Errorf("%w; give another address with --listen (127.0.0.1:0 picks a free port)", err)
	}
	return d, nil
}

// Watch prepares a daemon that serves nothing: it only watches, of the groups that the
// config keeps, those that keep does.
func Watch(c *configs.Config, log *slog.Logger, keep func(group string) bool) (*Daemon, error) {
	d := &Daemon{config: c, log: log}
	err := d.addAll(func(c *configs.Cluster) func(string) bool {
		return func(group string) bool { return keep(group) && c.KeepGroup(group) }
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// addAll adds all clusters of the config; keep tells which groups of one are watched.
func (d *Daemon) addAll(keep func(*configs.Cluster) func(group string) bool) error {
	for _, cluster := range d.config.Clusters {
		if err := d.add(cluster, keep(&cluster)); err != nil {
			return fmt.Errorf("cluster %q: %w", cluster.Name, err)
		}
	}
	return nil
}

func (d *Daemon) add(c configs.Cluster, keepGroup func(group string) bool) error {
	if key, pattern, ok := c.Unmatched(families()); ok {
		return fmt.Errorf("%s: no metric family that can be chosen here is named %q; docs/metrics.md lists them (in by_group only those of groups can be chosen)", key, pattern)
	}
	security, err := d.security(&c)
	if err != nil {
		return err
	}
	client, err := kafka.New(kafka.Options{
		Brokers:                 c.Brokers,
		Interval:                c.Interval,
		RequestTimeout:          c.RequestTimeout,
		StartOffsetInterval:     c.StartOffsetInterval,
		StaleAfter:              c.StaleAfter,
		MaxGroupsPerRequest:     c.MaxGroupsPerRequest,
		MaxPartitionsPerRequest: c.MaxPartitionsPerRequest,
		ClientID:                c.ClientID,
		TLS:                     security.tls,
		SASL:                    security.sasl,
		KeepGroup:               keepGroup,
		KeepTopic:               c.KeepTopic,
		ReadCommitted:           c.ReadCommitted,
		Configs:                 true,
	})
	if err != nil {
		return err
	}
	d.clients = append(d.clients, client)
	d.watchers = append(d.watchers, collector.New(client, collector.Options{
		Cluster:    c.Name,
		Interval:   c.Interval,
		StaleAfter: c.StaleAfter,
		History:    c.History,
		Seed:       c.Seeds(),
		Objective:  func(group string) collector.Objective { return objective(d.config, group) },
		Thresholds: thresholds(d.config),
		Expected:   c.ExpectedGroups,
		Publish:    c.Publishes,
		Detail:     func(group string) collector.Detail { return detail(c.DetailFor(group)) },
		MaxSeries:  c.Metrics.MaxSeries,
		Secured:    security.tls != nil || security.sasl != nil,
		Several:    len(d.config.Clusters) > 1,
		Log:        d.log,
	}))
	return nil
}

// objective is that of a group in the config.
func objective(c *configs.Config, group string) collector.Objective {
	o, _ := c.ObjectiveFor(group)
	return collector.Objective{Age: o.Age, Target: o.Target, Batch: o.Batch(), Team: o.Team}
}

// families are the names, without their prefix, of the metrics that the config
// of a cluster can leave out, and of those the ones that are of a group.
func families() (all, ofGroups []string) {
	for _, m := range collector.Metrics() {
		if !m.OfChoice() {
			continue
		}
		name := strings.TrimPrefix(m.Name, collector.Prefix)
		all = append(all, name)
		if m.Detail > 0 {
			ofGroups = append(ofGroups, name)
		}
	}
	return all, ofGroups
}

// detail is that of a word of the config, which has been checked.
func detail(word string) collector.Detail {
	d, _ := collector.ParseDetail(word)
	return d
}

// Addr is the address on which a daemon of [New] listens.
func (d *Daemon) Addr() net.Addr { return d.listener.Addr() }

// Watchers are those of the clusters, in the order of the config.
func (d *Daemon) Watchers() []*collector.Watcher { return d.watchers }

// Run watches and serves until ctx ends, and then stops within five seconds.
// It returns nil after a stop that was asked for.
func (d *Daemon) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, w := range d.watchers {
		group.Go(func() error { return w.Run(ctx) })
	}
	if d.server != nil {
		group.Go(d.serve)
		group.Go(func() error {
			<-ctx.Done()
			return d.stop()
		})
	}
	err := group.Wait()
	for _, c := range d.clients {
		c.Close()
	}
	return err
}

func (d *Daemon) serve() error {
	addresses, systemd := []string{d.config.Listen}, false
	flags := &web.FlagConfig{
		WebListenAddresses: &addresses, WebSystemdSocket: &systemd, WebConfigFile: &d.config.WebConfigFile,
	}
	err := web.Serve(d.listener, d.server, flags, slog.New(webLog{d.log.Handler()}))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serving HTTP: %w", err)
}

// webLog says of what the server's own lines are, where that could be Kafka.
type webLog struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h webLog) Handle(ctx context.Context, r slog.Record) error {
	if text, ok := strings.CutPrefix(r.Message, "TLS is "); ok {
		r.Message = "TLS for scrapers is " + text
	}
	return h.Handler.Handle(ctx, r)
}

func (d *Daemon) stop() error {
	d.log.Info("stopping")
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if d.server.Shutdown(ctx) != nil {
		d.server.Close()
	}
	return nil
}
