package promtest_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/lagwatch/lagwatch/internal/promtest"
)

// page is one page as a scraper got it.
type page struct {
	contentType string
	encoding    string // its Content-Encoding
	body        []byte // without that
}

// readPage reads a response to its end and leaves its body readable again.
func readPage(r *http.Response) (page, error) {
	sent, err := io.ReadAll(r.Body)
	r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(sent))
	p := page{contentType: r.Header.Get("Content-Type"), encoding: r.Header.Get("Content-Encoding"), body: sent}
	if err != nil || p.encoding == "" {
		return p, err
	}
	if p.encoding != "gzip" {
		return p, fmt.Errorf("Content-Encoding is %q", p.encoding)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(sent))
	if err == nil {
		p.body, err = io.ReadAll(unpacked)
	}
	return p, err
}

// samples reads a page in text or protobuf.
func (p page) samples() (model.Vector, error) {
	decoder := expfmt.SampleDecoder{
		Dec:  expfmt.NewDecoder(bytes.NewReader(p.body), expfmt.ResponseFormat(http.Header{"Content-Type": {p.contentType}})),
		Opts: &expfmt.DecodeOptions{},
	}
	var all model.Vector
	for {
		var some model.Vector
		err := decoder.Decode(&some)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, fmt.Errorf("decoding a page of type %q: %w", p.contentType, err)
		}
		all = append(all, some...)
	}
}

// count is how many samples a page has. Of OpenMetrics, which nothing here
// decodes, it counts the lines that are samples.
func (p page) count() (int, error) {
	if promtest.FormatOpenMetrics.Check(p.contentType) != nil {
		all, err := p.samples()
		return len(all), err
	}
	n := 0
	for line := range strings.Lines(string(p.body)) {
		if !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n, nil
}

// series are samples of lagwatch's own families by their labels, without those
// that are empty, which to Prometheus are none, and those that it adds.
func series(samples model.Vector) map[string]float64 {
	out := make(map[string]float64)
	for _, s := range samples {
		if !strings.HasPrefix(string(s.Metric[model.MetricNameLabel]), "lagwatch_") {
			continue
		}
		kept := make(model.Metric)
		for name, value := range s.Metric {
			if value != "" && name != model.JobLabel && name != model.InstanceLabel {
				kept[name] = value
			}
		}
		out[kept.String()] = float64(s.Value)
	}
	return out
}

// read gets a page of text and returns its series.
func read(t *testing.T, url string) map[string]float64 {
	t.Helper()
	r, err := get(url, promtest.FormatText.String(), "identity")
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPage(r)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := p.samples()
	if err != nil {
		t.Fatal(err)
	}
	return series(samples)
}
