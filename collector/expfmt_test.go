package collector

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// familiesOf is what a page of some views should have, as client_golang has it:
// in the table's order, labels as the table has them, made of what the rows put.
func familiesOf(t *testing.T, views ...*View) []*dto.MetricFamily {
	t.Helper()
	at := &moment{build: testBuild, views: views}
	var list []*dto.MetricFamily
	for _, m := range Metrics() {
		f := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: dto.MetricType_GAUGE.Enum()}
		if m.Kind == Counter {
			f.Type = dto.MetricType_COUNTER.Enum()
		}
		m.emit(at, sampled(func(value float64, labels []string) {
			if len(labels) != len(m.Labels) {
				t.Fatalf("%s has labels %q, and values %q", m.Name, m.Labels, labels)
			}
			f.Metric = append(f.Metric, metricOf(m, value, labels))
		}))
		if len(f.Metric) > 0 {
			list = append(list, f)
		}
	}
	return list
}

func metricOf(m *Metric, value float64, labels []string) *dto.Metric {
	out := &dto.Metric{}
	for i := range labels {
		out.Label = append(out.Label, &dto.LabelPair{Name: &m.Labels[i], Value: &labels[i]})
	}
	if m.Kind == Counter {
		out.Counter = &dto.Counter{Value: &value}
	} else {
		out.Gauge = &dto.Gauge{Value: &value}
	}
	return out
}

func textOf(t *testing.T, families []*dto.MetricFamily) string {
	t.Helper()
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// linesOf has one line for each sample, in no order that means anything.
func linesOf(families []*dto.MetricFamily) []string {
	var list []string
	for _, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			slices.Sort(labels)
			list = append(list, fmt.Sprint(f.GetName(), labels, " ", m.GetGauge().GetValue()+m.GetCounter().GetValue(), " ", f.GetType(), " ", f.GetHelp()))
		}
	}
	slices.Sort(list)
	return list
}

// Whatever is known, and whatever of it is published: the page's bytes, in each
// encoding, are those that expfmt writes of the same samples, and a registry
// gathers the same samples, types and help from the collector.
func TestPageIsExpfmts(t *testing.T) {
	everyWay(t, func(t *testing.T, o Options) {
		t.Parallel()
		clusters(t, 6, 10, o, func(t *testing.T, views []*View) {
			want := familiesOf(t, views...)
			text, p := textOf(t, want), publisherOf(views...)
			for _, encoding := range []string{"identity", "gzip", "zstd"} {
				if got := served(t, p, encoding); got != text {
					t.Errorf("%s: the page is not what expfmt writes (-expfmt +page):\n%s", encoding, cmp.Diff(text, got))
				}
			}
			if diff := cmp.Diff(linesOf(want), linesOf(gather(t, views...))); diff != "" {
				t.Errorf("a registry gathers something else (-page +registry):\n%s", diff)
			}
		})
	})
}
