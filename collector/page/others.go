package page

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// format is one that is not text, and how to ask [Handler.Others] for just it.
type format struct {
	at     int // in [Page.others]
	accept string
}

var (
	openMetrics1 = &format{0, "application/openmetrics-text;version=1.0.0"}
	openMetrics0 = &format{1, "application/openmetrics-text;version=0.0.1"}
	protobuf     = &format{2, "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"}
)

// How many of each there are.
const (
	nFormats   = 3
	nEncodings = 3
)

// other is a page in a format that is not text, made once. Making it takes many
// times the memory of the page, so that only one is made at a time. It returns
// an error if ctx ends before its turn.
func (h *Handler) other(ctx context.Context, p *Page, f *format, e *encoding) (part, error) {
	l := &p.others[f.at][e.at]
	if !l.made.Load() {
		if err := h.turn.begin(ctx); err != nil {
			return part{}, err
		}
		defer h.turn.end()
	}
	return p.get(l, func() part { return h.render(l, f, e) }), nil
}

// render asks for one format in one encoding, whatever a scraper sent.
func (h *Handler) render(l *lazy, f *format, e *encoding) part {
	r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}, Header: http.Header{
		"Accept": {f.accept}, "Accept-Encoding": {e.asked()},
	}}
	w := &memory{header: http.Header{}, body: bytes.NewBuffer(l.room()), status: http.StatusOK}
	h.Others.ServeHTTP(w, r)
	got := w.header.Get("Content-Encoding")
	if w.status != http.StatusOK || got != e.name {
		check(fmt.Errorf("%s as %s: status %d, encoding %q", f.accept, e.asked(), w.status, got))
	}
	return part{bytes: w.body.Bytes(), kind: w.header.Get("Content-Type")}
}

// memory is a [http.ResponseWriter] that keeps what is written.
type memory struct {
	header http.Header
	body   *bytes.Buffer
	status int
}

func (m *memory) Header() http.Header         { return m.header }
func (m *memory) Write(b []byte) (int, error) { return m.body.Write(b) }
func (m *memory) WriteHeader(status int)      { m.status = status }
