package collector

import (
	stdgzip "compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/lagwatch/lagwatch/collector/page"
)

// served is what a scrape of p gets, without what describes the process.
func served(t *testing.T, p *Publisher, encoding string) string {
	t.Helper()
	h := &page.Handler{Latest: p.Page, Own: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)}
	return decoded(t, scrape(h, "", encoding))
}

// scrape is an answer to a request with these headers.
func scrape(h http.Handler, accept, encoding string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", accept)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// decoded is the body without its encoding.
func decoded(t *testing.T, r *http.Response) string {
	t.Helper()
	var body io.Reader = r.Body
	switch e := r.Header.Get("Content-Encoding"); e {
	case "":
	case "gzip":
		z, err := stdgzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = z
	case "zstd":
		z, err := zstd.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		body = z
	default:
		t.Fatalf("encoding %q", e)
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// formats are what scrapers may ask for.
var formats = []struct{ accept, encoding string }{
	{"", "identity"},
	{"text/plain;version=0.0.4", "gzip"},
	{"application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5", "zstd"},
	{"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited", "gzip"},
	{"application/openmetrics-text;version=1.0.0", "zstd"},
}

var comment = regexp.MustCompile(`(?m)^#.*\n`)

// familiesIn reads an answer in whichever format it is.
func familiesIn(t *testing.T, r *http.Response) map[string]*dto.MetricFamily {
	t.Helper()
	text := decoded(t, r)
	kind := r.Header.Get("Content-Type")
	switch {
	case strings.HasPrefix(kind, "application/openmetrics-text"):
		if !strings.HasSuffix(text, "\n# EOF\n") {
			t.Error("OpenMetrics without an end")
		}
		// Its samples are those of the text format; what stands above them is not.
		return parse(t, []byte(comment.ReplaceAllString(text, "")))
	case strings.HasPrefix(kind, "text/plain"):
		return parse(t, []byte(text))
	}
	families := map[string]*dto.MetricFamily{}
	for d := expfmt.NewDecoder(strings.NewReader(text), expfmt.NewFormat(expfmt.TypeProtoDelim)); ; {
		f := &dto.MetricFamily{}
		if err := d.Decode(f); err == io.EOF {
			return families
		} else if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		families[f.GetName()] = f
	}
}

// valuesOf are the samples of a family, whatever type it is called.
func valuesOf(f *dto.MetricFamily) []string {
	return linesOf([]*dto.MetricFamily{{Name: f.Name, Metric: untyped(f)}})
}

// untyped are the samples of a family as if they were gauges.
func untyped(f *dto.MetricFamily) []*dto.Metric {
	var list []*dto.Metric
	for _, m := range f.Metric {
		value := m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetUntyped().GetValue()
		list = append(list, &dto.Metric{Label: m.Label, Gauge: &dto.Gauge{Value: &value}})
	}
	return list
}
