package configs

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestFamilyPatterns(t *testing.T) {
	for _, tt := range []struct {
		name, pattern string
		want          string // of the families below, those that match
	}{
		{name: "a name", pattern: "group_lag", want: "group_lag"},
		{name: "a full name", pattern: "lagwatch_group_lag", want: "group_lag"},
		{name: "full names", pattern: "lagwatch_up|lagwatch_group_lag", want: "up group_lag"},
		{name: "one full, one not", pattern: "lagwatch_up|group_lag", want: "up group_lag"},
		{name: "behind a group", pattern: "lagwatch_(up|broker_up)", want: "up broker_up"},
		{name: "an optional prefix", pattern: "(lagwatch_)?up", want: "up"},
		{name: "the end of a name is not the prefix's", pattern: ".*_up", want: "broker_up"},
		{name: "the begin of a name is not the prefix's", pattern: "l.*", want: "last_success_timestamp_seconds"},
		{name: "the prefix twice", pattern: "lagwatch_lagwatch_up"},
		{name: "the prefix alone", pattern: "lagwatch_"},
		{name: "all", pattern: "lagwatch_.*", want: "up broker_up last_success_timestamp_seconds group_lag"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Cluster{Metrics: Metrics{Include: []string{tt.pattern}}}
			var got []string
			for _, family := range []string{"up", "broker_up", "last_success_timestamp_seconds", "group_lag"} {
				if c.Publishes("", family, false) {
					got = append(got, family)
				}
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("matches %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnmatched(t *testing.T) {
	families := []string{"group_lag", "group_members", "up"}
	for _, tt := range []struct {
		name         string
		in           sources
		key, pattern string // empty where all match
	}{
		{name: "none", in: sources{flags: []string{"--brokers=a:1"}}},
		{
			name: "all match",
			in:   sources{yaml: "brokers: a:1\nmetrics: {include: [group_.*, lagwatch_up], exclude: lagwatch_group_lag, by_group: [{groups: x, include: ['.*'], exclude: [group_lag]}]}"},
		},
		{
			name: "the second of a list",
			in:   sources{yaml: "clusters:\n- brokers: a:1\n  metrics:\n    include: [up, group_lags, x]\n    exclude: [y]"},
			key:  "lagwatch.yaml:4: clusters[0].metrics.include[1]", pattern: "group_lags",
		},
		{
			name: "a single text",
			in:   sources{yaml: "brokers: a:1\nmetrics:\n  exclude: lagwatch_group_lags"},
			key:  "lagwatch.yaml:3: metrics.exclude[0]", pattern: "lagwatch_group_lags",
		},
		{
			name: "an exclude by group, in the list",
			in:   sources{yaml: "clusters:\n- brokers: a:1\n  metrics:\n    by_group:\n    - groups: a\n    - groups: b\n      include: [group_lag]\n      exclude: [group_members, .*_lag, '.*_age']"},
			key:  "lagwatch.yaml:8: clusters[0].metrics.by_group[1].exclude[2]", pattern: ".*_age",
		},
		{
			name: "by group, a family that is not of a group", // it was taken, and did nothing
			in:   sources{yaml: "brokers: a:1\nmetrics:\n  by_group:\n  - groups: a\n    exclude: [group_lag, up]"},
			key:  "lagwatch.yaml:5: metrics.by_group[0].exclude[1]", pattern: "up",
		},
		{
			name: "an include by group, at the top",
			in:   sources{yaml: "brokers: a:1\nmetrics:\n  by_group:\n  - groups: a\n    include: [ups]"},
			key:  "lagwatch.yaml:5: metrics.by_group[0].include[0]", pattern: "ups",
		},
		{
			name: "an alias in another cluster",
			in:   sources{yaml: "clusters:\n- name: a\n  brokers: a:1\n  metrics: &m\n    include: [up, ups]\n- {name: b, brokers: b:1, metrics: *m}"},
			key:  "lagwatch.yaml:5: clusters[1].metrics.include[1]", pattern: "ups",
		},
		{
			name: "a variable",
			in:   sources{env: []string{"LAGWATCH_BROKERS=a:1", "LAGWATCH_METRICS_EXCLUDE=ups"}},
			key:  "env LAGWATCH_METRICS_EXCLUDE", pattern: "ups",
		},
		{
			name: "the second of two flags, over the file",
			in:   sources{yaml: "clusters: [{brokers: 'a:1', metrics: {include: [x]}}]", flags: []string{"--metrics-include=up", "--metrics-include=ups"}},
			key:  "flag --metrics-include", pattern: "ups",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			loaded, err := Load(tt.in.options(t))
			if err != nil {
				t.Fatal(err)
			}
			key, pattern, ok := loaded.Clusters[len(loaded.Clusters)-1].Unmatched(families, families[:2])
			if key != tt.key || pattern != tt.pattern || ok != (tt.key != "") {
				t.Errorf("got %q, %q, %t, want %q, %q", key, pattern, ok, tt.key, tt.pattern)
			}
		})
	}
}

func TestUnmatchedByHand(t *testing.T) {
	for _, tt := range []struct {
		metrics Metrics
		key     string
	}{
		{Metrics{Include: []string{"up", "("}}, "metrics.include[1]"},
		{Metrics{Include: []string{"up"}, Exclude: []string{"x"}}, "metrics.exclude[0]"},
		{Metrics{ByGroup: []GroupMetrics{{Groups: "a", Include: []string{"up"}}, {Groups: "b", Exclude: []string{"x"}}}}, "metrics.by_group[1].exclude[0]"},
		{Metrics{Include: []string{"up"}, ByGroup: []GroupMetrics{{Groups: "("}}}, ""},
	} {
		c := Cluster{Metrics: tt.metrics}
		if key, _, ok := c.Unmatched([]string{"up"}, []string{"up"}); key != tt.key || ok != (tt.key != "") {
			t.Errorf("got %q, %t, want %q", key, ok, tt.key)
		}
	}
}

// The order of the four lists, against one long list of rules.
func TestPublishesLikeAListOfRules(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	names := []string{"a", "b", "c", "d"}
	some := func() []string {
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		return slices.Clone(names[:r.IntN(3)])
	}
	for range 300 {
		m := Metrics{Include: some(), Exclude: some()}
		for range r.IntN(3) {
			m.ByGroup = append(m.ByGroup, GroupMetrics{Include: some(), Exclude: some(), Groups: names[0]})
		}
		c := Cluster{Metrics: m}
		for _, group := range append(names, "") {
			for _, family := range names {
				byDefault := r.IntN(2) == 0
				if got, want := c.Publishes(group, family, byDefault), firstRule(m, group, family, byDefault); got != want {
					t.Fatalf("seed %d: %q, %s, default %t: got %t of %+v", seed, group, family, byDefault, got, m)
				}
			}
		}
	}
}

// firstRule knows names only, no patterns.
func firstRule(m Metrics, group, family string, byDefault bool) bool {
	type rule struct {
		family string
		says   bool
	}
	var rules []rule
	add := func(families []string, says bool) {
		for _, f := range families {
			rules = append(rules, rule{f, says})
		}
	}
	if i := slices.IndexFunc(m.ByGroup, func(g GroupMetrics) bool { return group != "" && g.Groups == group }); i >= 0 {
		add(m.ByGroup[i].Exclude, false)
		add(m.ByGroup[i].Include, true)
	}
	add(m.Exclude, false)
	add(m.Include, true)
	add([]string{family}, byDefault)
	return rules[slices.IndexFunc(rules, func(r rule) bool { return r.family == family })].says
}

func TestMetricsEqual(t *testing.T) {
	base := func() Metrics {
		return Metrics{
			Include: []string{"a"}, Exclude: []string{"b"}, Detail: "topic", MaxSeries: 1,
			ByGroup: []GroupMetrics{{Groups: "c", Detail: "group", Include: []string{"d"}, Exclude: []string{"e"}}},
		}
	}
	loaded, err := Load(sources{yaml: "brokers: a:1\nmetrics: {include: a, exclude: b, detail: topic, max_series: 1, by_group: [{groups: c, detail: group, include: d, exclude: e}]}"}.options(t))
	if err != nil {
		t.Fatal(err)
	}
	if !base().Equal(loaded.Clusters[0].Metrics) {
		t.Error("one by hand and the same loaded differ")
	}
	for name, edit := range map[string]func(*Metrics){
		"include":            func(m *Metrics) { m.Include = nil },
		"exclude":            func(m *Metrics) { m.Exclude = []string{"x"} },
		"detail":             func(m *Metrics) { m.Detail = "group" },
		"max series":         func(m *Metrics) { m.MaxSeries = 2 },
		"an entry more":      func(m *Metrics) { m.ByGroup = append(m.ByGroup, GroupMetrics{}) },
		"an entry's groups":  func(m *Metrics) { m.ByGroup[0].Groups = "x" },
		"an entry's detail":  func(m *Metrics) { m.ByGroup[0].Detail = "" },
		"an entry's include": func(m *Metrics) { m.ByGroup[0].Include = nil },
		"an entry's exclude": func(m *Metrics) { m.ByGroup[0].Exclude = []string{"x"} },
	} {
		other := base()
		if edit(&other); base().Equal(other) || other.Equal(base()) {
			t.Errorf("another %s is equal", name)
		}
	}
}
