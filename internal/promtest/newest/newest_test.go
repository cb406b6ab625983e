package newest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
)

// What a Prometheus asks for that wants one format only.
const (
	text        = "text/plain;version=0.0.4"
	openMetrics = "application/openmetrics-text;version=1.0.0"
	protobuf    = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)

// The newest Prometheus reads the same from every format and encoding.
func TestFormatsAgree(t *testing.T) {
	url := serve(t)
	before := get(t, url, text, text, "identity")
	check(t, before)
	type other struct {
		name string
		page *page
	}
	var others []other
	for _, f := range []struct{ name, accept, mediaType string }{
		{"text", text, text},
		{"OpenMetrics", openMetrics, openMetrics},
		{"OpenMetrics with escaping", openMetrics + ";escaping=allow-utf-8", openMetrics},
		{"protobuf", protobuf, "application/vnd.google.protobuf"},
	} {
		for _, encoding := range []string{"identity", "gzip", "zstd"} {
			others = append(others, other{f.name + " " + encoding, get(t, url, f.accept, f.mediaType, encoding)})
		}
	}
	after := get(t, url, text, text, "identity")
	still := agreeing(before, after)
	t.Logf("%d samples of %d families; %d samples of lagwatch stand still", len(before.samples), len(before.families), len(still))
	for _, o := range others {
		t.Run(o.name, func(t *testing.T) { same(t, before, o.page, still) })
	}
	t.Run("units", func(t *testing.T) { // text has none
		for _, o := range others[3:] {
			if diff := cmp.Diff(units(others[3].page), units(o.page)); diff != "" {
				t.Errorf("(-%s +%s):\n%s", others[3].name, o.name, diff)
			}
		}
	})
}

// get fetches and parses a page whose Content-Type must begin with mediaType.
func get(t *testing.T, url, accept, mediaType, encoding string) *page {
	t.Helper()
	body, contentType, err := fetch(url, accept, encoding)
	if err != nil {
		t.Fatalf("%s, %s: %v", accept, encoding, err)
	}
	if !strings.HasPrefix(strings.ReplaceAll(contentType, " ", ""), mediaType) {
		t.Fatalf("%s is answered with %s", accept, contentType)
	}
	p, err := parse(body, contentType)
	if err != nil {
		t.Fatalf("%s, %s: Prometheus doesn't read it: %v", accept, encoding, err)
	}
	return p
}

// check is whether a page is one to compare others with: large, and each family
// of lagwatch described.
func check(t *testing.T, p *page) {
	t.Helper()
	if len(p.samples) < 1000 {
		t.Errorf("the page has %d samples only", len(p.samples))
	}
	for name := range p.samples {
		family := familyOf(name)
		if f := p.families[family]; strings.HasPrefix(family, "lagwatch_") && (f.Help == "" || f.Type == "" || f.Type == model.MetricTypeUnknown) {
			t.Errorf("%s is described as %+v", family, f)
		}
	}
}

// familyOf is the name in the text of a series' labels, which is their first.
func familyOf(series string) string {
	_, name, _ := strings.Cut(series, `__name__="`)
	name, _, _ = strings.Cut(name, `"`)
	return name
}

// agreeing are lagwatch's samples that two pages have with one value.
func agreeing(a, b *page) map[string]float64 {
	out := maps.Clone(a.samples)
	maps.DeleteFunc(out, func(series string, value float64) bool {
		now, ok := b.samples[series]
		return !ok || now != value || !strings.HasPrefix(familyOf(series), "lagwatch_")
	})
	return out
}

// same compares a page in some format with one in text.
func same(t *testing.T, want, got *page, still map[string]float64) {
	if diff := cmp.Diff(names(want.samples), names(got.samples)); diff != "" {
		t.Errorf("series (-text +this):\n%s", diff)
	}
	values := maps.Clone(got.samples)
	maps.DeleteFunc(values, func(series string, _ float64) bool { _, ok := still[series]; return !ok })
	if diff := cmp.Diff(still, values); diff != "" {
		t.Errorf("values (-text +this):\n%s", diff)
	}
	if diff := cmp.Diff(names(want.families), names(got.families)); diff != "" {
		t.Errorf("families (-text +this):\n%s", diff)
	}
	for name, f := range got.families {
		f.Unit = "" // see TestFormatsAgree
		if diff := cmp.Diff(want.families[name], f); diff != "" {
			t.Errorf("%s (-text +this):\n%s", name, diff)
		}
	}
}

func units(p *page) map[string]string {
	out := make(map[string]string)
	for name, f := range p.families {
		if f.Unit != "" {
			out[name] = f.Unit
		}
	}
	return out
}

func names[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
