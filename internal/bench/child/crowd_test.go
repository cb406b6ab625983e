package child

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lagwatch/lagwatch/collector/page"
)

// Copies are counted one by one, whatever working space each takes; memory that
// was given back again counts as well.
func TestCrowd(t *testing.T) {
	for _, tt := range []struct {
		encoding string
		pages    int
	}{
		{"identity", 0}, {"identity", 1}, {"identity", 3}, {"gzip", 0}, {"gzip", 1}, {"gzip", 3},
	} {
		t.Run(fmt.Sprint(tt.encoding, " ", tt.pages), func(t *testing.T) {
			size := scrapeNew(tt.encoding)
			c, err := BeginCrowd(size)
			if err != nil {
				t.Fatal(err)
			}
			for range tt.pages {
				scrapeNew(tt.encoding)
			}
			got, err := c.End()
			if err != nil {
				t.Fatal(err)
			}
			if got.Copies != tt.pages {
				t.Errorf("%d copies of %d pages of %d bytes", got.Copies, tt.pages, size)
			}
			if tt.pages > 0 && got.Growth < uint64(size) {
				t.Errorf("grown by %d bytes, with %d pages of %d", got.Growth, tt.pages, size)
			}
		})
	}
}

// scrapeNew scrapes a page that nobody has scraped yet twice, and returns its size.
func scrapeNew(encoding string) int {
	of := page.NewLabels("group", "orders")
	p := page.New(6<<20, func(t *page.Text) {
		t.Family("lag", "gauge", "Lag.")
		for i := range 100_000 {
			t.Sample(of, int32(i), nil, float64(i*i))
		}
	})
	h := &page.Handler{Latest: func() *page.Page { return p }, Own: prometheus.NewRegistry()}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", encoding)
	size := 0
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		size = w.Body.Len()
	}
	return size
}
