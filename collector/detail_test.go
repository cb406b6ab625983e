package collector

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// familiesShown are the families of a view, for each group ("" for those that are
// of none), without their prefix.
func familiesShown(v *View) map[string][]string {
	sets := map[string]map[string]bool{}
	samples(v, func(m *Metric, _ float64, labels []string) {
		group := ""
		if m.Detail > 0 {
			group = labels[1]
		}
		if sets[group] == nil {
			sets[group] = map[string]bool{}
		}
		sets[group][strings.TrimPrefix(m.Name, Prefix)] = true
	})
	out := map[string][]string{}
	for group, set := range sets {
		out[group] = slices.Sorted(maps.Keys(set))
	}
	return out
}

// without is what is left of what is shown when some families are taken away.
func without(shown map[string][]string, gone func(group string, m *Metric) bool) map[string][]string {
	out := map[string][]string{}
	for group, names := range shown {
		for _, name := range names {
			if m := metricNamed(name); !gone(group, m) {
				out[group] = append(out[group], name)
			}
		}
	}
	return out
}

func metricNamed(name string) *Metric {
	for _, m := range Metrics() {
		if m.Name == Prefix+name {
			return m
		}
	}
	panic("no metric " + name)
}

// everything is what the rich story shows with all families in full.
func everything() map[string][]string {
	return familiesShown(richStory(Options{Publish: allFamilies}).v)
}

// The table alone says what a detail has: of each group the rows down to its
// own, and all that is not of groups.
func TestDetailOfGroups(t *testing.T) {
	all := everything()
	of := map[string]Detail{"billing": DetailGroup, "audit": DetailTopic, "jobs": DetailTopic, "ledger": DetailPartition}
	detail := func(group string) Detail { return max(of[group], DetailGroup) }
	want := without(all, func(group string, m *Metric) bool { return m.Detail > detail(group) })
	got := familiesShown(richStory(Options{Publish: allFamilies, Detail: detail}).v)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-table +view:\n%s", diff)
	}
	levels := map[Detail]int{}
	for _, m := range Metrics() {
		levels[m.Detail]++
	}
	if len(levels) != 4 || cmp.Equal(want, all) {
		t.Errorf("rows by detail: %v; this test sees nothing", levels)
	}
}

// Labels say the same as the detail: without topics' series nothing of a group
// names a topic, and so on.
func TestDetailAndLabels(t *testing.T) {
	for _, m := range Metrics() {
		of := map[string]bool{}
		for _, l := range m.Labels {
			of[l] = true
		}
		want := Detail(0)
		if of["group"] {
			want = DetailGroup
			if of["topic"] {
				want = DetailTopic
			}
			if of["partition"] {
				want = DetailPartition
			}
		}
		if m.Detail != want {
			t.Errorf("%s has labels %v and detail %d, want %d", m.Name, m.Labels, m.Detail, want)
		}
	}
}

// Any family can be left out, for everything or for one group, and that changes
// no other; each optional one is there where it is asked for, and nowhere else.
func TestFamilies(t *testing.T) {
	all := everything()
	byDefault := without(all, func(_ string, m *Metric) bool { return m.Optional })
	for _, m := range Metrics() {
		if !m.OfChoice() {
			continue
		}
		name := strings.TrimPrefix(m.Name, Prefix)
		for _, c := range []struct {
			what    string
			publish publish
			want    map[string][]string
		}{
			{"left out", func(_, family string, _ bool) bool { return family != name },
				without(all, func(_ string, o *Metric) bool { return o == m })},
			{"left out for a group", func(group, family string, _ bool) bool { return family != name || group != "billing" },
				without(all, func(group string, o *Metric) bool { return o == m && group == "billing" })},
			{"asked for", func(_, family string, byDefault bool) bool { return byDefault || family == name },
				without(all, func(_ string, o *Metric) bool { return o.Optional && o != m })},
			{"asked for a group", func(group, family string, byDefault bool) bool {
				return byDefault || family == name && group == "billing"
			}, without(all, func(group string, o *Metric) bool { return o.Optional && (o != m || group != "billing") })},
		} {
			if diff := cmp.Diff(c.want, familiesShown(richStory(Options{Publish: c.publish}).v)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", name, c.what, diff)
			}
		}
	}
	if cmp.Equal(all, byDefault) {
		t.Error("no family is optional: this test sees nothing")
	}
}

