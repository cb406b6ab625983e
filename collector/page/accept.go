package page

import (
	"strconv"
	"strings"

	"github.com/munnerz/goautoneg"
)

// wantsText tells whether a client with this Accept header gets the text
// format: where it names text/plain, or nothing of what else there is. What it
// likes better plays no part, since text costs a fraction of the others;
// Prometheus always names text unless it is told not to.
func wantsText(accept string) bool {
	other := false
	for _, a := range goautoneg.ParseAccept(accept) {
		switch {
		case a.Q <= 0:
		case a.Type == "text" && (a.SubType == "plain" || a.SubType == "*"):
			return true
		case a.Type == "application" && (a.SubType == "openmetrics-text" || a.SubType == "vnd.google.protobuf"):
			other = true
		}
	}
	return !other
}

// wantedEncoding is the best encoding by an Accept-Encoding header (RFC 9110,
// section 12.5.3).
func wantedEncoding(accept string) *encoding {
	weights := map[string]float64{}
	for item := range strings.SplitSeq(accept, ",") {
		name, q := weighted(item)
		weights[name] = q
	}
	best, most := identity, 0.0
	for _, e := range encodings {
		if q := e.weight(weights); q > most {
			best, most = e, q
		}
	}
	return best
}

// weight is how much a client wants an encoding, 0 not at all. Identity is
// always good enough unless it is refused, and then too if nothing else is left.
func (e *encoding) weight(weights map[string]float64) float64 {
	name := e.name
	if e == identity {
		name = "identity"
	}
	q, named := weights[name]
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
