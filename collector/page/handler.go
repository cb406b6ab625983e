package page

import (
	"bytes"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// Handler serves the latest page.
type Handler struct {
	// Latest returns it with one more user. Called for each scrape.
	Latest func() *Page
	// Own has what describes the process itself, gathered at each scrape.
	Own prometheus.Gatherer
	// Others serves the formats that are not text.
	Others http.Handler
	Log    *slog.Logger
}

const contentType = "text/plain; version=0.0.4; charset=utf-8"

// ServeHTTP sends the page of this moment and the process's own metrics. It
// waits for no poll and for no other scrape but one that is making the same
// bytes. One who does not read in time is cut off.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	// Not every writer has deadlines; what then matters is that it ends.
	_ = control.SetWriteDeadline(time.Now().Add(patience(r)))
	if !wantsText(r.Header.Get("Accept")) {
		h.Others.ServeHTTP(w, r)
	} else if !h.sendText(w, r) {
		return // the scraper is gone, or too slow; it knows
	}
	if control.Flush() == nil {
		_ = control.SetWriteDeadline(time.Time{})
	}
}

// sendText tells whether all could be written.
func (h *Handler) sendText(w http.ResponseWriter, r *http.Request) bool {
	e := wantedEncoding(r.Header.Get("Accept-Encoding"))
	latest := h.Latest()
	defer latest.Done()
	p := e.page(latest)
	end := e.end(p, h.own())
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(p.bytes)+len(end)))
	header.Set("Vary", "Accept, Accept-Encoding")
	if e.name != "" {
		header.Set("Content-Encoding", e.name)
	}
	if _, err := w.Write(p.bytes); err != nil {
		return false
	}
	_, err := w.Write(end)
	return err == nil
}

// A scrape may take as long as the scraper waits, which Prometheus says, and
// not much longer, because each keeps a page in memory.
const (
	usualPatience = 30 * time.Second
	mostPatience  = time.Minute
)

func patience(r *http.Request) time.Duration {
	seconds, err := strconv.ParseFloat(r.Header.Get("X-Prometheus-Scrape-Timeout-Seconds"), 64)
	if err != nil || !(seconds > 0) {
		return usualPatience
	}
	return time.Duration(min(seconds, mostPatience.Seconds()) * float64(time.Second))
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
