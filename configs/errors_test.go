package configs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// failure is a case of which the whole error text is known.
type failure struct {
	name string
	in   sources
	want string
}

func checkFailures(t *testing.T, cases []failure) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Load(tt.in.options(t))
			if err == nil {
				t.Fatalf("no error, and %+v", got)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestLoadRefusesKeys(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "nearly a key of a list item",
			in:   sources{yaml: "clusters:\n- name: one\n  brokers: a:1\n- name: two\n  broker: b:1\n"},
			want: "lagwatch.yaml:5: clusters[1].broker: unknown key; did you mean `brokers`?",
		},
		{
			name: "nearly a section",
			in:   sources{yaml: "brokers: a:1\nlogs: {}\n"},
			want: "lagwatch.yaml:2: logs: unknown key; did you mean `log`?",
		},
		{
			name: "nothing near",
			in:   sources{yaml: "brokers: a:1\nlog:\n  verbosity: 3\n"},
			want: "lagwatch.yaml:3: log.verbosity: unknown key; known here: level, format",
		},
		{
			name: "camel case",
			in:   sources{yaml: "clusters: [{brokers: a:1, staleAfter: 1m}]"},
			want: "lagwatch.yaml:1: clusters[0].staleAfter: unknown key; did you mean `stale_after`?",
		},
		{
			// viper would take it for brokers.
			name: "upper case in a list item",
			in:   sources{yaml: "clusters: [{BROKERS: a:1}]"},
			want: "lagwatch.yaml:1: clusters[0].BROKERS: unknown key; did you mean `brokers`?",
		},
		{
			name: "upper case at the top",
			in:   sources{yaml: "Listen: ':1'"},
			want: "lagwatch.yaml:1: Listen: unknown key; did you mean `listen`?",
		},
		{
			name: "a flag's name",
			in:   sources{yaml: "web-config-file: x"},
			want: "lagwatch.yaml:1: web-config-file: unknown key; did you mean `web_config_file`?",
		},
		{
			// viper would take it for the level in the section.
			name: "dots in a key",
			in:   sources{yaml: "log.level: debug"},
			want: "lagwatch.yaml:1: \"log.level\": unknown key; known here: listen, web_config_file, pprof, log, interval, history, seed, cluster, brokers, tls, sasl, groups, expected_groups, topics, isolation, metrics, clusters, objectives, conditions",
		},
		{
			name: "control characters in a key",
			in:   sources{yaml: `log: {"a\nb": 1}`},
			want: `lagwatch.yaml:1: log."a\nb": unknown key; known here: level, format`,
		},
		{
			name: "without a value",
			in:   sources{yaml: "verbose:"},
			want: "lagwatch.yaml:1: verbose: unknown key; known here: listen, web_config_file, pprof, log, interval, history, seed, cluster, brokers, tls, sasl, groups, expected_groups, topics, isolation, metrics, clusters, objectives, conditions",
		},
		{
			name: "through a merge",
			in:   sources{yaml: "clusters:\n- &a\n  brokers: a:1\n- <<: *a\n  name: b\n  x: 1"},
			want: "lagwatch.yaml:6: clusters[1].x: unknown key; known here: name, brokers, interval, history, seed, stale_after, start_offset_interval, request_timeout, max_groups_per_request, max_partitions_per_request, client_id, tls, sasl, groups, expected_groups, topics, isolation, metrics",
		},
		{
			name: "twice at the top",
			in:   sources{yaml: "listen: ':1'\nbrokers: a:1\nlisten: ':2'"},
			want: "lagwatch.yaml:3: listen: stands in line 1 already; keep one of the two",
		},
		{
			name: "twice in a list item",
			in:   sources{yaml: "clusters:\n- name: x\n  brokers: a:1\n  name: y"},
			want: "lagwatch.yaml:4: clusters[0].name: stands in line 2 already; keep one of the two",
		},
		{
			name: "a list as key",
			in:   sources{yaml: "? [a]\n: 1"},
			want: `lagwatch.yaml:1: "?": the key is a list; write a plain word`,
		},
		{
			name: "several",
			in:   sources{yaml: "a: 1\nb: 2\n", flags: []string{"--interval=10"}},
			want: "lagwatch.yaml:1: a: unknown key; known here: listen, web_config_file, pprof, log, interval, history, seed, cluster, brokers, tls, sasl, groups, expected_groups, topics, isolation, metrics, clusters, objectives, conditions (and 2 more)",
		},
	})
}

