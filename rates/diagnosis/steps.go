package diagnosis

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// do adds a step in words, and the line that does it.
func (w *telling) do(text, command string) { w.Next = append(w.Next, Step{text, command}) }

// broker is the address of one, or what stands for it while none is known.
func (w *telling) broker() string { return cmp.Or(w.g.Bootstrap, "BROKER:9092") }

// bootstrap are the options by which Kafka's tools get at the cluster.
func (w *telling) bootstrap() string {
	if w.g.Secured {
		return option("--bootstrap-server", w.broker()) + " --command-config client.properties"
	}
	return option("--bootstrap-server", w.broker())
}

// tool is Kafka's own for groups of this type.
func (w *telling) tool() string {
	switch w.g.Type {
	case snapshot.TypeShare:
		return "kafka-share-groups.sh"
	case snapshot.TypeStreams:
		return "kafka-streams-groups.sh"
	}
	return "kafka-consumer-groups.sh"
}

// topic is the option by which the group's tool takes a topic, or some partitions of it.
func (w *telling) topic(of string) string {
	if w.g.Type == snapshot.TypeStreams {
		return option("--input-topic", of)
	}
	return option("--topic", of)
}

// caution is what to know before a reset is done.
func (w *telling) caution() string {
	if w.g.Type == snapshot.TypeStreams {
		return ", of which its --help says that it deletes the group's internal topics as well"
	}
	return ""
}

// commands are the lines that most findings of a group end with. They are made once.
type commands struct {
	id, broker, in                    string // for which they are
	kind                              snapshot.GroupType
	secured                           bool
	group, describe, members, explain string
}

func (w *telling) commands() *commands {
	c := &w.m.trouble.commands
	if now := (commands{id: w.g.ID, broker: w.broker(), in: w.g.Cluster, kind: w.g.Type, secured: w.g.Secured}); !c.of(&now) {
		now.group = option("--group", w.g.ID)
		now.describe = w.tool() + " " + w.bootstrap() + " --describe " + now.group
		now.members, now.explain = now.describe+" --members --verbose", "lagwatch explain "+w.cluster()+w.argument()
		*c = now
	}
	return c
}

// of tells whether the lines are there, and are those of the same group.
func (c *commands) of(o *commands) bool {
	return c.describe != "" && c.id == o.id && c.broker == o.broker && c.in == o.in && c.kind == o.kind && c.secured == o.secured
}

// describe is the line that shows the group's positions.
func (w *telling) describe() string { return w.commands().describe }

// describeMembers is the line that shows who owns what.
func (w *telling) describeMembers() string { return w.commands().members }

// describeState is the line that shows the group's state and coordinator.
func (w *telling) describeState() string { return w.describe() + " --state" }

// describeTopic is the line that shows a topic's settings, and not only those that differ
// from the brokers'.
func (w *telling) describeTopic(topic string) string {
	return fmt.Sprintf("kafka-configs.sh %s --describe --all --entity-type topics %s", w.bootstrap(), option("--entity-name", topic))
}

// producers is the line that shows who has a transaction open on a partition. That which
// finds hanging ones shows only what has been open for 15 minutes, and its coordinator
// does not know.
func (w *telling) producers(at TopicPartition) string {
	return fmt.Sprintf("kafka-transactions.sh %s describe-producers %s --partition %d", w.bootstrap(), option("--topic", at.Topic), at.Partition)
}

// reset is the line that shows, and does not do, a reset of positions.
func (w *telling) reset(topics, to string) string {
	return w.tool() + " " + w.bootstrap() + " " + w.commands().group + " --reset-offsets " + topics + " " + to + " --dry-run"
}

// beginning adds how a group without a commit gets one, on the topic that matters most.
// With --all-topics the tool takes those that have commits, which is none. That of
// streams groups refuses topics that have none.
func (w *telling) beginning() {
	const decide = "before it is started, decide where it shall begin: without commits auto.offset.reset decides"
	if len(w.Partitions) == 0 || w.g.Type == snapshot.TypeShare || w.g.Type == snapshot.TypeStreams {
		w.do(decide, "")
		return
	}
	w.do(decide+"; while it is stopped, this shows for a topic where a moment would be, and does it with --execute in place of --dry-run"+
		" (--to-earliest reads all that is there, --to-latest leaves out what is)", w.reset(w.topic(w.first().Topic), "--to-datetime YYYY-MM-DDThh:mm:ss.sss"))
}

// explain is the line that shows all that lagwatch knows.
func (w *telling) explain() { w.do("see all of it", w.commands().explain) }

// cluster is the option that says in which cluster the group is, where that is a question.
func (w *telling) cluster() string {
	if w.g.Cluster == "" {
		return ""
	}
	return option("--cluster", w.g.Cluster) + " "
}

// readElsewhere is the line that reads the group from Kafka, not from this lagwatch.
func (w *telling) readElsewhere() string {
	if w.g.Secured {
		return "lagwatch explain --config lagwatch.yaml " + w.cluster() + w.argument()
	}
	return "lagwatch explain " + option("--brokers", w.broker()) + " " + w.argument()
}

// argument is the group's id as an argument that is no option.
func (w *telling) argument() string {
	if strings.HasPrefix(w.g.ID, "-") {
		return "-- " + quote(w.g.ID)
	}
	return quote(w.g.ID)
}
