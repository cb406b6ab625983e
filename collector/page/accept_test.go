package page

import "testing"

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
		if got := wantsText(c.accept); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
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
		if got := wantedEncoding(c.accept); got != c.want {
			t.Errorf("%q: %q, want %q", c.accept, got.name, c.want.name)
		}
	}
}
