package promtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLog(t *testing.T) {
	for _, test := range []struct {
		name, written string
		want          []LogLine
	}{
		{"nothing", "", nil},
		{"Prometheus 2", `{"level":"warn","component":"tsdb","msg":"a"}` + "\n",
			[]LogLine{{Level: "warn", Component: "tsdb", Message: "a", Text: `{"level":"warn","component":"tsdb","msg":"a"}`}}},
		{"Prometheus 3", `{"level":"INFO","msg":"Listening on","address":"127.0.0.1:1"}` + "\n",
			[]LogLine{{Level: "info", Message: "Listening on", Address: "127.0.0.1:1", Text: `{"level":"INFO","msg":"Listening on","address":"127.0.0.1:1"}`}}},
		{"not JSON", "panic: x\n\n", []LogLine{{Text: "panic: x"}, {}}},
		{"JSON of another kind", `{"level":3}` + "\n", []LogLine{{Text: `{"level":3}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parseLog(test.written)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFormatCheck(t *testing.T) {
	for _, test := range []struct {
		contentType string
		want        Format // FormatUnknown is none
	}{
		{"text/plain; version=0.0.4; charset=utf-8; escaping=underscores", FormatText},
		{"text/plain;version=1.0.0;charset=utf-8", FormatUnknown},
		{"text/plain", FormatUnknown},
		{"application/openmetrics-text; version=1.0.0; charset=utf-8", FormatOpenMetrics},
		{"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited", FormatProtobuf},
		{"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=text", FormatUnknown},
		{"", FormatUnknown},
		{"text/plain;version=0.0.4;version=1.0.0", FormatUnknown},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			for f := FormatText; f <= FormatProtobuf; f++ {
				if got, want := f.Check(test.contentType) == nil, f == test.want; got != want {
					t.Errorf("it is %v: %v, not %v", f, got, want)
				}
			}
		})
	}
	if FormatUnknown.Check("text/plain") == nil {
		t.Error("a page is of no format")
	}
}
