package daemon

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/api/document"
	"github.com/lagwatch/lagwatch/internal/buildinfo"
)

// handler serves the metrics, the JSON API, the two probes, the landing page, and pprof
// where it was asked for.
func (d *Daemon) handler() (http.Handler, error) {
	build := buildinfo.Read()
	landing, err := web.NewLandingPage(web.LandingConfig{
		Name:        "lagwatch",
		Description: "Kafka consumer lag, and why",
		Version:     build.Version,
		Profiling:   fmt.Sprint(d.config.Pprof),
		Links: []web.LandingLinks{
			{Address: "/metrics", Text: "Metrics"},
			{Address: document.Root + "groups?sort=condition", Text: "Groups", Description: "the JSON API"},
			{Address: document.Root + "clusters", Text: "Clusters", Description: "the JSON API"},
			{Address: document.Root + "openapi.yaml", Text: "OpenAPI", Description: "what the JSON API has"},
			{Address: "/-/healthy", Text: "Healthy", Description: "the process runs"},
			{Address: "/-/ready", Text: "Ready", Description: "every cluster has been tried, and one could be read"},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("making the landing page: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", collector.NewPublisher(build, d.watchers...).Handler(d.log))
	documents := api.New(d.watchers...)
	mux.Handle("/api", documents) // or it would be told to go to the next, in HTML
	mux.Handle("/api/", documents)
	mux.HandleFunc("/-/healthy", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "healthy") })
	mux.HandleFunc("/-/ready", d.ready)
	mux.Handle("/", landing)
	if d.config.Pprof {
		addPprof(mux)
	}
	return mux, nil
}

// ready answers 200 once every cluster has been tried and one could be read:
// a cluster that is away must not take the others off the air. From then on it
// stays ready, since an outage of Kafka is something to show.
func (d *Daemon) ready(w http.ResponseWriter, _ *http.Request) {
	seen := false
	var waiting []string
	for _, watcher := range d.watchers {
		seen = seen || watcher.Seen()
		if !watcher.Seen() {
			waiting = append(waiting, waitingFor(watcher))
		}
		if !watcher.Polled() {
			seen = false
			break
		}
	}
	if !seen {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "not ready: %s\n", strings.Join(waiting, "; "))
		return
	}
	fmt.Fprintln(w, "ready")
}

func waitingFor(w *collector.Watcher) string {
	v := w.View()
	if v.Err == "" {
		return fmt.Sprintf("cluster %q: the first poll is under way", v.Cluster)
	}
	return fmt.Sprintf("cluster %q: %s", v.Cluster, v.Err)
}

func addPprof(mux *http.ServeMux) {
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
}