// What is published is asked once for each family of choice, however many polls there are:
// of groups with the group, of all else with "", and with what the table says by
// default.
func TestWhatPublishIsAsked(t *testing.T) {
	asked, want := map[string]int{}, map[string]int{"detail of g": 1}
	w := New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) { return readNow() }), Options{
		Cluster: "main", Interval: interval,
		Publish: func(group, family string, byDefault bool) bool {
			asked[fmt.Sprintf("%q %s %v", group, family, byDefault)]++
			return byDefault
		},
		Detail: func(group string) Detail { asked["detail of "+group]++; return DetailPartition },
	})
	for range 3 {
		w.Poll(t.Context())
	}
	for _, m := range Metrics() {
		group := ""
		if m.Detail > 0 {
			group = "g"
		}
		if m.Always {
			continue
		}
		want[fmt.Sprintf("%q %s %v", group, strings.TrimPrefix(m.Name, Prefix), !m.Optional)] = 1
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("-want +asked:\n%s", diff)
	}
}

// A family that is left out leaves nothing on the page, neither help nor type.
func TestNoTraceOfWhatIsLeftOut(t *testing.T) {
	none := func(string, string, bool) bool { return false }
	page := parse(t, pageOf(t, richStory(Options{Publish: none}).v))
	if diff := cmp.Diff([]string{Prefix + "build_info"}, slices.Collect(maps.Keys(page))); diff != "" {
		t.Errorf("-want +page:\n%s", diff)
	}
	only := func(_, family string, _ bool) bool { return family == "group_lag" }
	page = parse(t, pageOf(t, richStory(Options{Publish: only}).v))
	if len(page) != 2 || len(groupsIn(page["lagwatch_group_lag"])) != 4 {
		t.Errorf("%v", page)
	}
}

// exclude: ".*" left out which groups max_series had lowered, while the log sent
// its reader there.
func TestLoweredIsNeverLeftOut(t *testing.T) {
	for name, publish := range map[string]publish{
		"left out":             func(_, family string, _ bool) bool { return family != "group_detail_lowered" },
		"all but one left out": func(_, family string, _ bool) bool { return family == "group_partition_lag" },
		"of one group":         func(group, family string, _ bool) bool { return group == "billing" && family == "group_partition_lag" },
	} {
		v := richStory(Options{Publish: publish, MaxSeries: 1}).v
		checkLowered(t, v)
		page := parse(t, pageOf(t, v))
		if got := groupsIn(page[lowering]); len(got) != v.lowered || v.lowered == 0 {
			t.Errorf("%s: %d groups are lowered, the page says %q", name, v.lowered, got)
		}
		if n := countSeries(v); n != v.series {
			t.Errorf("%s: %d series are counted, there are %d", name, v.series, n)
		}
		for _, m := range Metrics() {
			if m.Name == lowering && (m.OfChoice() || !m.Always) {
				t.Error("a config is said to have a choice")
			}
		}
	}
	none := richStory(Options{Publish: func(string, string, bool) bool { return false }, MaxSeries: 1}).v
	if none.lowered != 0 {
		t.Errorf("%d groups are lowered where nothing is spared", none.lowered)
	}
}

// lowering is the family that says which groups are lowered.
const lowering = Prefix + "group_detail_lowered"

func groupsIn(f *dto.MetricFamily) []string {
	var list []string
	for _, m := range f.GetMetric() {
		for _, l := range m.Label {
			if l.GetName() == "group" {
				list = append(list, l.GetValue())
			}
		}
	}
	return list
}

func TestParseDetail(t *testing.T) {
	for word, want := range map[string]Detail{"group": DetailGroup, "topic": DetailTopic, "partition": DetailPartition, "unknown": 0, "": 0, "Group": 0} {
		got, ok := ParseDetail(word)
		if got != want || ok != (want > 0) || ok && got.String() != word {
			t.Errorf("%q: %v, %v", word, got, ok)
		}
	}
}
