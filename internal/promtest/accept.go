package promtest

import (
	"fmt"
	"mime"
)

// Format is one of the formats in which a page of metrics can be.
type Format int

// The formats that Prometheus reads and lagwatch writes.
const (
	FormatUnknown     Format = iota
	FormatText               // Prometheus text 0.0.4
	FormatOpenMetrics        // OpenMetrics text
	FormatProtobuf           // delimited io.prometheus.client.MetricFamily
)

// String is the format's media type with the parameters that tell it from its
// relatives.
func (f Format) String() string {
	switch f {
	case FormatText:
		return "text/plain;version=0.0.4"
	case FormatOpenMetrics:
		return "application/openmetrics-text"
	case FormatProtobuf:
		return "application/vnd.google.protobuf;encoding=delimited;proto=io.prometheus.client.MetricFamily"
	case FormatUnknown:
	}
	return "unknown"
}

// Check returns an error unless a page with that Content-Type is in format f.
// Parameters that f says nothing of are not looked at.
func (f Format) Check(contentType string) error {
	wantType, want, err := mime.ParseMediaType(f.String())
	if err != nil {
		return fmt.Errorf("format %d is none to check for: %w", int(f), err)
	}
	gotType, got, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("Content-Type %q: %w", contentType, err)
	}
	ok := gotType == wantType
	for name, value := range want {
		ok = ok && got[name] == value
	}
	if !ok {
		return fmt.Errorf("Content-Type is %q, not %v", contentType, f)
	}
	return nil
}

// Accept is how one scraper asks for a page, and the format that it must get.
type Accept struct {
	Name   string
	Header string // of Accept; empty means that there is none
	Want   Format
}

// Accepts is the contract of /metrics: text wherever text/plain is named or
// nothing better is; OpenMetrics and protobuf only for who does not name text.
//
// The headers of Prometheus are what the scrape package of that version makes of
// its default protocols. That 3.0 says escaping twice of one format is its own.
func Accepts() []Accept {
	const (
		proto = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
		om1   = "application/openmetrics-text;version=1.0.0"
		om0   = "application/openmetrics-text;version=0.0.1"
		text1 = "text/plain;version=1.0.0"
		text0 = "text/plain;version=0.0.4"
		utf8  = ";escaping=allow-utf-8"

		histograms = ", native histograms" // enabled
	)
	return []Accept{
		{"Prometheus 2.42", om1 + "," + om0 + ";q=0.75," + text0 + ";q=0.5,*/*;q=0.1", FormatText},
		{"Prometheus 2.42" + histograms, proto + "," + om1 + ";q=0.8," + om0 + ";q=0.75," + text0 + ";q=0.5,*/*;q=0.1", FormatText},
		{"Prometheus 2.53", om1 + ";q=0.5," + om0 + ";q=0.4," + text0 + ";q=0.3,*/*;q=0.2", FormatText},
		{"Prometheus 2.53" + histograms, proto + ";q=0.5," + om1 + ";q=0.4," + om0 + ";q=0.3," + text0 + ";q=0.2,*/*;q=0.1", FormatText},
		{"Prometheus 3.0", om1 + utf8 + ";q=0.6," + om0 + utf8 + ";q=0.5," + text1 + utf8 + utf8 + ";q=0.4," + text0 + utf8 + ";q=0.3,*/*;q=0.2", FormatText},
		{"Prometheus 3.0" + histograms, proto + utf8 + ";q=0.6," + om1 + utf8 + ";q=0.5," + om0 + utf8 + ";q=0.4," + text1 + utf8 + utf8 + ";q=0.3," + text0 + utf8 + ";q=0.2,*/*;q=0.1", FormatText},
		{"Prometheus 3.5", om1 + utf8 + ";q=0.6," + om0 + ";q=0.5," + text1 + utf8 + ";q=0.4," + text0 + ";q=0.3,*/*;q=0.2", FormatText},
		{"Prometheus 3.5" + histograms, proto + ";q=0.6," + om1 + utf8 + ";q=0.5," + om0 + ";q=0.4," + text1 + utf8 + ";q=0.3," + text0 + ";q=0.2,*/*;q=0.1", FormatText},
		{"Prometheus 3.16", om1 + utf8 + ";q=0.7," + om0 + ";q=0.6," + text1 + utf8 + ";q=0.5," + text0 + ";q=0.4,*/*;q=0.3", FormatText},
		{"Prometheus 3.16" + histograms, proto + ";q=0.7," + om1 + utf8 + ";q=0.6," + om0 + ";q=0.5," + text1 + utf8 + ";q=0.4," + text0 + ";q=0.3,*/*;q=0.2", FormatText},

		{"no header", "", FormatText},
		{"anything", "*/*", FormatText},
		{"text, and anything", text0 + ";q=1,*/*;q=0.1", FormatText},
		{"text without a version", "text/plain", FormatText},
		{"any text", "text/*", FormatText},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", FormatText},
		{"what lagwatch does not have", "application/json", FormatText},
		{"OpenMetrics before text", om1 + ";q=0.9," + text0 + ";q=0.1", FormatText},
		{"protobuf before text", proto + ";q=0.9," + text0 + ";q=0.1", FormatText},

		{"OpenMetrics only", om1, FormatOpenMetrics},
		{"OpenMetrics 0.0.1 only", om0, FormatOpenMetrics},
		{"OpenMetrics with escaping only", om1 + utf8, FormatOpenMetrics},
		{"OpenMetrics, or anything", om1 + ",*/*;q=0.1", FormatOpenMetrics},
		{"protobuf only", proto, FormatProtobuf},
		{"protobuf, or anything", proto + ",*/*;q=0.1", FormatProtobuf},
	}
}
