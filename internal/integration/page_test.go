package integration

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// The families that most tests look at.
const (
	lagOf       = "lagwatch_group_partition_lag"
	committedOf = "lagwatch_group_partition_committed_offset"
	ownerOf     = "lagwatch_group_partition_owner"
	endOf       = "lagwatch_partition_end_offset"
	startOf     = "lagwatch_partition_start_offset"

	shareStartOf = "lagwatch_group_partition_share_start_offset"
)

// labels are a series' labels, or some of them.
type labels = map[string]string

// sample is one series of a page and its value.
type sample struct {
	labels labels
	value  float64
}

// page is one scrape: everything on it belongs to one view of a cluster, and so
// to one poll.
type page struct {
	asked    time.Time // just before the scrape
	families map[string][]sample
}

// parsePage reads the text format. No series may stand in it twice.
func parsePage(r io.Reader, asked time.Time) (*page, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	p := &page{asked: asked, families: map[string][]sample{}}
	for name, f := range families {
		seen := map[string]bool{}
		for _, m := range f.GetMetric() {
			s := sample{labels: labels{}, value: valueOf(m)}
			for _, l := range m.GetLabel() {
				s.labels[l.GetName()] = l.GetValue()
			}
			key := fmt.Sprint(s.labels) // fmt sorts maps by key
			if seen[key] {
				return nil, fmt.Errorf("%s%v stands on the page twice", name, s.labels)
			}
			seen[key] = true
			p.families[name] = append(p.families[name], s)
		}
	}
	return p, nil
}

// valueOf is a gauge's or counter's value; lagwatch has no other kinds.
func valueOf(m *dto.Metric) float64 {
	switch {
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	case m.Counter != nil:
		return m.Counter.GetValue()
	}
	return math.NaN()
}

// find returns the series of a family whose labels include those of match.
func (p *page) find(name string, match labels) []sample {
	var found []sample
	for _, s := range p.families[name] {
		fits := true
		for label, value := range match {
			fits = fits && s.labels[label] == value
		}
		if fits {
			found = append(found, s)
		}
	}
	return found
}

// value returns the value of the one series that matches; not ok if there is
// none. Several are a mistake in the test.
func (p *page) value(name string, match labels) (value float64, ok bool) {
	found := p.find(name, match)
	if len(found) > 1 {
		panic(fmt.Sprintf("%d series of %s match %v", len(found), name, match))
	}
	if len(found) == 0 {
		return 0, false
	}
	return found[0].value, true
}

// shows is whether exactly that value is there.
func (p *page) shows(value float64, name string, match labels) bool {
	got, ok := p.value(name, match)
	return ok && got == value
}

// sum adds up the series that match; 0 if there are none.
func (p *page) sum(name string, match labels) float64 {
	total := 0.0
	for _, s := range p.find(name, match) {
		total += s.value
	}
	return total
}

// offsets returns the series that match by topic and partition, which must tell
// them apart.
func (p *page) offsets(name string, match labels) testkafka.Offsets {
	out := testkafka.Offsets{}
	for _, s := range p.find(name, match) {
		at := placeOf(s)
		if _, twice := out[at]; twice {
			panic(fmt.Sprintf("several series of %s match %v at %v", name, match, at))
		}
		if s.value != math.Trunc(s.value) {
			panic(fmt.Sprintf("%s%v is %v", name, s.labels, s.value))
		}
		out[at] = int64(s.value)
	}
	return out
}

func placeOf(s sample) testkafka.TopicPartition {
	partition, err := strconv.Atoi(s.labels["partition"])
	if err != nil {
		panic(fmt.Sprintf("series %v: %v", s.labels, err))
	}
	return testkafka.TopicPartition{Topic: s.labels["topic"], Partition: partition}
}

// groupOffsets is offsets for one group.
func (p *page) groupOffsets(name, group string) testkafka.Offsets {
	return p.offsets(name, labels{"group": group})
}

// owner is who owns a partition, as the page names it. In a text form, several
// owners of one partition would be seen: "a@127.0.0.1 b@127.0.0.1".
type owner string

// owners returns who owns what in a group.
func (p *page) owners(group string) map[testkafka.TopicPartition]owner {
	lists := map[testkafka.TopicPartition][]string{}
	for _, s := range p.find(ownerOf, labels{"group": group}) {
		lists[placeOf(s)] = append(lists[placeOf(s)], s.labels["client_id"]+"@"+s.labels["host"])
	}
	out := map[testkafka.TopicPartition]owner{}
	for at, list := range lists {
		slices.Sort(list)
		out[at] = owner(strings.Join(list, " "))
	}
	return out
}

// groups lists the groups on the page.
func (p *page) groups() []string {
	set := map[string]bool{}
	for _, s := range p.families["lagwatch_group_info"] {
		set[s.labels["group"]] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// complete is whether the last poll renewed every part of all these groups.
func (p *page) complete(groups ...string) bool {
	for _, g := range groups {
		if !p.shows(1, "lagwatch_group_complete", labels{"group": g}) {
			return false
		}
	}
	return true
}

// pollBegan is when the poll that the page shows began, up to a millisecond
// early; not ok if the last poll failed. For pages of one cluster.
func (p *page) pollBegan() (began time.Time, ok bool) {
	ended, ok1 := p.pollEnded()
	took, ok2 := p.value("lagwatch_poll_duration_seconds", nil)
	return ended.Add(-time.Duration(took * float64(time.Second))), ok1 && ok2
}

// pollEnded is when it ended.
func (p *page) pollEnded() (ended time.Time, ok bool) {
	at, ok := p.value("lagwatch_last_success_timestamp_seconds", nil)
	return time.UnixMilli(int64(math.Round(at * 1000))), ok && p.shows(1, "lagwatch_up", nil)
}

// polls is how many polls have ended so far, with a result or with any ("").
func (p *page) polls(result string) int {
	if result == "" {
		return int(p.sum("lagwatch_polls_total", nil))
	}
	return int(p.sum("lagwatch_polls_total", labels{"result": result}))
}

// missed is how many polls so far were not complete.
func (p *page) missed() int { return p.polls("") - p.polls("complete") }
