package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// tools are the options that Kafka's tools have, of those that steps may be made of: as
// their --help says in Kafka 4.4.0. lagwatch explain is one of them.
var tools = map[string]string{
	"kafka-consumer-groups.sh": "--bootstrap-server --command-config --group --describe --members --state --verbose" +
		" --reset-offsets --delete-offsets --topic --all-topics --shift-by --to-datetime --to-earliest --to-latest --dry-run --execute",
	"kafka-share-groups.sh": "--bootstrap-server --command-config --group --describe --members --state --verbose" +
		" --reset-offsets --delete-offsets --topic --all-topics --to-datetime --to-earliest --to-latest --dry-run --execute",
	"kafka-streams-groups.sh": "--bootstrap-server --command-config --group --describe --members --state --verbose" +
		" --reset-offsets --delete-offsets --input-topic --all-input-topics --shift-by --to-datetime --to-earliest --to-latest --dry-run --execute",
	"kafka-configs.sh":      "--bootstrap-server --command-config --describe --all --entity-type --entity-name",
	"kafka-transactions.sh": "--bootstrap-server --command-config describe-producers --topic --partition",
	"lagwatch":              "explain --brokers --config --cluster",
}

// everyStep calls f with each line of each view that holds, as a group of each type
// that change has been made to.
func everyStep(t *testing.T, change func(*Group), f func(kind snapshot.GroupType, of Condition, line string)) {
	t.Helper()
	limits := Defaults()
	for _, v := range views {
		if v.want != Holds {
			continue
		}
		for _, kind := range []snapshot.GroupType{snapshot.TypeClassic, snapshot.TypeConsumer, snapshot.TypeShare, snapshot.TypeStreams} {
			as := v
			as.poll = func(g *Group, n int) {
				v.poll(g, n)
				g.Type = kind
				change(g)
			}
			d, _ := as.watch(&Memory{}, &limits)
			for _, finding := range d.Findings {
				for _, s := range finding.Next {
					if s.Command != "" {
						f(kind, finding.Condition, s.Command)
					}
				}
			}
		}
	}
}

// The lines for streams groups had --topic, which their tool does not know. That for a
// topic's retention showed nothing where it is the brokers', and that for an open
// transaction nothing of one that its coordinator knows.
func TestToolsHaveTheOptions(t *testing.T) {
	of := map[snapshot.GroupType]string{
		snapshot.TypeClassic: "kafka-consumer-groups.sh", snapshot.TypeConsumer: "kafka-consumer-groups.sh",
		snapshot.TypeShare: "kafka-share-groups.sh", snapshot.TypeStreams: "kafka-streams-groups.sh",
	}
	seen := map[string]bool{}
	everyStep(t, func(*Group) {}, func(kind snapshot.GroupType, c Condition, line string) {
		fields := strings.Fields(line)
		options, known := tools[fields[0]]
		if !known || strings.HasSuffix(fields[0], "-groups.sh") && fields[0] != of[kind] {
			t.Errorf("%s of a %s group: %s", c, kind, line)
		}
		for _, w := range fields[1:] {
			name, _, _ := strings.Cut(w, "=")
			seen[fields[0]+" "+name] = true
			if strings.HasPrefix(w, "--") && w != "--" && !slices.Contains(strings.Fields(options), name) {
				t.Errorf("%s of a %s group: %s has no %s: %s", c, kind, fields[0], name, line)
			}
		}
	})
	for _, want := range []string{
		"kafka-consumer-groups.sh --shift-by", "kafka-consumer-groups.sh --to-datetime", "kafka-streams-groups.sh --shift-by",
		"kafka-streams-groups.sh --delete-offsets", "kafka-share-groups.sh --members", "kafka-transactions.sh describe-producers", "kafka-configs.sh --all",
	} {
		if !seen[want] {
			t.Errorf("no step has %s", want)
		}
	}
}

// On a cluster with TLS or SASL no line of a step got an answer: none named a file with
// the client's settings. lagwatch itself was told of a broker and of no credentials.
func TestStepsOnSecuredClusters(t *testing.T) {
	everyStep(t, func(g *Group) { g.Secured = true }, func(_ snapshot.GroupType, c Condition, line string) {
		of := strings.HasPrefix(line, "lagwatch ")
		if of && strings.Contains(line, "--brokers") || !of && !strings.Contains(line, " --command-config client.properties") {
			t.Errorf("%s: %s", c, line)
		}
	})
}

// Where two clusters have a group of the name, lagwatch explain asked which was meant.
func TestStepsOfSeveralClusters(t *testing.T) {
	everyStep(t, func(g *Group) { g.Cluster = "east 1" }, func(_ snapshot.GroupType, c Condition, line string) {
		reads := strings.Contains(line, "--brokers")
		if strings.HasPrefix(line, "lagwatch ") && !reads != strings.HasPrefix(line, "lagwatch explain --cluster 'east 1' ") {
			t.Errorf("%s: %s", c, line)
		}
	})
}
