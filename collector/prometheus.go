package collector

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lagwatch/lagwatch/internal/buildinfo"
)

// Collector publishes the views of some watchers as Prometheus metrics. A
// scrape reads the views that are there: it asks Kafka nothing and waits for no
// poll. Safe for concurrent use.
type Collector struct {
	build    buildinfo.Info
	now      func() time.Time
	watchers []*Watcher
	descs    map[*Metric]*prometheus.Desc
}

// NewCollector returns a collector over watchers with different cluster names.
func NewCollector(build buildinfo.Info, watchers ...*Watcher) *Collector {
	c := &Collector{build: build, now: time.Now, watchers: watchers, descs: make(map[*Metric]*prometheus.Desc, len(rows))}
	for _, m := range rows {
		c.descs[m] = prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
	}
	return c
}

// Describe sends every metric of the table.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range rows {
		ch <- c.descs[m]
	}
}

// Collect sends every sample of every view.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	put := func(m *Metric, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if m.Kind == Counter {
			kind = prometheus.CounterValue
		}
		for i, l := range labels {
			labels[i] = labelValue(l)
		}
		ch <- prometheus.MustNewConstMetric(c.descs[m], kind, value, labels...)
	}
	put(metricBuildInfo, 1, c.build.Version, c.build.Revision, c.build.Go)
	for _, w := range c.watchers {
		w.View().at(c.now(), w.rules).emit(w.opts.Interval, put)
	}
}
