package configs

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// thresholds are the defaults but for some.
func thresholds(other map[string]any) map[string]any {
	all := map[string]any{}
	for _, k := range conditionKeys()[2:] {
		all[k.name()], _ = k.parse(k.Default)
	}
	maps.Copy(all, other)
	return all
}

// An entry overrides what it names and leaves the rest as it is by default.
func TestConditionsFor(t *testing.T) {
	loaded, err := Load(sources{yaml: `
brokers: a:1
conditions:
  - {groups: pay|refund, behind: 2m, pause: 1.5}
  - {groups: "pay.*", moved: 7}
  - groups: (?i)BATCH-\d+
`}.options(t))
	if err != nil {
		t.Fatal(err)
	}
	first, second := thresholds(map[string]any{"behind": 2 * time.Minute, "pause": 1.5}), thresholds(map[string]any{"moved": 7})
	byHand := &Config{Conditions: []Conditions{
		{Groups: "a)|(b"},
		{Groups: "pay|refund", Thresholds: first},
		{Groups: "pay.*", Thresholds: second},
		{Groups: `(?i)BATCH-\d+`, Thresholds: thresholds(nil)},
	}}
	for group, want := range map[string]map[string]any{
		"pay": first, "refund": first, "payments": second, "batch-1": thresholds(nil), "refunds": nil, "xpay": nil, "": nil,
	} {
		for name, c := range map[string]*Config{"loaded": loaded, "by hand": byHand} {
			var got map[string]any
			if entry := c.ConditionsFor(group); entry != nil {
				got = entry.Thresholds
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %q (-want +got):\n%s", name, group, diff)
			}
		}
	}
}

// Every threshold can be set, and to no less than its least.
func TestEveryThreshold(t *testing.T) {
	for _, k := range conditionKeys()[2:] {
		least, err := k.parse(k.Min)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Load(sources{yaml: "brokers: a:1\nconditions: [{groups: a, " + k.name() + ": " + k.Min + "}]"}.options(t))
		if err != nil {
			t.Errorf("%s: %v", k.Path, err)
			continue
		}
		if diff := cmp.Diff(thresholds(map[string]any{k.name(): least}), c.ConditionsFor("a").Thresholds); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.Path, diff)
		}
		if c, err := Load(sources{yaml: "brokers: a:1\nconditions: [{groups: a, " + k.name() + ": -1}]"}.options(t)); err == nil {
			t.Errorf("%s: -1 makes %+v", k.Path, c.Conditions)
		}
	}
}

// Names are taken as they are: a comma or a pattern's sign in one means nothing, and
// lower and upper case are two.
func TestExpectedGroups(t *testing.T) {
	for name, tt := range map[string]struct {
		yaml string
		want []string
	}{
		"none":                {"brokers: a:1", nil},
		"one text":            {"brokers: a:1\nexpected_groups: Pay, ments", []string{"Pay, ments"}},
		"a list":              {"brokers: a:1\nexpected_groups: [pay, Pay, '.*(', \"a\\tb\"]", []string{"pay", "Pay", ".*(", "a\tb"}},
		"of a cluster's own":  {"clusters: [{brokers: a:1, expected_groups: [x]}]", []string{"x"}},
		"that groups include": {"brokers: a:1\ngroups: {include: [p.*], exclude: [q]}\nexpected_groups: [pay]", []string{"pay"}},
	} {
		c, err := Load(sources{yaml: tt.yaml}.options(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, c.Clusters[0].ExpectedGroups); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLoadRefusesConditions(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "nearly a threshold",
			in:   sources{yaml: "brokers: a:1\nconditions:\n- groups: a\n  at-risk: 1h"},
			want: "lagwatch.yaml:4: conditions[0].at-risk: unknown key; did you mean `at_risk`?",
		},
		{
			name: "for no groups",
			in:   sources{yaml: "brokers: a:1\nconditions:\n- behind: 1m"},
			want: "lagwatch.yaml:3: conditions[0]: has no groups; add groups: with a pattern like payments-.*",
		},
		{
			name: "a duration without a unit",
			in:   sources{yaml: "brokers: a:1\nconditions: [{groups: a, behind: 30}]"},
			want: `lagwatch.yaml:2: conditions[0].behind: "30" has no unit; write 30s`,
		},
		{
			name: "a word for a number",
			in:   sources{yaml: "brokers: a:1\nconditions: [{groups: a, hot: twice}]"},
			want: `lagwatch.yaml:2: conditions[0].hot: "twice" is read as a string; write a number, without quotes`,
		},
		{
			name: "no end of a number",
			in:   sources{yaml: "brokers: a:1\nconditions: [{groups: a, hot: .inf}]"},
			want: `lagwatch.yaml:2: conditions[0].hot: ".inf" is not a number; write one like 2`,
		},
		{
			name: "less than makes sense",
			in:   sources{yaml: "brokers: a:1\nconditions: [{groups: a, pause: 0.9}]"},
			want: `lagwatch.yaml:2: conditions[0].pause: "0.9" is out of range; write 1 or more`,
		},
		{
			// Above 254 the last verdict never ended; what was above 127 of the others, was 127.
			name: "more polls than are counted",
			in:   sources{yaml: "brokers: a:1\nconditions: [{groups: a, keep: 255}]"},
			want: `lagwatch.yaml:2: conditions[0].keep: "255" is out of range; write 0 to 100`,
		},
		{
			name: "a fraction of a poll",
			in:   sources{yaml: "brokers: a:1\nconditions: [{groups: a, enter: 1.5}]"},
			want: `lagwatch.yaml:2: conditions[0].enter: "1.5" is read as a number with a fraction; write a whole number, without quotes`,
		},
		{
			name: "an expected group that is never looked at",
			in:   sources{yaml: "brokers: a:1\ngroups: {exclude: [pay.*]}\nexpected_groups: [x, pay-1]"},
			want: `lagwatch.yaml:3: expected_groups: "pay-1" is left out by groups, so it would never be seen; leave it out here, or let groups include it`,
		},
		{
			name: "an expected group without a name",
			in:   sources{yaml: "brokers: a:1\nexpected_groups: [x, '']"},
			want: `lagwatch.yaml:2: expected_groups: item 1 is empty; write a name, or leave it out`,
		},
		{
			name: "an expected group twice",
			in:   sources{yaml: "clusters: [{brokers: a:1, expected_groups: [x, x]}]"},
			want: `lagwatch.yaml:1: clusters[0].expected_groups: item 1 "x" stands there twice; leave one out`,
		},
		{
			name: "a number for a group",
			in:   sources{yaml: "brokers: a:1\nexpected_groups: [7]"},
			want: `lagwatch.yaml:2: expected_groups: item 0 "7" is read as a number; put it in quotes`,
		},
	})
}
