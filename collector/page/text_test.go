package page

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// expected is a sample as expfmt writes it.
func expected(t *testing.T, name, help string, value float64, pairs ...string) string {
	t.Helper()
	m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for i := 0; i < len(pairs); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &pairs[i], Value: &pairs[i+1]})
	}
	var b bytes.Buffer
	if _, err := expfmt.MetricFamilyToText(&b, &dto.MetricFamily{Name: &name, Help: &help, Type: dto.MetricType_GAUGE.Enum(), Metric: []*dto.Metric{m}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever names, help and values are, the text is expfmt's.
func FuzzText(f *testing.F) {
	f.Add("orders", "a\"b\\c\nd", "help\\ \n\"", int32(7), 1.5)
	f.Add("", "\xff", "", int32(-1), 0.0)
	f.Fuzz(func(t *testing.T, group, host, help string, partition int32, value float64) {
		var text Text
		text.Family("lagwatch_x", "gauge", help)
		text.Sample(NewLabels("kafka_cluster", "c", "group", group), partition, NewLabels("host", host), value)
		pairs := []string{"kafka_cluster", "c", "group", LabelValue(group)}
		if partition >= 0 {
			pairs = append(pairs, "partition", strconv.Itoa(int(partition)))
		}
		want := expected(t, "lagwatch_x", help, value, append(pairs, "host", LabelValue(host))...)
		if strings.Contains(help, "\r") || help == "" {
			return // expfmt has no HELP line without help; the table has none without
		}
		if got := string(text.buf); got != want {
			t.Errorf("%q\nexpfmt writes\n%q", got, want)
		}
	})
}

func TestFamilyWithoutSamples(t *testing.T) {
	var text Text
	text.Family("a", "gauge", "A.")
	text.Family("b", "counter", "B.")
	text.Sample(NewLabels(), NoPartition, NewLabels("x", "1"), 2)
	text.Family("c", "gauge", "C.")
	if got, want := string(text.buf), "# HELP b B.\n# TYPE b counter\nb{x=\"1\"} 2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// failing takes some bytes and then fails.
type failing int

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// A page that could not be written whole says so at the end, whenever it was.
func TestWriteFails(t *testing.T) {
	for _, room := range []failing{0, 100_000, 1 << 30} {
		want := error(nil)
		if room < 1<<30 {
			want = errFull
		}
		text := NewText(&room)
		text.Family("a", "gauge", "A.")
		for i := range 10_000 {
			text.Sample(NewLabels("l", "v"), int32(i), nil, 1)
		}
		if err := text.Flush(); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
