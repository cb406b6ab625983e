package testkafka

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// brokerProperties is the configuration of one broker: what places it in its
// cluster, settings that make small clusters quick, and the caller's own, which
// win.
func (c *Cluster) brokerProperties(b *Broker) map[string]string {
	p := map[string]string{
		"node.id":                   strconv.Itoa(b.id),
		"process.roles":             "broker,controller",
		"controller.quorum.voters":  c.voters(),
		"listeners":                 "PLAINTEXT://" + b.client.addr() + ",CONTROLLER://" + b.controller.addr(),
		"advertised.listeners":      "PLAINTEXT://" + b.client.addr(),
		"controller.listener.names": "CONTROLLER",
		"log.dirs":                  filepath.Join(b.dir, "data"),
	}
	c.keeper.place(p, b.id)
	maps.Copy(p, quickProperties(len(c.brokers)))
	if c.opts.RequestLog {
		// One network thread logs its answers in the order in which it sent
		// them, which fences rely on.
		p["num.network.threads"] = "1"
	}
	c.secureProperties(b, p)
	maps.Copy(p, c.opts.Properties)
	return p
}

// quickProperties are the defaults for a cluster of some brokers. Heartbeats are
// frequent, because news travels with them: to the controller that a broker is
// back, to a member that it gets other partitions. Of the members' sessions only
// the minimum is lowered: a test may ask for short ones.
func quickProperties(brokers int) map[string]string {
	replicas := strconv.Itoa(min(brokers, 3))
	return map[string]string{
		"num.partitions":                                   "3",
		"offsets.topic.num.partitions":                     "9",
		"offsets.topic.replication.factor":                 replicas,
		"transaction.state.log.num.partitions":             "3",
		"transaction.state.log.replication.factor":         replicas,
		"transaction.state.log.min.isr":                    "1",
		"share.coordinator.state.topic.num.partitions":     "3",
		"share.coordinator.state.topic.replication.factor": replicas,
		"share.coordinator.state.topic.min.isr":            "1",
		"broker.heartbeat.interval.ms":                     "500",
		"broker.session.timeout.ms":                        "6000",
		"group.consumer.heartbeat.interval.ms":             "1000",
		"group.share.heartbeat.interval.ms":                "1000",
		"group.initial.rebalance.delay.ms":                 "0",
		"group.min.session.timeout.ms":                     "1000",
		"group.consumer.min.session.timeout.ms":            "1000",
		"group.consumer.min.heartbeat.interval.ms":         "300",
		"group.share.min.session.timeout.ms":               "1000",
		"group.share.max.record.lock.duration.ms":          "3600000",
		"group.share.min.heartbeat.interval.ms":            "300",
		"group.streams.heartbeat.interval.ms":              "1000",
		"group.streams.initial.rebalance.delay.ms":         "0",
		"group.streams.min.session.timeout.ms":             "1000",
		"group.streams.min.heartbeat.interval.ms":          "300",
		"log.initial.task.delay.ms":                        "1000",
		"log.retention.check.interval.ms":                  "1000",
		"log.segment.delete.delay.ms":                      "1000",
	}
}

// voters is the static controller quorum, the same for every broker.
func (c *Cluster) voters() string {
	var list []string
	for _, b := range c.brokers {
		list = append(list, fmt.Sprintf("%d@%s", b.id, b.controller.addr()))
	}
	return strings.Join(list, ",")
}

var propertyEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// writeProperties writes a Java properties file, sorted by key.
func writeProperties(path string, props map[string]string) error {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(props)) {
		fmt.Fprintf(&text, "%s=%s\n", key, propertyEscapes.Replace(props[key]))
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}
