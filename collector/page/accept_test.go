package page

import (
	"net/http"
	"testing"
)

// What real clients send: Prometheus 2.42 and 3, with and without settings of
// its scrape_protocols, browsers, curl, and what is allowed beside that.
func TestWantsText(t *testing.T) {
	for _, c := range []struct {
		name, accept string
		want         bool
	}{
		{"no header", "", true},
		{"curl", "*/*", true},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", true},
		{"Prometheus 2.42", "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true},
		{"Prometheus 2.42 with native histograms", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", true},
		{"Prometheus 3", "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2", true},
		{"Prometheus 3 with OpenMetrics only", "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.3,*/*;q=0.2", false},
		{"Prometheus 3 with protobuf only", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.3,*/*;q=0.2", false},
		{"text refused", "text/plain;q=0, application/openmetrics-text", false},
		{"any text", "application/openmetrics-text, text/*;q=0.1", true},
		{"OpenMetrics refused", "application/openmetrics-text;q=0, */*", true},
		{"nothing that there is", "application/json", true},
		{"no header that can be read", ";;;,,/", true},
	} {
		if got := wantedFormat(http.Header{"Accept": {c.accept}}) == nil; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Which of the others, and what is none of them: a version that there is not
// used to get text from the registry, and of several lines only the first counted.
func TestWantedFormat(t *testing.T) {
	const om, proto = "application/openmetrics-text", "application/vnd.google.protobuf"
	for _, c := range []struct {
		name  string
		lines []string
		want  *format // nil is text
	}{
		{"no version", []string{om}, openMetrics0},
		{"0.0.1", []string{om + ";version=0.0.1"}, openMetrics0},
		{"1.0.0", []string{om + "; version=1.0.0; charset=utf-8"}, openMetrics1},
		{"a quoted version", []string{om + `;version="1.0.0"`}, openMetrics1},
		{"2.0.0", []string{om + ";version=2.0.0"}, nil},
		{"2.0.0, else 1.0.0", []string{om + ";version=2.0.0, " + om + ";version=1.0.0;q=0.1"}, openMetrics1},
		{"the first of equals", []string{om + ";version=1.0.0, " + om + ";version=0.0.1, " + proto}, openMetrics1},
		{"the best", []string{om + ";version=1.0.0;q=0.1, " + om + ";version=0.0.1;q=0.2, " + proto + ";q=0.3"}, protobuf},
		{"capital letters", []string{"Application/OpenMetrics-Text;Version=1.0.0;Q=0.5"}, openMetrics1},
		{"capital text", []string{om + ", TEXT/PLAIN"}, nil},
		{"a tab", []string{"text/html,\t" + om}, openMetrics0},
		{"text on another line", []string{om + ";version=1.0.0", "text/plain"}, nil},
		{"OpenMetrics on another line", []string{"application/json", om}, openMetrics0},
		{"protobuf", []string{proto}, protobuf},
		{"protobuf of metrics", []string{proto + ";proto=io.prometheus.client.MetricFamily;encoding=delimited"}, protobuf},
		{"protobuf as text", []string{proto + ";proto=io.prometheus.client.MetricFamily;encoding=text"}, nil},
		{"protobuf of something else", []string{proto + ";proto=io.prometheus.write.v2.Request"}, nil},
	} {
		if got := wantedFormat(http.Header{"Accept": c.lines}); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	lines := http.Header{"Accept-Encoding": {"gzip;q=0", "zstd"}}
	if got := wantedEncoding(lines); got != inZstd {
		t.Errorf("of two lines %q, want zstd", got.name)
	}
}

// Who likes something else better than gzip, which not everything is made in, gets gzip
// rather than what is not compressed.
func TestGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "gzip, deflate, br, zstd": true, "gzip;q=0.5, zstd": true, "zstd": false, "*": true,
		"gzip;q=0": false, "identity, gzip;q=0.5": false, "identity;q=0": false, "gzip;q=0.3, identity;q=0.3": true,
	} {
		if got := Gzip(http.Header{"Accept-Encoding": {accept}}); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

func TestWantedEncoding(t *testing.T) {
	for _, c := range []struct {
		accept string
		want   *encoding
	}{
		{"", identity},
		{"gzip", inGzip},
		{"GZIP", inGzip},
		{"zstd", inZstd},
		{"gzip, deflate, br, zstd", inGzip},
		{"gzip;q=0.5, zstd", inZstd},
		{"gzip;q=0, zstd;q=0", identity},
		{"gzip;q=0", identity},
		{"*", inGzip},
		{"*;q=0", identity},
		{"*;q=0.1, gzip;q=0", inZstd},
		{"identity", identity},
		{"identity, gzip;q=0.5", identity},
		{"identity;q=0.5, gzip;q=1.0", inGzip},
		{"identity;q=0", identity}, // there is nothing else to send
		{"identity;q=0, *;q=0.1", inGzip},
		{"deflate, br", identity},
		{" gzip ; q=1 ", inGzip},
		{"gzip;q=x", inGzip},
		{",,;", identity},
	} {
		if got := wantedEncoding(http.Header{"Accept-Encoding": {c.accept}}); got != c.want {
			t.Errorf("%q: %q, want %q", c.accept, got.name, c.want.name)
		}
	}
}
