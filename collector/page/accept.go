package page

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/munnerz/goautoneg"
)

// clauses are what the Accept lines of a request name, in order. All is in
// small letters: types and names of parameters have no case, and no value that
// counts here has one.
func clauses(header http.Header) []goautoneg.Accept {
	var all []goautoneg.Accept
	accept := strings.ToLower(strings.ReplaceAll(joined(header, "Accept"), "\t", " "))
	for item := range strings.SplitSeq(accept, ",") {
		all = append(all, goautoneg.ParseAccept(item)...) // one by one, or it sorts them
	}
	return all
}

// joined is a list that may be spread over several lines (RFC 9110, section 5.3).
func joined(header http.Header, name string) string {
	return strings.Join(header.Values(name), ",")
}

// wantsText tells whether a client that names these gets the text format:
// where it names text/plain, or nothing of what else there is. What it likes
// better plays no part, since text costs a fraction of the others; Prometheus
// always names text unless it is told not to.
func wantsText(named []goautoneg.Accept) bool {
	other := false
	for _, a := range named {
		switch {
		case a.Q <= 0:
		case a.Type == "text" && (a.SubType == "plain" || a.SubType == "*"):
			return true
		case formatOf(a) != nil:
			other = true
		}
	}
	return !other
}

// wantedFormat is the format for a client with these headers, nil for text. Of
// those that it likes as much it gets the one that it names first.
func wantedFormat(header http.Header) *format {
	named := clauses(header)
	if wantsText(named) {
		return nil
	}
	var best *format
	most := 0.0
	for _, a := range named {
		if f := formatOf(a); f != nil && a.Q > most {
			best, most = f, a.Q
		}
	}
	return best
}

// formatOf is what a clause names beside text, nil if there is no such format.
func formatOf(a goautoneg.Accept) *format {
	parameter := func(name string) string { return strings.Trim(a.Params[name], `"`) }
	switch a.Type + "/" + a.SubType {
	case "application/openmetrics-text":
		switch parameter("version") {
		case "1.0.0":
			return openMetrics1
		case "", "0.0.1": // as promhttp has it
			return openMetrics0
		}
	case "application/vnd.google.protobuf":
		proto, encoding := parameter("proto"), parameter("encoding")
		if (proto == "" || proto == "io.prometheus.client.metricfamily") && (encoding == "" || encoding == "delimited") {
			return protobuf
		}
	}
	return nil
}

// wantedEncoding is the best encoding by the Accept-Encoding lines of a request
// (RFC 9110, section 12.5.3).
func wantedEncoding(header http.Header) *encoding {
	weights := weightsOf(header)
	best, most := identity, 0.0
	for _, e := range encodings {
		if q := e.weight(weights); q > most {
			best, most = e, q
		}
	}
	return best
}

// Gzip tells whether a client with these headers takes gzip, and likes it as much as
// what is not compressed.
func Gzip(header http.Header) bool {
	weights := weightsOf(header)
	q := inGzip.weight(weights)
	return q > 0 && q >= identity.weight(weights)
}

func weightsOf(header http.Header) map[string]float64 {
	weights := map[string]float64{}
	for item := range strings.SplitSeq(joined(header, "Accept-Encoding"), ",") {
		name, q := weighted(item)
		weights[name] = q
	}
	return weights
}

// weight is how much a client wants an encoding, 0 not at all. Identity is
// always good enough unless it is refused, and then too if nothing else is left.
func (e *encoding) weight(weights map[string]float64) float64 {
	q, named := weights[e.asked()]
	if !named {
		q, named = weights["*"]
	}
	if !named && e == identity {
		return 1e-6
	}
	return q
}

// weighted reads one item of a list, such as "gzip;q=0.5".
func weighted(item string) (name string, q float64) {
	name, parameters, _ := strings.Cut(item, ";")
	q = 1
	for p := range strings.SplitSeq(parameters, ";") {
		if value, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(p)), "q="); ok {
			if n, err := strconv.ParseFloat(value, 64); err == nil {
				q = n
			}
		}
	}
	return strings.ToLower(strings.TrimSpace(name)), q
}
