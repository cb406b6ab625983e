package promtest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/promtest"
)

// way is how one job of a Prometheus gets lagwatch's page.
type way struct {
	job string
	// format is asked for instead of what Prometheus asks for, and encoding
	// too. Unknown leaves both alone.
	format   promtest.Format
	encoding string
}

// relay stands between a Prometheus and lagwatch, asks for the page in its way,
// and keeps what went by.
type relay struct {
	way way
	url *url.URL

	mu    sync.Mutex
	asked string // the last Accept header of the Prometheus
	pages []page
	err   error // the first
}

func startRelay(t *testing.T, w way, page string) *relay {
	t.Helper()
	to, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{way: w}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = to
			r.ask(p.Out.Header)
		},
		ModifyResponse: r.keep,
		ErrorHandler:   r.fail,
		Transport:      &http.Transport{DisableCompression: true},
	})
	t.Cleanup(server.Close)
	if r.url, err = url.Parse(server.URL); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *relay) ask(header http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = header.Get("Accept")
	if r.way.format != promtest.FormatUnknown {
		header.Set("Accept", r.way.format.String())
		header.Set("Accept-Encoding", r.way.encoding)
	}
}

func (r *relay) keep(response *http.Response) error {
	p, err := readPage(response)
	if err == nil {
		err = r.way.check(p)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages = append(r.pages, p)
	if r.err == nil {
		r.err = err
	}
	return nil
}

func (r *relay) fail(w http.ResponseWriter, _ *http.Request, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	w.WriteHeader(http.StatusBadGateway)
}

// check is whether a page is what was asked for.
func (w way) check(p page) error {
	if w.format == promtest.FormatUnknown {
		return nil
	}
	if want := map[string]string{"identity": ""}; p.encoding != w.encoding && p.encoding != want[w.encoding] {
		return fmt.Errorf("Content-Encoding is %q, not %q", p.encoding, w.encoding)
	}
	return w.format.Check(p.contentType)
}

// counts are how many samples the pages had, in order.
func (r *relay) counts() ([]int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return nil, r.err
	}
	var counts []int
	for _, p := range r.pages {
		n, err := p.count()
		if err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// pace is the time between two scrapes, and what each may take: enough for a
// machine with other work and the race detector.
const pace = 2 * time.Second

// scrapeConfig is a prometheus.yml with a job for each host, by job.
func scrapeConfig(hosts map[string]string) string {
	text := fmt.Sprintf("global: {scrape_interval: %v, scrape_timeout: %v}\nscrape_configs:\n", pace, pace)
	for job, host := range hosts {
		text += fmt.Sprintf("  - {job_name: %s, static_configs: [{targets: ['%s']}]}\n", job, host)
	}
	return text
}
