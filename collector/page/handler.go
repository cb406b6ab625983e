package page

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// Handler serves the latest page, to GET and HEAD. Each encoding of each format
// is made once for a page and shared. One who does not read in time is cut off,
// and so are readers of old pages when those take more memory than twice the
// newest and 32 MiB. Its zero values of what is not exported are ready to use.
type Handler struct {
	// Latest returns it with one more user. Called for each scrape.
	Latest func() *Page
	// Own has what describes the process itself, gathered at each scrape of text.
	Own prometheus.Gatherer
	// Others makes the formats that are not text, of the page and of what
	// describes the process: called once for each of them and each encoding,
	// when somebody first asks a page for it. It negotiates as promhttp does.
	Others http.Handler
	Log    *slog.Logger

	turn turn
}

const contentType = "text/plain; version=0.0.4; charset=utf-8"

// ServeHTTP sends the page of this moment and the process's own metrics. It
// waits for no poll, and for no other scrape but those that are making the same
// bytes, or a page in a format that is not text.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		// Or net/http reads all of the body before it answers, and a scraper
		// that never sends it keeps its page.
		w.Header().Set("Connection", "close")
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "metrics are read with GET", http.StatusMethodNotAllowed)
		return
	}
	control := http.NewResponseController(w)
	// Not every writer has deadlines; what then matters is that it ends.
	_ = control.SetWriteDeadline(time.Now().Add(patience(r)))
	if !h.answer(w, r, control) {
		return // the scraper is gone, or too slow; it knows
	}
	if control.Flush() == nil {
		_ = control.SetWriteDeadline(time.Time{})
	}
}

// answer tells whether all could be written. The page is free afterwards.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, control *http.ResponseController) bool {
	ctx, cancel := context.WithTimeout(r.Context(), patience(r))
	defer cancel()
	p := h.Latest()
	defer p.Done()
	defer p.read(func() {
		cancel()
		_ = control.SetWriteDeadline(time.Unix(1, 0)) // long over
	})()
	e := wantedEncoding(r.Header)
	var shared part
	var end []byte
	if f := wantedFormat(r.Header); f == nil {
		shared = e.page(p)
		end = e.end(shared, h.own())
	} else {
		var err error
		if shared, err = h.other(ctx, p, f, e); err != nil {
			panic(http.ErrAbortHandler) // an empty answer would pass for a page
		}
	}
	describe(w.Header(), e, shared, len(end))
	if r.Method == http.MethodHead {
		return true
	}
	if _, err := w.Write(shared.bytes); err != nil {
		return false
	}
	_, err := w.Write(end)
	return err == nil
}

func describe(header http.Header, e *encoding, shared part, more int) {
	header.Set("Content-Type", cmp.Or(shared.kind, contentType))
	header.Set("Content-Length", strconv.Itoa(len(shared.bytes)+more))
	header.Set("Vary", "Accept, Accept-Encoding")
	if e.name != "" {
		header.Set("Content-Encoding", e.name)
	}
}

// A scrape may take as long as the scraper waits, which Prometheus says, and
// not much longer, because each keeps a page in memory. Less than a second would
// be over before a large page is made.
const (
	leastPatience = time.Second
	usualPatience = 30 * time.Second
	mostPatience  = time.Minute
)

func patience(r *http.Request) time.Duration {
	seconds, err := strconv.ParseFloat(r.Header.Get("X-Prometheus-Scrape-Timeout-Seconds"), 64)
	if err != nil || !(seconds > 0) {
		return usualPatience
	}
	seconds = min(max(seconds, leastPatience.Seconds()), mostPatience.Seconds())
	return time.Duration(seconds * float64(time.Second))
}

// own is what describes the process, as text. What can be shown is shown.
func (h *Handler) own() []byte {
	families, err := h.Own.Gather()
	if err != nil {
		h.Log.Error("gathering the process's own metrics", "error", err)
	}
	var out bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&out, f); err != nil {
			h.Log.Error("writing the process's own metrics", "error", err)
		}
	}
	return out.Bytes()
}
