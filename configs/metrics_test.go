package configs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadMetrics(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   sources
		want Metrics
	}{
		{
			name: "not a word",
			in:   sources{yaml: "clusters: [{brokers: 'a:9092'}]"},
			want: Metrics{Detail: "partition", MaxSeries: 1_000_000},
		},
		{
			name: "every flag",
			in: sources{flags: []string{
				"--brokers=a:9092", "--metrics-include=a", "--metrics-include=b", "--metrics-exclude=c", "--metrics-detail=group", "--metrics-max-series=5",
			}},
			want: Metrics{Include: []string{"a", "b"}, Exclude: []string{"c"}, Detail: "group", MaxSeries: 5},
		},
		{
			name: "every variable",
			in: sources{env: []string{
				"LAGWATCH_BROKERS=a:9092", "LAGWATCH_METRICS_INCLUDE=a|b", "LAGWATCH_METRICS_EXCLUDE=c", "LAGWATCH_METRICS_DETAIL=topic", "LAGWATCH_METRICS_MAX_SERIES=0",
			}},
			want: Metrics{Include: []string{"a|b"}, Exclude: []string{"c"}, Detail: "topic"},
		},
		{
			name: "every key of a list item",
			in: sources{yaml: `
clusters:
  - brokers: a:9092
    metrics: {include: [a], exclude: b, detail: topic, max_series: 1, by_group: [{groups: c, detail: group, include: [d, e], exclude: f}, {groups: g}]}
`},
			want: Metrics{
				Include: []string{"a"}, Exclude: []string{"b"}, Detail: "topic", MaxSeries: 1,
				ByGroup: []GroupMetrics{{Groups: "c", Detail: "group", Include: []string{"d", "e"}, Exclude: []string{"f"}}, {Groups: "g"}},
			},
		},
		{
			name: "the top of the file, what it lacks is the default",
			in:   sources{yaml: "brokers: a:9092\nmetrics: {max_series: 0, by_group: [{groups: c, detail: topic}]}"},
			want: Metrics{Detail: "partition", ByGroup: []GroupMetrics{{Groups: "c", Detail: "topic"}}},
		},
		{
			name: "a flag beside what the only cluster says",
			in:   sources{yaml: "clusters: [{brokers: 'a:9092', metrics: {exclude: b, detail: topic, by_group: []}}]", flags: []string{"--metrics-detail=group"}},
			want: Metrics{Exclude: []string{"b"}, Detail: "group", MaxSeries: 1_000_000},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := cluster("default", "a:9092")
			want.Metrics = tt.want
			got, err := Load(tt.in.options(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Cluster{want}, got.Clusters); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLoadRefusesMetrics(t *testing.T) {
	in := func(keys string) sources {
		return sources{yaml: "clusters:\n- brokers: a:1\n  metrics: {" + keys + "}"}
	}
	checkFailures(t, []failure{
		{"an unknown detail", in("detail: partitions"), `lagwatch.yaml:3: clusters[0].metrics.detail: "partitions" is not known; write one of group, topic, partition`},
		{"an unknown detail of groups", in("by_group: [{groups: a, detail: none}]"),
			`lagwatch.yaml:3: clusters[0].metrics.by_group[0].detail: "none" is not known; write one of group, topic, partition`},
		{"below zero", sources{env: []string{"LAGWATCH_METRICS_MAX_SERIES=-1"}}, `env LAGWATCH_METRICS_MAX_SERIES: "-1" is out of range; write 0 or more`},
		{"no number", sources{flags: []string{"--metrics-max-series=1M"}}, `flag --metrics-max-series: "1M" is not a whole number; write one like 1000000`},
		{"a bad pattern", in("include: [a, 'b(']"),
			`lagwatch.yaml:3: clusters[0].metrics.include: item 1 "b(" is not an RE2 pattern (missing closing )); see https://github.com/google/re2/wiki/Syntax`},
		{"two families in one variable", sources{env: []string{"LAGWATCH_METRICS_INCLUDE=group_lag, group_members"}},
			`env LAGWATCH_METRICS_INCLUDE: "group_lag, group_members" is one pattern, with a comma in it; write group_lag|group_members for several, or [,] for a comma`},
		{"nobody's", in("by_group: [{groups: a}, {detail: topic}]"),
			"lagwatch.yaml:3: clusters[0].metrics.by_group[1]: has no groups; add groups: with a pattern like payments-.*"},
		{"nobody's at the top", sources{yaml: "brokers: a:1\nmetrics:\n  by_group:\n  - detail: topic"},
			"lagwatch.yaml:4: metrics.by_group[0]: has no groups; add groups: with a pattern like payments-.*"},
		{"nearly a key", in("by_group: [{group: a}]"), "lagwatch.yaml:3: clusters[0].metrics.by_group[0].group: unknown key; did you mean `groups`?"},
		{"a series limit by group", in("by_group: [{groups: a, max_series: 1}]"),
			"lagwatch.yaml:3: clusters[0].metrics.by_group[0].max_series: unknown key; known here: groups, detail, include, exclude"},
		{"for several clusters", sources{yaml: "clusters: [{name: a, brokers: a:1}, {name: b, brokers: b:1}]", flags: []string{"--metrics-detail=group"}},
			"flag --metrics-detail: fits a single cluster, but lagwatch.yaml lists 2; change clusters[].metrics.detail there, or leave one cluster in it"},
		{"twice", in("detail: topic}\nmetrics: {detail: group"), "lagwatch.yaml:4: metrics.detail: says again what clusters[0] says; leave one of the two out"},
	})
}

const publishing = `
brokers: a:1
metrics:
  include: [group_partition_.*, lagwatch_up]
  exclude: [group_partition_lost_.*, .*_owner]
  detail: topic
  by_group:
    - {groups: pay-raw}
    - {groups: pay-.*, detail: partition, include: [lagwatch_group_partition_lost_offsets], exclude: [group_.*_age_seconds, group_lag]}
    - {groups: pay.*|batch, detail: group, include: [group_lag, group_partition_owner], exclude: [group_lag]}
`

// byHand is what publishing says, with patterns that only a hand can write.
func byHand() *Cluster {
	return &Cluster{Metrics: Metrics{
		Include: []string{"(", "group_partition_.*", "lagwatch_up"},
		Exclude: []string{"group_partition_lost_.*", ".*_owner", "a)|(.*"},
		Detail:  "topic",
		ByGroup: []GroupMetrics{
			{Groups: "("},
			{Groups: "pay-raw"},
			{Groups: "pay-.*", Detail: "partition", Include: []string{"lagwatch_group_partition_lost_offsets"}, Exclude: []string{"group_.*_age_seconds", "group_lag"}},
			{Groups: "pay.*|batch", Detail: "group", Include: []string{"group_lag", "group_partition_owner"}, Exclude: []string{"group_lag"}},
		},
	}}
}

func TestPublishes(t *testing.T) {
	loaded, err := Load(sources{yaml: publishing}.options(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, group, family string
		byDefault, want     bool
	}{
		{name: "default", group: "other", family: "group_lag", byDefault: true, want: true},
		{name: "not default", group: "other", family: "group_rewinds_total"},
		{name: "included", group: "other", family: "group_partition_drain_seconds", want: true},
		{name: "excluded and included", group: "other", family: "group_partition_lost_offsets"},
		{name: "excluded default", group: "other", family: "group_partition_owner", byDefault: true},
		{name: "included for the group, excluded for all", group: "pay-a", family: "group_partition_lost_offsets", want: true},
		{name: "excluded for the group, included for all", group: "pay-a", family: "group_partition_commit_age_seconds"},
		{name: "excluded for the group, default", group: "pay-a", family: "group_lag", byDefault: true},
		{name: "excluded and included for the group", group: "batch", family: "group_lag", byDefault: true},
		{name: "nothing said for the group, included for all", group: "pay-a", family: "group_partition_drain_seconds", want: true},
		{name: "nothing said for the group, excluded for all", group: "pay-a", family: "group_partition_owner", byDefault: true},
		{name: "only the first entry counts", group: "pay-raw", family: "group_lag", byDefault: true, want: true},
		{name: "a later entry", group: "payroll", family: "group_partition_owner", want: true},
		{name: "groups are matched whole", group: "my-pay-a", family: "group_lag", byDefault: true, want: true},
		{name: "families are matched whole", group: "other", family: "group_partition_owners_total", want: true},
		{name: "of no group, with the prefix", family: "up", want: true},
		{name: "of no group, an entry's pattern", family: "group_lag", byDefault: true, want: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, c := range map[string]*Cluster{"loaded": &loaded.Clusters[0], "by hand": byHand()} {
				if got := c.Publishes(tt.group, tt.family, tt.byDefault); got != tt.want {
					t.Errorf("%s: got %t", how, got)
				}
			}
		})
	}
}

func TestDetailFor(t *testing.T) {
	loaded, err := Load(sources{yaml: publishing}.options(t))
	if err != nil {
		t.Fatal(err)
	}
	for group, want := range map[string]string{
		"other": "topic", "": "topic", "pay-raw": "topic", "pay-a": "partition", "payroll": "group", "batch": "group", "batches": "topic",
	} {
		for how, c := range map[string]*Cluster{"loaded": &loaded.Clusters[0], "by hand": byHand()} {
			if got := c.DetailFor(group); got != want {
				t.Errorf("%s: %q: got %s, want %s", how, group, got, want)
			}
		}
	}
	if got := new(Cluster).DetailFor("x"); got != "partition" || !new(Cluster).Publishes("x", "a", true) || new(Cluster).Publishes("x", "a", false) {
		t.Errorf("without a word: %s", got)
	}
	everyID := &Cluster{Metrics: Metrics{ByGroup: []GroupMetrics{{Groups: ".*", Detail: "group", Exclude: []string{"a"}}}}}
	if got := everyID.DetailFor(""); got != "partition" || !everyID.Publishes("", "a", true) {
		t.Errorf("the empty id has no entry, and got %s", got)
	}
}