func TestLoadRefusesValues(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "duration without unit in the file",
			in:   sources{yaml: "interval: 10"},
			want: `lagwatch.yaml:1: interval: "10" has no unit; write 10s`,
		},
		{
			name: "duration without unit in a flag",
			in:   sources{flags: []string{"--interval=1.5"}},
			want: `flag --interval: "1.5" has no unit; write 1.5s`,
		},
		{
			name: "duration without unit in the environment",
			in:   sources{env: []string{"LAGWATCH_INTERVAL=10"}},
			want: `env LAGWATCH_INTERVAL: "10" has no unit; write 10s`,
		},
		{
			name: "duration in days",
			in:   sources{yaml: "objectives: [{groups: a, age: 1d}]"},
			want: `lagwatch.yaml:1: objectives[0].age: "1d" is not a duration; write one like 10s, 5m or 1h30m`,
		},
		{
			name: "empty duration",
			in:   sources{flags: []string{"--interval="}},
			want: `flag --interval: "" is not a duration; write one like 10s, 5m or 1h30m`,
		},
		{
			name: "zero",
			in:   sources{yaml: "interval: 0"},
			want: `lagwatch.yaml:1: interval: "0" is out of range; write 1s to 1h`,
		},
		{
			name: "too long",
			in:   sources{flags: []string{"--interval=61m"}},
			want: `flag --interval: "61m" is out of range; write 1s to 1h`,
		},
		{
			name: "negative",
			in:   sources{yaml: "clusters: [{brokers: a:1, start_offset_interval: -5s}]"},
			want: `lagwatch.yaml:1: clusters[0].start_offset_interval: "-5s" is out of range; write 1s or more`,
		},
		{
			name: "a bad value that a flag overrides",
			in:   sources{yaml: "brokers: a:1\ninterval: soon", flags: []string{"--interval=10s"}},
			want: `lagwatch.yaml:2: interval: "soon" is not a duration; write one like 10s, 5m or 1h30m`,
		},
		{
			name: "number out of range",
			in:   sources{yaml: "clusters: [{brokers: a:1, max_groups_per_request: 0}]"},
			want: `lagwatch.yaml:1: clusters[0].max_groups_per_request: "0" is out of range; write 1 or more`,
		},
		{
			name: "number too large for a machine",
			in:   sources{yaml: "clusters: [{brokers: a:1, max_groups_per_request: 9223372036854775808}]"},
			want: `lagwatch.yaml:1: clusters[0].max_groups_per_request: "9223372036854775808" does not fit an integer; write a smaller number`,
		},
		{
			name: "text for a number",
			in:   sources{yaml: "clusters: [{brokers: a:1, max_groups_per_request: '5'}]"},
			want: `lagwatch.yaml:1: clusters[0].max_groups_per_request: "5" is read as a string; write a whole number, without quotes`,
		},
		{
			name: "fraction for a number",
			in:   sources{yaml: "clusters: [{brokers: a:1, max_groups_per_request: 1.5}]"},
			want: `lagwatch.yaml:1: clusters[0].max_groups_per_request: "1.5" is read as a number with a fraction; write a whole number, without quotes`,
		},
		{
			name: "text for a boolean",
			in:   sources{yaml: "pprof: yes"},
			want: `lagwatch.yaml:1: pprof: "yes" is read as a string; write true or false, without quotes`,
		},
		{
			name: "text for a boolean in the environment",
			in:   sources{env: []string{"LAGWATCH_PPROF=on"}},
			want: `env LAGWATCH_PPROF: "on" is not a boolean; write true or false`,
		},
		{
			name: "boolean for a word",
			in:   sources{yaml: "seed: false"},
			want: `lagwatch.yaml:1: seed: "false" is read as a boolean; write one of on, off`,
		},
		{
			name: "history that is too short",
			in:   sources{flags: []string{"--history=30s"}},
			want: `flag --history: "30s" is out of range; write 1m to 24h`,
		},
		{
			name: "number for a text",
			in:   sources{yaml: "clusters: [{brokers: a:1, name: 2024}]"},
			want: `lagwatch.yaml:1: clusters[0].name: "2024" is read as a number; put it in quotes`,
		},
		{
			name: "list for a text",
			in:   sources{yaml: "listen: [a]"},
			want: `lagwatch.yaml:1: listen: is a list; write one address`,
		},
		{
			name: "tag of its own",
			in:   sources{yaml: "interval: !secret x"},
			want: `lagwatch.yaml:1: interval: has the tag "!secret"; leave the tag out`,
		},
		{
			name: "text for a section",
			in:   sources{yaml: "log: debug"},
			want: `lagwatch.yaml:1: log: is a string, not a mapping; write its keys below it, indented`,
		},
		{
			name: "mapping for a list",
			in:   sources{yaml: "clusters:\n  prod: {brokers: a:1}"},
			want: `lagwatch.yaml:1: clusters: is a mapping, not a list; start each item with a dash`,
		},
		{
			name: "text for a list item",
			in:   sources{yaml: "clusters:\n- prod"},
			want: `lagwatch.yaml:2: clusters[0]: is a string, not a mapping; write keys like name: after the dash`,
		},
		{
			name: "level",
			in:   sources{flags: []string{"--log-level=INFO"}},
			want: `flag --log-level: "INFO" is not known; write one of debug, info, warn, error`,
		},
		{
			name: "format",
			in:   sources{yaml: "log: {format: logfmt}"},
			want: `lagwatch.yaml:1: log.format: "logfmt" is not known; write one of text, json`,
		},
		{
			name: "empty name",
			in:   sources{flags: []string{"--cluster="}},
			want: `flag --cluster: is empty; leave it out for default`,
		},
		{
			name: "control character",
			in:   sources{flags: []string{"--cluster=a\nb"}},
			want: `flag --cluster: "a\nb" has a control character in it; leave that out`,
		},
		{
			name: "not UTF-8",
			in:   sources{env: []string{"LAGWATCH_CLUSTER=\xff"}},
			want: `env LAGWATCH_CLUSTER: "\xff" is not UTF-8; write it in UTF-8`,
		},
		{
			name: "long",
			in:   sources{flags: []string{"--log-level=" + strings.Repeat("x", 200)}},
			want: `flag --log-level: "` + strings.Repeat("x", 80) + `"… is not known; write one of debug, info, warn, error`,
		},
		{
			name: "pattern",
			in:   sources{yaml: "objectives: [{groups: 'a\tb('}]"},
			want: `lagwatch.yaml:1: objectives[0].groups: "a\tb(" is not an RE2 pattern (missing closing )); see https://github.com/google/re2/wiki/Syntax`,
		},
		{
			// Wrapping the pattern to match whole ids would make it valid.
			name: "pattern that closes a group it did not open",
			in:   sources{yaml: "objectives: [{groups: 'a)|(b'}]"},
			want: `lagwatch.yaml:1: objectives[0].groups: "a)|(b" is not an RE2 pattern (unexpected )); see https://github.com/google/re2/wiki/Syntax`,
		},
		{
			name: "empty pattern",
			in:   sources{yaml: "objectives: [{groups: ''}]"},
			want: `lagwatch.yaml:1: objectives[0].groups: is empty; write a pattern like payments-.*`,
		},
		{
			name: "share of the time that is too little",
			in:   sources{yaml: "brokers: a:1\nobjectives:\n- groups: a\n  target: 0.4999"},
			want: `lagwatch.yaml:4: objectives[0].target: "0.4999" is out of range; write 0.5 to 0.9999`,
		},
		{
			// It leaves no error budget, so that any lateness would burn it.
			name: "all of the time",
			in:   sources{yaml: "objectives: [{groups: a, target: 1}]"},
			want: `lagwatch.yaml:1: objectives[0].target: "1" is out of range; write 0.5 to 0.9999`,
		},
		{
			name: "share in percent",
			in:   sources{yaml: "objectives: [{groups: a, target: 99.9}]"},
			want: `lagwatch.yaml:1: objectives[0].target: "99.9" is out of range; write 0.5 to 0.9999`,
		},
		{
			name: "share that is no number",
			in:   sources{yaml: "objectives: [{groups: a, target: .nan}]"},
			want: `lagwatch.yaml:1: objectives[0].target: ".nan" is not a number; write one like 0.99`,
		},
		{
			name: "share with a percent sign",
			in:   sources{yaml: "objectives: [{groups: a, target: 99%}]"},
			want: `lagwatch.yaml:1: objectives[0].target: "99%" is read as a string; write a number, without quotes`,
		},
		{
			name: "mode",
			in:   sources{yaml: "objectives: [{groups: a, mode: Batch}]"},
			want: `lagwatch.yaml:1: objectives[0].mode: "Batch" is not known; write one of continuous, batch`,
		},
		{
			name: "team that breaks a label",
			in:   sources{yaml: "objectives: [{groups: a, team: \"pay\\nments\"}]"},
			want: `lagwatch.yaml:1: objectives[0].team: "pay\nments" has a control character in it; leave that out`,
		},
		{
			name: "team that is an essay",
			in:   sources{yaml: "objectives: [{groups: a, team: " + strings.Repeat("é", 51) + "}]"},
			want: `lagwatch.yaml:1: objectives[0].team: "` + strings.Repeat("é", 51) + `" has 102 bytes; write 100 or less`,
		},
		{
			name: "no pattern",
			in:   sources{yaml: "brokers: a:1\nobjectives:\n- age: 1m"},
			want: `lagwatch.yaml:3: objectives[0]: has no groups; add groups: with a pattern like payments-.*`,
		},
	})
}
