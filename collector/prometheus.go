package collector

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lagwatch/lagwatch/collector/page"
)

// Collector gives a registry what a Publisher shows. It costs many times what a
// page does. Safe for concurrent use.
type Collector struct{ Of *Publisher }

var descs = func() []*prometheus.Desc {
	list := make([]*prometheus.Desc, len(rows))
	for i, m := range rows {
		list[i] = prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
	}
	return list
}()

// Describe sends every metric of the table.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range descs {
		ch <- d
	}
}

// Collect sends every sample of every view.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	at := c.Of.moment()
	for _, m := range rows {
		m.emit(at, &constants{m, ch})
	}
}

// constants is a sink that makes client_golang's metrics.
type constants struct {
	of *Metric
	ch chan<- prometheus.Metric
}

// Sample implements sink.
func (c *constants) Sample(of *page.Labels, partition int32, more *page.Labels, value float64) {
	kind := prometheus.GaugeValue
	if c.of.Kind == Counter {
		kind = prometheus.CounterValue
	}
	values := make([]string, 0, len(c.of.Labels))
	values = of.Append(values)
	if partition >= 0 {
		values = append(values, strconv.Itoa(int(partition)))
	}
	if more != nil {
		values = more.Append(values)
	}
	c.ch <- prometheus.MustNewConstMetric(descs[c.of.number], kind, value, values...)
}
