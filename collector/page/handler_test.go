package page

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/prometheus/client_golang/prometheus/promhttp/zstd" // makes promhttp offer it
	dto "github.com/prometheus/client_model/go"

	"github.com/lagwatch/lagwatch/internal/await"
)

// handlerOf serves one page, with one metric of the process.
func handlerOf(p *Page) *Handler {
	own := prometheus.NewRegistry()
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "own_total", Help: "Scrapes."})
	own.MustRegister(c)
	return &Handler{
		Latest: func() *Page { c.Inc(); p.Use(); return p },
		Own:    own,
		Others: promhttp.HandlerFor(own, promhttp.HandlerOpts{EnableOpenMetrics: true}),
		Log:    slog.New(slog.DiscardHandler),
	}
}

func get(t *testing.T, h http.Handler, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(decode(t, r.Header.Get("Content-Encoding"), b))
}

func TestHandler(t *testing.T) {
	h := handlerOf(numbers(100, new(int)))
	text := string(numbers(100, new(int)).text().bytes)
	for i, e := range encodings {
		name := e.name
		if name == "" {
			name = "identity"
		}
		r := get(t, h, "Accept-Encoding", name)
		if got := r.Header.Get("Content-Type"); got != contentType {
			t.Errorf("%s: type %q", name, got)
		}
		if got := r.Header.Get("Content-Encoding"); got != e.name {
			t.Errorf("%s: encoding %q", name, got)
		}
		// The process is told anew at each scrape, the page is the same.
		want := text + fmt.Sprintf("# HELP own_total Scrapes.\n# TYPE own_total counter\nown_total %d\n", i+1)
		if got := body(t, r); got != want {
			t.Errorf("%s: %d bytes, want %d, ending in %q", name, len(got), len(want), got[max(0, len(got)-80):])
		}
	}
}

// half is a gatherer that fails after it has found something.
type half struct{ prometheus.Gatherer }

func (h half) Gather() ([]*dto.MetricFamily, error) {
	f, _ := h.Gatherer.Gather()
	return f, errors.New("no /proc")
}

// What cannot be told of the process hides nothing else.
func TestOwnFails(t *testing.T) {
	h := handlerOf(numbers(1, new(int)))
	var log bytes.Buffer
	h.Own, h.Log = half{h.Own}, slog.New(slog.NewTextHandler(&log, nil))
	got := body(t, get(t, h))
	if !strings.Contains(got, "some{") || !strings.Contains(got, "own_total 1") {
		t.Errorf("page:\n%s", got)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "no /proc") {
		t.Errorf("log:\n%s", log.String())
	}
}

// A page that fails half-way must not pass for a whole one.
func TestContentLength(t *testing.T) {
	s := httptest.NewServer(handlerOf(numbers(100_000, new(int))))
	defer s.Close()
	r, err := http.Head(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	whole, err := http.Get(s.URL) // the client asks for gzip and takes it off
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Body.Close()
	n, err := io.Copy(io.Discard, whole.Body)
	if err != nil || n < 1_000_000 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if r.ContentLength <= 0 {
		t.Errorf("HEAD tells %d bytes", r.ContentLength)
	}
}

// A client that promises a body and never sends it used to keep its page for
// ever: net/http reads the body before it answers.
func TestBodyThatNeverComes(t *testing.T) {
	p := numbers(1000, new(int)) // more than net/http collects before it writes
	s := httptest.NewServer(handlerOf(p))
	t.Cleanup(s.Close) // once the client is gone
	conn := starts(t, s, "Content-Length: 10\r\n")
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	rest := bufio.NewReader(io.MultiReader(strings.NewReader("H"), conn))
	r, err := http.ReadResponse(rest, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength || !r.Close {
		t.Errorf("%d of %d bytes, %v, closed afterwards: %v", n, r.ContentLength, err, r.Close)
	}
	await.Until(t, 10*time.Second, "the page to be free", func() bool { return p.users.Load() == 1 })
}

// Only reading is allowed, and nothing else makes or keeps a page.
func TestMethods(t *testing.T) {
	for method, want := range map[string]int{
		http.MethodGet: 200, http.MethodHead: 200, http.MethodPost: 405, http.MethodPut: 405,
		http.MethodDelete: 405, http.MethodOptions: 405, "PROPFIND": 405,
	} {
		written := 0
		p := numbers(1, &written)
		w := httptest.NewRecorder()
		handlerOf(p).ServeHTTP(w, httptest.NewRequest(method, "/metrics", nil))
		if w.Code != want || (written > 0) != (want == 200) || p.users.Load() != 1 {
			t.Errorf("%s: status %d, page made %d times, %d users", method, w.Code, written, p.users.Load())
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (want == 405) {
			t.Errorf("%s: allowed is %q", method, allow)
		}
		if method == http.MethodHead && (w.Body.Len() > 0 || w.Header().Get("Content-Length") == "") {
			t.Errorf("HEAD: %d bytes, header %v", w.Body.Len(), w.Header())
		}
	}
}

func TestPatience(t *testing.T) {
	for header, want := range map[string]string{
		"": "30s", "10": "10s", "0.25": "1s", "1": "1s", "1e-9": "1s", "3600": "1m0s", "0": "30s", "-1": "30s", "x": "30s", "NaN": "30s", "+Inf": "1m0s",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", header)
		if got := patience(r).String(); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}

// writes counts what a response takes, and fails from some write on.
type writes struct {
	*httptest.ResponseRecorder
	n, failFrom int32
}

func (w *writes) Write(b []byte) (int, error) {
	if atomic.AddInt32(&w.n, 1) >= w.failFrom {
		return 0, errFull
	}
	return w.ResponseRecorder.Write(b)
}

// A scraper that has gone away is a matter of course: nothing is logged, and
// nothing is written after that.
func TestScraperGone(t *testing.T) {
	for from := int32(1); from <= 2; from++ {
		h := handlerOf(numbers(10, new(int)))
		var log bytes.Buffer
		h.Log = slog.New(slog.NewTextHandler(&log, nil))
		w := &writes{httptest.NewRecorder(), 0, from}
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if w.n != from || log.Len() > 0 {
			t.Errorf("%d writes, log %q", w.n, log.String())
		}
	}
}
