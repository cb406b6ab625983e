package configs

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func reference(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("lagwatch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	// A comment sign that touches a key, or a list item below one.
	switchedOff = regexp.MustCompile(`(?m)^( *)#((?:  +(?:- )?)?[a-z_]+:)`)
)

func TestReferenceIsTheDefaults(t *testing.T) {
	want := config(func(c *Config) { c.Clusters = []Cluster{cluster("default", "kafka1:9092", "kafka2:9092")} })
	text := reference(t)
	// A user and a password stand in one place each.
	everything := regexp.MustCompile(`(?m)^ +(username_file|password): .*\n`).ReplaceAllString(switchedOff.ReplaceAllString(text, "$1$2"), "")
	list := regexp.MustCompile(`(?m)^clusters:`).FindStringIndex(everything)[0]
	shorthand := regexp.MustCompile(`(?m)^cluster:`).FindStringIndex(everything)[0]
	secured := func(c *Config) {
		cl := &c.Clusters[0]
		cl.TLS = TLS{Enabled: true, CAFile: "ca.pem", CertFile: "client.pem", KeyFile: "client-key.pem", ServerName: "kafka.example.com"}
		cl.SASL = SASL{Mechanism: "scram-sha-512", Username: "lagwatch", PasswordFile: "password"}
		cl.Groups = Filter{Include: []string{".*"}, Exclude: []string{"console-consumer-.*"}}
		cl.Topics = Filter{Include: []string{".*"}, Exclude: []string{"test-.*"}}
		cl.ExpectedGroups = []string{"payments"}
		cl.Isolation = []Isolation{{Groups: "payments-.*", Level: "read_committed"}}
		cl.Metrics.Include, cl.Metrics.Exclude = []string{"group_partition_lost_offsets"}, []string{"partition_start_offset"}
		cl.Metrics.ByGroup = []GroupMetrics{{
			Groups: "batch-.*", Detail: "topic", Include: []string{"group_topic_.*"}, Exclude: []string{"group_idle_members"},
		}}
	}

	for _, tt := range []struct {
		name string
		yaml string
		edit func(*Config)
	}{
		{name: "as it is", yaml: text},
		{
			// The keys at the top contradict those in the list.
			name: "all switched on",
			yaml: everything[:shorthand] + everything[list:],
			edit: func(c *Config) {
				secured(c)
				c.WebConfigFile = "web.yaml"
				c.Objectives = []Objective{
					{Groups: "payments-.*", Age: DefaultObjective, Target: 0.99, Mode: "continuous", Team: "payments"},
					{Groups: "nightly-.*", Age: 26 * time.Hour, Target: 0.99, Mode: "batch"},
				}
				c.Conditions = []Conditions{{Groups: "payments-.*", Thresholds: thresholds(nil)}}
			},
		},
		{
			name: "single cluster without a list",
			yaml: everything[:list],
			edit: func(c *Config) { secured(c); c.WebConfigFile = "web.yaml" },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := *want
			want.Clusters = slices.Clone(want.Clusters)
			if tt.edit != nil {
				tt.edit(&want)
			}
			got, err := Load(sources{yaml: tt.yaml}.options(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestReferenceHasEveryKey(t *testing.T) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(switchedOff.ReplaceAllString(reference(t), "$1$2")), &doc); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, k := range Describe() {
		if k.Path != "" {
			want = append(want, k.Path)
		}
	}
	if diff := cmp.Diff(want, slices.Compact(paths(doc.Content[0], ""))); diff != "" {
		t.Errorf("-schema +reference:\n%s", diff)
	}
}

// paths lists the keys of a document in its order, as the table writes them.
func paths(n *yaml.Node, prefix string) []string {
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		path, value := prefix+n.Content[i].Value, n.Content[i+1]
		out = append(out, path)
		switch value.Kind {
		case yaml.MappingNode:
			out = append(out, paths(value, path+".")...)
		case yaml.SequenceNode:
			for _, item := range value.Content {
				if item.Kind == yaml.MappingNode {
					out = append(out, paths(item, path+"[].")...)
				}
			}
		}
	}
	return out
}
