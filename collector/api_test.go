package collector_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api"
	"github.com/lagwatch/lagwatch/internal/api/apitest"
	"github.com/lagwatch/lagwatch/internal/api/document"
)

// numbers are those of groups, by cluster, group, topic, partition and family; what is
// not known is left out.
type numbers map[string]float64

// compared are the families that the documents have too.
var compared = []string{
	"group_lag", "group_lag_age_seconds", "group_members", "group_idle_members", "group_complete", "group_estimates_complete", "group_members_needed",
	"group_drain_seconds", "group_drain_low_seconds", "group_drain_high_seconds", "group_read_age_seconds", "group_lag_objective_seconds",
	"group_generation", "group_coordinator", "group_rewinds_total", "group_skips_total", "group_partitions_moved_total", "group_unstable_seconds_total",
	"group_rebalances_total", "group_topic_lag", "group_topic_uncommitted_offsets", "group_topic_lag_age_seconds", "group_topic_arrival_offsets_per_second",
	"group_topic_drain_offsets_per_second", "group_topic_drain_seconds", "group_topic_retention_headroom_seconds",
	"group_partition_lag", "group_partition_committed_offset", "group_partition_share_start_offset", "group_partition_lag_age_seconds",
	"group_condition",
}

// The API said that the estimates of a group of which nothing is known are complete, and
// the page that they are not. What both tell is the same, and known where the other's is.
func TestTheAPIAgreesWithThePage(t *testing.T) {
	onPage, inDocuments, inList := numbers{}, numbers{}, numbers{}
	views := apitest.Views()
	handler := api.New(views...)
	for _, v := range views {
		onPage.page(t, v.View)
	}
	for _, s := range ask[document.Groups](t, handler, "/api/v1/groups").Groups {
		if !s.Missing {
			inList.summary(&s)
			d := ask[document.GroupPartitions](t, handler, s.Path)
			inDocuments.document(&d)
		}
	}
	if d := cmp.Diff(onPage, inDocuments); d != "" {
		t.Errorf("-page +documents:\n%s", d)
	}
	for _, name := range compared {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(onPage)), func(k string) bool { return slices.Contains(strings.Fields(k), name) }) {
			t.Errorf("no group has %s: nothing was compared", name)
		}
	}
	for name, value := range inList {
		if shown, ok := onPage[name]; !ok || shown != value {
			t.Errorf("%s is %v in the list, and %v on the page", name, value, shown)
		}
	}
}

// page takes in what the page has of a view.
func (n numbers) page(t *testing.T, v *collector.View) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(collector.PageOf(t, v)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range compared {
		for _, m := range families["lagwatch_"+name].GetMetric() {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			name := strings.TrimSpace(name + " " + labels["source"] + labels["condition"])
			n[key(labels["kafka_cluster"], labels["group"], labels["topic"]+"/"+labels["partition"], name)] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
}

func key(cluster, group, place, name string) string {
	return strings.Join([]string{cluster, group, place, name}, " ")
}

// of puts what is known of a group, or of it on a topic.
type of struct {
	numbers
	cluster, group, place string // a topic and a partition, or less
}

func (o of) put(name string, value float64) {
	o.numbers[key(o.cluster, o.group, o.place, name)] = value
}

// number puts one that is known.
func number[T int | int32 | int64 | uint64 | float64](o of, name string, value *T) {
	if value != nil {
		o.put(name, float64(*value))
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (o of) estimates(kind string, e *document.Estimates) {
	number(o, kind+"_lag_age_seconds", e.LagAgeSeconds)
	if n, ok := e.Drain.Seconds.Get(); ok {
		o.put(kind+"_drain_seconds", n)
	}
	if kind == "group" {
		o.put("group_estimates_complete", truth(e.Complete))
		for name, s := range map[string]document.Seconds{"group_drain_low_seconds": e.LowSeconds, "group_drain_high_seconds": e.HighSeconds} {
			if n, ok := s.Get(); ok {
				o.put(name, n)
			}
		}
		return
	}
	number(o, kind+"_arrival_offsets_per_second", e.Arrival)
	number(o, kind+"_drain_offsets_per_second", e.DrainRate)
	number(o, kind+"_retention_headroom_seconds", e.Headroom)
}

// summary takes in what a list has of a group.
func (n numbers) summary(s *document.Summary) {
	o := of{n, s.Cluster, s.Group, "/"}
	number(o, "group_lag", s.Lag)
	number(o, "group_members", s.Members)
	o.put("group_complete", truth(*s.Complete))
	o.estimates("group", &s.Estimates)
}

// document takes in what a group's document has.
func (n numbers) document(d *document.GroupPartitions) {
	o := of{n, d.Cluster, d.Group.Group, "/"}
	number(o, "group_lag", d.Lag)
	number(o, "group_members_needed", d.MembersNeeded)
	number(o, "group_lag_objective_seconds", d.Objective)
	number(o, "group_read_age_seconds", d.ReadAgeSeconds)
	number(o, "group_generation", d.Generation)
	number(o, "group_coordinator", d.Coordinator)
	number(o, "group_idle_members", d.Ownership.Idle)
	o.put("group_complete", truth(*d.Complete))
	number(o, "group_rewinds_total", d.Rewinds)
	number(o, "group_skips_total", d.Skips)
	o.put("group_partitions_moved_total", float64(d.Ownership.Moved))
	o.put("group_unstable_seconds_total", d.Ownership.UnstableSeconds)
	for source, count := range d.Ownership.Rebalances {
		o.put("group_rebalances_total "+source, float64(count))
	}
	for condition, verdict := range d.Verdicts {
		if verdict != "unknown" {
			o.put("group_condition "+condition, truth(verdict == "holds"))
		}
	}
	if d.Members != nil {
		o.put("group_members", float64(len(d.Members)))
	}
	o.estimates("group", &d.Estimates)
	for i := range d.Topics {
		t := &d.Topics[i]
		o.place = t.Topic + "/"
		number(o, "group_topic_lag", t.Lag)
		number(o, "group_topic_uncommitted_offsets", t.Available)
		o.estimates("group_topic", &t.Estimates)
	}
	for i := range d.Partitions {
		p := &d.Partitions[i]
		o.place = fmt.Sprintf("%s/%d", p.Topic, p.Partition)
		number(o, "group_partition_lag", p.Lag)
		number(o, "group_partition_committed_offset", p.Committed)
		number(o, "group_partition_share_start_offset", p.ShareStart)
		number(o, "group_partition_lag_age_seconds", p.LagAge)
	}
}

func ask[T any](t *testing.T, h http.Handler, target string) (d T) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: status %d, %v", target, w.Code, err)
	}
	return d
}
