//go:build !breaking && !soak

package integration

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// familiesOf are the families that a page has of a group, or of none ("").
func familiesOf(p *page, group string) []string {
	var list []string
	for name, all := range p.families {
		if !strings.HasPrefix(name, collector.Prefix) {
			continue
		}
		if slices.ContainsFunc(all, func(s sample) bool { return s.labels["group"] == group }) {
			list = append(list, strings.TrimPrefix(name, collector.Prefix))
		}
	}
	slices.Sort(list)
	return list
}

// From a config file to the page: families and detail, for all groups and by
// group; what the table says of the rows is all that the test knows of them.
func TestMetricsAsConfigured(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 2}})
	for group, next := range map[string]int64{"plain": 1, "batch-a": 2, "batch-b": 3, "few": 0} {
		if err := c.CommitAll(t.Context(), group, "orders", map[int32]int64{0: next, 1: 0}); err != nil {
			t.Fatal(err)
		}
	}
	groups := []string{"batch-a", "batch-b", "few", "plain"}
	get := func(settings ...string) map[string][]string {
		l := startLagwatch(t, c.Addrs(), settings...)
		p := l.await(t, 30*time.Second, "rates to be known", func(p *page) bool { return p.polls("complete") >= 3 && p.complete(groups...) })
		l.end(t)
		out := map[string][]string{}
		for _, group := range append(groups, "") {
			out[group] = familiesOf(p, group)
		}
		return out
	}
	all := get(`metrics: {include: [".*"]}`)
	want := func(keep func(group, family string, m *collector.Metric) bool) map[string][]string {
		out := map[string][]string{}
		for _, m := range collector.Metrics() {
			name := strings.TrimPrefix(m.Name, collector.Prefix)
			for group := range all {
				if slices.Contains(all[group], name) && (name == "build_info" || keep(group, name, m)) {
					out[group] = append(out[group], name)
				}
			}
		}
		for group := range out {
			slices.Sort(out[group])
		}
		return out
	}
	const lost = "group_partition_lost_offsets"
	for _, tt := range []struct {
		name     string
		settings []string
		keep     func(group, family string, m *collector.Metric) bool
	}{
		{"nothing said", nil, func(_, _ string, m *collector.Metric) bool { return !m.Optional }},
		{"include and exclude", []string{`metrics:`, `  include: [` + lost + `]`, `  exclude: [lagwatch_partition_start_offset, "group_topic_.*"]`},
			func(_, family string, m *collector.Metric) bool {
				return family != "partition_start_offset" && !strings.HasPrefix(family, "group_topic_") && (!m.Optional || family == lost)
			}},
		{"detail", []string{`metrics: {detail: topic}`},
			func(_, _ string, m *collector.Metric) bool { return !m.Optional && m.Detail <= collector.DetailTopic }},
		{"by group", []string{`metrics:`, `  detail: topic`, `  exclude: [group_state]`, `  by_group:`,
			`    - {groups: "few", detail: group}`,
			`    - {groups: "batch-.*", detail: partition, include: [group_state, ` + lost + `], exclude: [group_members]}`},
			func(group, family string, m *collector.Metric) bool {
				switch {
				case strings.HasPrefix(group, "batch-"):
					return family != "group_members" && (!m.Optional || family == lost)
				case group == "few" && m.Detail > collector.DetailGroup, m.Detail > collector.DetailTopic:
					return false
				}
				return family != "group_state" && !m.Optional
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(want(tt.keep), get(tt.settings...)); diff != "" {
				t.Errorf("families by group (-want +page):\n%s", diff)
			}
		})
	}
}

// From the config file to the page and the log: above max_series the groups with
// the least lag lose their partitions, and which they are is said.
func TestMaxSeriesAsConfigured(t *testing.T) {
	c := startLab(t, lab.Options{Brokers: 1, Topics: map[string]int32{"orders": 20}})
	if _, err := c.Produce(t.Context(), "orders", 0, 100); err != nil {
		t.Fatal(err)
	}
	next := map[int32]int64{}
	for p := range int32(20) {
		next[p] = 0
	}
	for group, n := range map[string]int64{"behind": 0, "ahead": 90} {
		next[0] = n
		if err := c.CommitAll(t.Context(), group, "orders", next); err != nil {
			t.Fatal(err)
		}
	}
	l := startLagwatch(t, c.Addrs(), `metrics: {max_series: 250}`)
	p := l.awaitPoll(t, time.Time{}, "behind", "ahead")
	if n := p.series(); n > 250 || n < 150 {
		t.Errorf("%d series", n)
	}
	if len(p.find(lagOf, labels{"group": "behind"})) != 20 || len(p.find(lagOf, labels{"group": "ahead"})) != 0 {
		t.Error("the group with more lag is not the one with its partitions")
	}
	if got := p.families["lagwatch_group_detail_lowered"]; len(got) != 1 || got[0].labels["group"] != "ahead" || got[0].labels["detail"] != "topic" {
		t.Errorf("lowered: %v", got)
	}
	if !p.shows(10, "lagwatch_group_lag", labels{"group": "ahead"}) || !p.shows(100, "lagwatch_group_lag", labels{"group": "behind"}) {
		t.Error("a group's own lag is wrong")
	}
	l.await(t, time.Minute, "three polls", func(p *page) bool { return p.polls("") >= 3 })
	if n := strings.Count(l.log.String(), `shown in less detail`); n != 1 || !strings.Contains(l.log.String(), `"\"ahead\" (topic)"`) {
		t.Errorf("it is said %d times, in the log:\n%s", n, l.log)
	}
}

// series counts those that are of the cluster.
func (p *page) series() (n int) {
	for name, all := range p.families {
		if strings.HasPrefix(name, collector.Prefix) && name != "lagwatch_build_info" {
			n += len(all)
		}
	}
	return n
}
