package collector

import (
	"strconv"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/buildinfo"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// sink takes samples of one metric.
type sink interface {
	Sample(of *page.Labels, partition int32, more *page.Labels, value float64)
}

// series is where a row puts the samples of one thing after the other.
type series struct {
	to        sink
	of        *page.Labels
	partition int32
	group     *Group    // that it is of, if it is
	now       time.Time // when the view was built
}

func (s *series) put(value float64) { s.to.Sample(s.of, s.partition, nil, value) }

// with puts a sample with more labels, those of the row.
func (s *series) with(more *page.Labels, value float64) { s.to.Sample(s.of, s.partition, more, value) }

// after puts a value that is known once a time is.
func (s *series) after(t time.Time, value float64) {
	if !t.IsZero() {
		s.put(value)
	}
}

// age puts how long ago something was, in seconds. A clock that was set back
// makes no negative age.
func (s *series) age(t time.Time) { s.after(t, max(0, s.now.Sub(t).Seconds())) }

func (s *series) id(n snapshot.Maybe[int32]) {
	if n, ok := n.Get(); ok {
		s.put(float64(n))
	}
}

func (s *series) truth(b bool) { s.put(truth(b)) }

// number puts what is known.
func (s *series) number(n snapshot.Maybe[int64]) {
	if n, ok := n.Get(); ok {
		s.put(float64(n))
	}
}

func (s *series) quantity(q Quantity) { s.number(q.maybe()) }

func (s *series) reading(r snapshot.Maybe[snapshot.Reading]) {
	if r, ok := r.Get(); ok {
		s.put(float64(r.Offset))
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// moment is all that a page shows.
type moment struct {
	build buildinfo.Info
	views []*View
}

// emit puts every sample of a metric. It is the only place that decides what is
// published; what is not known is not put.
func (m *Metric) emit(at *moment, to sink) {
	if m.build != nil {
		m.build(&at.build, &series{to: to, of: page.NewLabels(), partition: page.NoPartition})
		return
	}
	for _, v := range at.views {
		m.emitView(v, to)
	}
}

func (m *Metric) emitView(v *View, to sink) {
	s := &series{to: to, of: v.labels(), partition: page.NoPartition, now: v.Built}
	if m.Detail == 0 && !v.families.has(m) {
		return
	}
	switch {
	case m.view != nil:
		m.view(v, s)
	case m.topic != nil || m.partition != nil || m.arrival != nil:
		for i := range v.Topics {
			m.emitTopic(&v.Topics[i], s)
		}
	default:
		for i := range v.Groups {
			if g := &v.Groups[i]; g.shows(m) {
				m.emitGroup(g, s)
			}
		}
		m.emitMissing(v, s)
	}
}

func (m *Metric) emitMissing(v *View, s *series) {
	if m.missing == nil {
		return
	}
	for i := range v.Missing {
		if g := &v.Missing[i]; g.families.has(m) {
			s.of, s.partition, s.group = g.labels, page.NoPartition, nil
			m.missing(g, s)
		}
	}
}

func (m *Metric) emitTopic(t *Topic, s *series) {
	s.of, s.partition = t.labels, page.NoPartition
	if m.topic != nil {
		m.topic(t, s)
		return
	}
	for i := range t.Partitions {
		s.partition = t.Partitions[i].ID
		switch {
		case m.partition != nil:
			m.partition(&t.Partitions[i], s)
		case t.Arrivals != nil:
			m.arrival(t.Arrivals[i], s)
		}
	}
}

func (m *Metric) emitGroup(g *Group, s *series) {
	s.group = g
	if m.group != nil {
		s.of, s.partition = g.labels, page.NoPartition
		m.group(g, s)
		return
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		s.of, s.partition = t.labels, page.NoPartition
		if m.joined != nil {
			m.joined(t, s)
			continue
		}
		for j := range t.Pairs {
			s.partition = t.Pairs[j].Partition
			switch {
			case m.pair != nil:
				m.pair(&t.Pairs[j], s)
			case t.PairEstimates != nil:
				m.estimate(&t.PairEstimates[j], s)
			}
		}
	}
}
