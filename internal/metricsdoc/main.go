// Command metricsdoc prints docs/metrics.md from the metric table.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/lagwatch/lagwatch/collector"
)

func main() { fmt.Fprint(os.Stdout, render(collector.Metrics())) }

const head = `# Metrics

Made from the metric table in collector/metrics.go by ` + "`make docs`" + `; a test keeps it true.

A value that is not known is absent: there is no −1 and no NaN, and 0 always means
zero. Offsets are positions in a partition's log, not records. Series about Kafka
carry the label ` + "`kafka_cluster`" + `, the name that the config gives the cluster.
Samples have no timestamps of their own: Prometheus marks what vanishes as stale at
the next scrape.

` + "`stale_after`" + ` (3 intervals unless configured) is how long a value that could
not be read again is still shown; ` + "`lagwatch_group_complete`" + ` is 0 from the first
poll that missed a part of the group.

Group ids, topics and client ids are shown as they are. A byte that is not UTF-8 is
written as ` + "`\\xNN`" + `, and a backslash that would look like the start of that as
` + "`\\x5c`" + `, so that two names never become one.

Beside these, ` + "`go_*`" + ` and ` + "`process_*`" + ` describe the process.

| metric | type | unit | labels | meaning | when not known | since |
|---|---|---|---|---|---|---|
`

func render(metrics []*collector.Metric) string {
	var b strings.Builder
	b.WriteString(head)
	for _, m := range metrics {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s, %s |\n", m.Name, m.Kind, dash(m.Unit),
			dash(strings.Join(m.Labels, ", ")), cell(m.Help), cell(m.Unknown), m.Since, m.Stability)
	}
	return b.String()
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
