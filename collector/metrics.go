package collector

import (
	"slices"

	"github.com/lagwatch/lagwatch/internal/buildinfo"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// Kind is the type of a metric.
type Kind uint8

// The kinds of metrics.
const (
	Gauge Kind = iota + 1
	Counter
)

func (k Kind) String() string {
	if k == Counter {
		return "counter"
	}
	return "gauge"
}

// Prefix is what all names of metrics begin with.
const Prefix = "lagwatch_"

// Metric is one row of the table that everything about metrics is read from:
// the page, the collector, the reference in docs/metrics.md, and the checks on
// rules and dashboards. Where its values come from stands in the row as well.
type Metric struct {
	Name string // with the prefix lagwatch_
	Kind Kind
	Unit string // "" for a number of things or a state
	// Labels are those of the thing that it is of, then more.
	Labels []string
	Help   string
	// Unknown says what the metric does when its value is not known.
	Unknown string
	// Optional ones are published only where the config asks for them.
	Optional bool
	// Always says that no config leaves it out of what is shown of a cluster.
	Always bool
	// Detail is the least detail of a group at which the metric is shown; 0 if
	// it is not of a group.
	Detail Detail
	// Stability is "stable" or "experimental"; Since the version that
	// brought it.
	Stability, Since string

	number int      // its place in the table
	more   []string // labels beside those of the thing
	upTo   int      // samples of one thing, for brokers and the like beside those; 1 if not set

	// One of these puts the samples of a thing that are known.
	build     func(b *buildinfo.Info, s *series)
	view      func(v *View, s *series)
	topic     func(t *Topic, s *series)
	partition func(p *snapshot.Partition, s *series)
	arrival   func(r rates.Value, s *series)
	group     func(g *Group, s *series)
	missing   func(g *MissingGroup, s *series) // of a group that does not exist, beside group
	joined    func(t *GroupTopic, s *series)
	pair      func(p *Pair, s *series)
	estimate  func(e *PairEstimate, s *series)
}

// OfChoice tells whether the config of a cluster can leave the metric out: not
// what is of lagwatch itself, nor what is there always.
func (m *Metric) OfChoice() bool { return m.build == nil && !m.Always }

// Metrics returns the table, in the order of the reference and of the page.
func Metrics() []*Metric { return rows }

var rows = table(exporterRows, logRows, logRateRows, groupRows, groupEstimateRows, groupOwnershipRows, conditionRows,
	groupTopicRows, groupTopicEstimateRows, pairRows, pairEstimateRows)

// table completes the rows by what follows from the thing that they are of.
func table(parts ...[]Metric) []*Metric {
	var out []*Metric
	for i, m := range slices.Concat(parts...) {
		m.Name, m.Stability, m.Since, m.number = Prefix+m.Name, "stable", "0.1", i
		switch {
		case m.view != nil:
			m.Labels = []string{"kafka_cluster"}
		case m.topic != nil:
			m.Labels = []string{"kafka_cluster", "topic"}
		case m.partition != nil, m.arrival != nil:
			m.Labels = []string{"kafka_cluster", "topic", "partition"}
		case m.group != nil:
			m.Labels, m.Detail = []string{"kafka_cluster", "group"}, DetailGroup
		case m.joined != nil:
			m.Labels, m.Detail = []string{"kafka_cluster", "group", "topic"}, DetailTopic
		case m.pair != nil, m.estimate != nil:
			m.Labels, m.Detail = []string{"kafka_cluster", "group", "topic", "partition"}, DetailPartition
		}
		m.Labels = append(m.Labels, m.more...)
		m.upTo = max(m.upTo, 1)
		out = append(out, &m)
	}
	return out
}

const (
	always    = "Always there."
	staleGone = "Absent when it could not be read for stale_after."
)
