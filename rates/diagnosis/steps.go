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

// bootstrap is the option that names a broker.
func (w *telling) bootstrap() string { return option("--bootstrap-server", w.broker()) }

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

// commands are the lines that most findings of a group end with. They are made once.
type commands struct {
	id, broker                        string // for which they are
	kind                              snapshot.GroupType
	group, describe, members, explain string
}

func (w *telling) commands() *commands {
	c := &w.m.trouble.commands
	if now := (commands{id: w.g.ID, broker: w.broker(), kind: w.g.Type}); c.describe == "" || now.id != c.id || now.broker != c.broker || now.kind != c.kind {
		now.group = option("--group", w.g.ID)
		now.describe = w.tool() + " " + w.bootstrap() + " --describe " + now.group
		now.members, now.explain = now.describe+" --members --verbose", "lagwatch explain "+w.argument()
		*c = now
	}
	return c
}

// describe is the line that shows the group's positions.
func (w *telling) describe() string { return w.commands().describe }

// describeMembers is the line that shows who owns what.
func (w *telling) describeMembers() string { return w.commands().members }

// describeState is the line that shows the group's state and coordinator.
func (w *telling) describeState() string { return w.describe() + " --state" }

// describeTopic is the line that shows a topic's settings.
func (w *telling) describeTopic(topic string) string {
	return fmt.Sprintf("kafka-configs.sh %s --describe --entity-type topics %s", w.bootstrap(), option("--entity-name", topic))
}

// hanging is the line that finds transactions that nobody ends.
func (w *telling) hanging(at TopicPartition) string {
	return fmt.Sprintf("kafka-transactions.sh %s find-hanging %s --partition %d", w.bootstrap(), option("--topic", at.Topic), at.Partition)
}

// reset is the line that shows, and does not do, a reset of positions.
func (w *telling) reset(topics, to string) string {
	return w.tool() + " " + w.bootstrap() + " " + w.commands().group + " --reset-offsets " + topics + " " + to + " --dry-run"
}

// explain is the line that shows all that lagwatch knows.
func (w *telling) explain() { w.do("see all of it", w.commands().explain) }

// argument is the group's id as an argument that is no option.
func (w *telling) argument() string {
	if strings.HasPrefix(w.g.ID, "-") {
		return "-- " + quote(w.g.ID)
	}
	return quote(w.g.ID)
}
