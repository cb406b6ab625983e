//go:build paging

package paging

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/daemon"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// exporter is lagwatch, as a pod that may be replaced: each has an address of its own, and
// nothing of what the one before knew.
type exporter struct {
	config   *configs.Config
	log      await.Buffer
	discover *httptest.Server // tells Prometheus where it is

	mu      sync.Mutex
	address string

	stop  context.CancelFunc
	ended chan error
}

func newExporter(t *testing.T, c *configs.Config) *exporter {
	e := &exporter{config: c}
	e.discover = httptest.NewServer(http.HandlerFunc(e.targets))
	t.Cleanup(e.discover.Close)
	t.Cleanup(func() {
		if e.stop != nil {
			e.end(t)
		}
	})
	return e
}

func (e *exporter) targets(w http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode([]map[string][]string{{"targets": {e.address}}})
}

func (e *exporter) start(t *testing.T) {
	t.Helper()
	d, err := daemon.New(e.config, slog.New(slog.NewTextHandler(&e.log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	e.stop, e.ended = stop, make(chan error, 1)
	go func() { e.ended <- d.Run(ctx) }()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.address = d.Addr().String()
}

// end ends lagwatch. It is still known under its address until another starts.
func (e *exporter) end(t *testing.T) {
	t.Helper()
	e.stop()
	e.stop = nil
	if err := <-e.ended; err != nil {
		t.Errorf("lagwatch ended with %v", err)
	}
}

// settings are those of lagwatch with default families, for two clusters.
func settings(t *testing.T, near, far *lab.Cluster, scenes []lab.Scenario) *configs.Config {
	t.Helper()
	flags := pflag.NewFlagSet("paging", pflag.ContinueOnError)
	configs.AddFlags(flags)
	for name, value := range map[string]string{
		"brokers": strings.Join(near.Addrs(), ","), "cluster": "near", "listen": "127.0.0.1:0", "interval": "1s",
	} {
		if err := flags.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	c, err := configs.Load(configs.Options{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	c.Conditions = []configs.Conditions{{Groups: ".*", Thresholds: sooner()}}
	c.Objectives = objectives()
	one := &c.Clusters[0]
	one.StartOffsetInterval = fast(one.StartOffsetInterval)
	two := *one
	two.Name, two.Brokers = "far", far.Addrs()
	one.ExpectedGroups = []string{vanishing}
	for _, s := range scenes {
		if s.ReadCommitted {
			one.Isolation = append(one.Isolation, configs.Isolation{Groups: regexp.QuoteMeta(s.Group), Level: "read_committed"})
		}
	}
	c.Clusters = append(c.Clusters, two)
	return c
}

// objectives are of the groups that are not to have the default, 5 minutes: those whose
// trouble is another than that they are late, and jobs.
func objectives() []configs.Objective {
	hours := func(groups, team string) configs.Objective {
		return configs.Objective{Groups: groups, Age: fast(4 * time.Hour), Target: 0.99, Mode: "continuous", Team: team}
	}
	return []configs.Objective{
		hours(atRisk+"|"+losing, "payments"),
		hours(atLimit+"|click-attribution|return-labels|audit-tail", "search"),
		hours(halfOwned, ""),
		{Groups: batch, Age: fast(90 * time.Minute), Target: 0.99, Mode: "batch"},
		{Groups: ".*", Age: fast(5 * time.Minute), Target: 0.99, Mode: "continuous"},
	}
}
