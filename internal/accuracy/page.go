package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// page is a page of lagwatch's metrics.
type page map[string]*dto.MetricFamily

func parse(r io.Reader) (page, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("this is no page of metrics: %w", err)
	}
	return families, nil
}

// labels are those of a series.
type labels map[string]string

// each calls do for each series of a family.
func (p page) each(family string, do func(labels, float64)) {
	for _, m := range p["lagwatch_"+family].GetMetric() {
		of := labels{}
		for _, l := range m.GetLabel() {
			of[l.GetName()] = l.GetValue()
		}
		do(of, m.GetGauge().GetValue()+m.GetUntyped().GetValue())
	}
}

// only is the value of a family's one series; an error where lagwatch watches
// several clusters, or has not read any yet.
func (p page) only(family string) (float64, error) {
	var values []float64
	p.each(family, func(_ labels, v float64) { values = append(values, v) })
	if len(values) != 1 {
		return 0, fmt.Errorf("the page has %d times lagwatch_%s; a trace is of a lagwatch that watches one cluster", len(values), family)
	}
	return values[0], nil
}

func (l labels) place() place {
	n, _ := strconv.ParseInt(l["partition"], 10, 32) // lagwatch's own page has numbers there
	return place{l["topic"], int32(n)}
}

// poll is what the page says of a poll that ended at a moment. Groups that are not
// complete are left out: what is shown of them may be of a poll before.
func (p page) poll(at trace.Moment) trace.Poll {
	starts, ends := p.offsets("partition_start_offset"), p.offsets("partition_end_offset")
	poll := trace.Poll{At: at}
	for where, end := range ends {
		if start, ok := starts[where]; ok && start <= end {
			poll.Logs = append(poll.Logs, trace.Log{Topic: where.topic, Partition: where.partition, Start: start, End: end, At: at})
		} else {
			delete(ends, where)
		}
	}
	complete, owners := map[string]bool{}, map[pair]string{}
	p.each("group_complete", func(l labels, v float64) { complete[l["group"]] = v == 1 })
	p.each("group_partition_owner", func(l labels, _ float64) { owners[pair{l["group"], l.place()}] = l["client_id"] })
	p.each("group_partition_committed_offset", func(l labels, v float64) {
		of := pair{l["group"], l.place()}
		if _, read := ends[of.place]; read && complete[of.group] {
			poll.Positions = append(poll.Positions, trace.Position{
				Group: of.group, Topic: of.topic, Partition: of.partition, Committed: int64(v), At: at, Owner: owners[of],
			})
		}
	})
	slices.SortFunc(poll.Logs, func(a, b trace.Log) int {
		return byPlace(place{a.Topic, a.Partition}, place{b.Topic, b.Partition})
	})
	slices.SortFunc(poll.Positions, func(a, b trace.Position) int {
		if c := strings.Compare(a.Group, b.Group); c != 0 {
			return c
		}
		return byPlace(place{a.Topic, a.Partition}, place{b.Topic, b.Partition})
	})
	return poll
}

func byPlace(a, b place) int {
	if c := strings.Compare(a.topic, b.topic); c != 0 {
		return c
	}
	return int(a.partition) - int(b.partition)
}

// offsets are the values of a family by partition. A page has all digits of them.
func (p page) offsets(family string) map[place]int64 {
	list := map[place]int64{}
	p.each(family, func(l labels, v float64) {
		if v >= 0 && v < math.MaxInt64 {
			list[l.place()] = int64(v)
		}
	})
	return list
}
