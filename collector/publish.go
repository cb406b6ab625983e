package collector

import (
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/prometheus/client_golang/prometheus/promhttp/zstd" // makes promhttp offer it

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/buildinfo"
)

// Publisher shows the views of some watchers. A scrape reads the views that are
// there: it asks Kafka nothing and waits for no poll. Safe for concurrent use.
type Publisher struct {
	build    buildinfo.Info
	now      func() time.Time
	watchers []*Watcher

	mu   sync.Mutex
	of   []shownView
	page *page.Page
}

// shownView is a view, and whether it is too old to be shown as it is.
type shownView struct {
	*View
	old bool
}

// NewPublisher returns a publisher over watchers with different cluster names.
func NewPublisher(build buildinfo.Info, watchers ...*Watcher) *Publisher {
	return &Publisher{build: build, now: time.Now, watchers: watchers}
}

// views are those of all watchers now.
func (p *Publisher) views() (shown []shownView, now time.Time) {
	now = p.now()
	for _, w := range p.watchers {
		v := w.View()
		shown = append(shown, shownView{v, v.old(now, w.rules)})
	}
	return shown, now
}

// moment is what is known now.
func (p *Publisher) moment() *moment {
	shown, now := p.views()
	return p.momentOf(shown, now)
}

func (p *Publisher) momentOf(shown []shownView, now time.Time) *moment {
	at := &moment{build: p.build}
	for i, w := range p.watchers {
		at.views = append(at.views, shown[i].at(now, w.rules))
	}
	return at
}

// Page returns the page of this moment: the same as before, unless a poll has
// ended since, or a view has become too old. It has one more user, which calls
// Done.
func (p *Publisher) Page() *page.Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown, now := p.views() // in turn, or a late one would bring an older page back
	if p.page == nil || !slices.Equal(shown, p.of) {
		at, before := p.momentOf(shown, now), p.page
		p.of, p.page = shown, page.New(before, at.write)
		if before != nil {
			before.Done()
		}
	}
	p.page.Use()
	return p.page
}

// write writes every sample of the moment.
func (at *moment) write(t *page.Text) {
	for _, m := range rows {
		t.Family(m.Name, m.Kind.String(), m.Help)
		m.emit(at, t)
	}
}

// Handler serves all metrics, of lagwatch and of the process, from pages that
// scrapers share: the text format is written, others come from a registry, which
// shows a moment no earlier than the page's.
func (p *Publisher) Handler(log *slog.Logger) http.Handler {
	own, all := prometheus.NewRegistry(), prometheus.NewRegistry()
	for _, r := range []*prometheus.Registry{own, all} {
		r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	all.MustRegister(&Collector{p})
	return &page.Handler{
		Latest: p.Page,
		Own:    own,
		Others: promhttp.HandlerFor(all, promhttp.HandlerOpts{
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError),
			// What can be shown is shown.
			ErrorHandling:     promhttp.ContinueOnError,
			EnableOpenMetrics: true,
		}),
		Log: log,
	}
}
