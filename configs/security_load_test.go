package configs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadSecurity(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   sources
		edit func(*Cluster)
	}{
		{
			name: "every flag, the password in the environment",
			in: sources{
				flags: []string{
					"--brokers=a:9092", "--tls", "--tls-ca-file=ca.pem", "--tls-cert-file=c.pem", "--tls-key-file=k.pem",
					"--sasl-mechanism=SCRAM-SHA-256", "--sasl-username=u",
					"--groups-include=a{1,2}", "--groups-include=b", "--groups-exclude=c", "--topics-include=d", "--topics-exclude=e",
				},
				env: []string{"LAGWATCH_SASL_PASSWORD=p, q"},
			},
			edit: func(c *Cluster) {
				c.TLS = TLS{Enabled: true, CAFile: "ca.pem", CertFile: "c.pem", KeyFile: "k.pem"}
				c.SASL = SASL{Mechanism: "scram-sha-256", Username: "u", Password: NewSecret("p, q")}
				c.Groups = Filter{Include: []string{"a{1,2}", "b"}, Exclude: []string{"c"}}
				c.Topics = Filter{Include: []string{"d"}, Exclude: []string{"e"}}
			},
		},
		{
			name: "every variable",
			in: sources{env: []string{
				"LAGWATCH_BROKERS=a:9092", "LAGWATCH_TLS=true", "LAGWATCH_SASL_MECHANISM=plain", "LAGWATCH_SASL_USERNAME=u",
				"LAGWATCH_SASL_PASSWORD_FILE=p", "LAGWATCH_GROUPS_INCLUDE=a|b", "LAGWATCH_TOPICS_EXCLUDE=x{1,2}",
			}},
			edit: func(c *Cluster) {
				c.TLS = TLS{Enabled: true}
				c.SASL = SASL{Mechanism: "plain", Username: "u", PasswordFile: "p"}
				c.Groups, c.Topics = Filter{Include: []string{"a|b"}}, Filter{Exclude: []string{"x{1,2}"}}
			},
		},
		{
			name: "a flag gives the only cluster what it lacks",
			in: sources{
				yaml:  "clusters: [{brokers: 'a:9092', tls: {server_name: k}, sasl: {mechanism: PLAIN, username: x, password_file: p}, groups: {exclude: e}}]",
				flags: []string{"--sasl-username=u", "--tls-ca-file=ca.pem", "--groups-include=i"},
			},
			edit: func(c *Cluster) {
				c.TLS = TLS{Enabled: true, CAFile: "ca.pem", ServerName: "k"}
				c.SASL = SASL{Mechanism: "plain", Username: "u", PasswordFile: "p"}
				c.Groups = Filter{Include: []string{"i"}, Exclude: []string{"e"}}
			},
		},
		{
			name: "the top of the file",
			in:   sources{yaml: "brokers: a:9092\ntls: {insecure_skip_verify: true}\nisolation: [{groups: a}, {groups: b, level: read_uncommitted}]\ntopics: {include: [a, ~, b]}"},
			edit: func(c *Cluster) {
				c.TLS = TLS{Enabled: true, InsecureSkipVerify: true}
				c.Isolation = []Isolation{{Groups: "a", Level: "read_committed"}, {Groups: "b", Level: "read_uncommitted"}}
				c.Topics = Filter{Include: []string{"a", "b"}}
			},
		},
		{
			name: "sections without keys, and TLS that is off",
			in:   sources{yaml: "clusters: [{brokers: 'a:9092', tls: {enabled: false, insecure_skip_verify: false}, sasl: {}, groups: , topics: {include: []}, isolation: []}]"},
			edit: func(c *Cluster) { c.Topics.Include, c.Isolation = []string{}, []Isolation{} },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := cluster("default", "a:9092")
			tt.edit(&want)
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

func TestLoadRefusesSecurity(t *testing.T) {
	in := func(keys string) sources { return sources{yaml: "clusters:\n- brokers: a:1\n  " + keys} }
	checkFailures(t, []failure{
		{"a certificate without a key", in("tls: {cert_file: c}"), "lagwatch.yaml:3: clusters[0].tls.cert_file: needs tls.key_file beside it; add that"},
		{"a key without a certificate", sources{flags: []string{"--brokers=a:1", "--tls-key-file=k"}}, "flag --tls-key-file: needs --tls-cert-file beside it; add that"},
		{"off and on", in("tls: {enabled: false, ca_file: c}"),
			"lagwatch.yaml:3: clusters[0].tls.enabled: is false, but tls.ca_file is set (lagwatch.yaml:3: clusters[0].tls.ca_file); leave one of the two out"},
		{"a mechanism alone", in("sasl: {mechanism: plain, password: p}"), "lagwatch.yaml:3: clusters[0].sasl.mechanism: needs sasl.username beside it; add that"},
		{"no password", in("sasl: {mechanism: plain, username: u}"), "lagwatch.yaml:3: clusters[0].sasl.mechanism: needs sasl.password_file beside it; add that"},
		{"no mechanism", sources{env: []string{"LAGWATCH_BROKERS=a:1", "LAGWATCH_SASL_PASSWORD=hunter2"}},
			"env LAGWATCH_SASL_PASSWORD: has no mechanism; add sasl.mechanism: scram-sha-512, or what the brokers have"},
		{"two passwords", sources{yaml: "brokers: a:1\nsasl: {mechanism: plain, username: u, password_file: p}", env: []string{"LAGWATCH_SASL_PASSWORD=hunter2"}},
			"env LAGWATCH_SASL_PASSWORD: stands beside password_file (lagwatch.yaml:2: sasl.password_file); leave one of the two out"},
		{"two users", in("sasl: {mechanism: plain, username: u, username_file: f, password_file: p}"),
			"lagwatch.yaml:3: clusters[0].sasl.username: stands beside username_file (lagwatch.yaml:3: clusters[0].sasl.username_file); leave one of the two out"},
		{"an unknown mechanism", in("sasl: {mechanism: gssapi}"),
			`lagwatch.yaml:3: clusters[0].sasl.mechanism: "gssapi" is not known; write one of plain, scram-sha-256, scram-sha-512`},
		{"for several clusters", sources{yaml: "clusters: [{name: a, brokers: a:1}, {name: b, brokers: b:1}]", env: []string{"LAGWATCH_SASL_PASSWORD=hunter2"}},
			"env LAGWATCH_SASL_PASSWORD: fits a single cluster, but lagwatch.yaml lists 2; change clusters[].sasl.password there, or leave one cluster in it"},
		{"twice", in("tls: {ca_file: c}\ntls: {ca_file: d}"), "lagwatch.yaml:4: tls.ca_file: says again what clusters[0] says; leave one of the two out"},
		{"a bad pattern of a list", in(`groups: {include: [a, "b("]}`),
			`lagwatch.yaml:3: clusters[0].groups.include: item 1 "b(" is not an RE2 pattern (missing closing )); see https://github.com/google/re2/wiki/Syntax`},
		{"a bad pattern of several flags", sources{flags: []string{"--brokers=a:1", "--topics-exclude=a", "--topics-exclude=b("}},
			`flag --topics-exclude: item 1 "b(" is not an RE2 pattern (missing closing )); see https://github.com/google/re2/wiki/Syntax`},
		{"a bad pattern alone", sources{env: []string{"LAGWATCH_GROUPS_INCLUDE=b("}},
			`env LAGWATCH_GROUPS_INCLUDE: "b(" is not an RE2 pattern (missing closing )); see https://github.com/google/re2/wiki/Syntax`},
		{"an empty pattern", in("topics: {exclude: ['']}"), "lagwatch.yaml:3: clusters[0].topics.exclude: item 0 is empty; write a pattern like payments-.*"},
		{"isolation of nobody", in("isolation: [{level: read_committed}]"),
			"lagwatch.yaml:3: clusters[0].isolation[0]: has no groups; add groups: with a pattern like payments-.*"},
		{"isolation of nobody at the top", sources{yaml: "brokers: a:1\nisolation: [{level: read_committed}]"},
			"lagwatch.yaml:2: isolation[0]: has no groups; add groups: with a pattern like payments-.*"},
		{"an unknown level", in("isolation: [{groups: a, level: serializable}]"),
			`lagwatch.yaml:3: clusters[0].isolation[0].level: "serializable" is not known; write one of read_committed, read_uncommitted`},
		{"a variable that is nearly one", sources{env: []string{"LAGWATCH_BROKER=a:1"}}, "env LAGWATCH_BROKER: unknown variable; did you mean `LAGWATCH_BROKERS`?"},
		{"a variable that is none", sources{env: []string{"LAGWATCH_NONSENSE=hunter2", "LAGWATCH_BROKERS=a:1"}},
			"env LAGWATCH_NONSENSE: unknown variable; remove it, or see lagwatch serve --help for those that are known"},
		{"a port that is no Service's", sources{env: []string{"LAGWATCH_PORT=9742", "LAGWATCH_BROKERS=a:1"}},
			"env LAGWATCH_PORT: unknown variable; remove it, or see lagwatch serve --help for those that are known"},
	})
}

// No way to write a password wrongly puts it into the error.
func TestErrorsDoNotRepeatPasswords(t *testing.T) {
	for _, written := range []string{
		"password: 1234567", "password: true", "password: [hunter2]", "password: {hunter2: 1}", "password: *hunter2", "password: !hunter2 x",
		"password: !!binary hunter2", "password: 'hunter2\\", "password:hunter2", "pasword: hunter2", "password: \"hunter2\\0\"", "{password:hunter2}",
		"password: hunter2: 1", "password: hunter2", "password: hunter2, username: x}", "password: @hunter2", "password: `hunter2",
		"password: %hunter2", "password: |hunter2", "password: 2001-01-01",
	} {
		_, err := Load(sources{yaml: "brokers: a:1\nsasl:\n  " + written + "\n"}.options(t))
		if err == nil {
			t.Errorf("%s: no error", written)
			continue
		}
		checkOneLine(t, err.Error())
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "1234567") || strings.Contains(err.Error(), "2001") {
			t.Errorf("%s: %v", written, err)
		}
	}
}
