// Command metricsdoc prints docs/metrics.md from the metric table.
package main

import (
	"fmt"
	"os"
	"slices"
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

` + "`lagwatch_group_read_age_seconds`" + ` is as of the last poll, like every other value here.
It does not grow between two polls; that no poll ends is told by
` + "`lagwatch_last_success_timestamp_seconds`" + `, and a view that no poll has renewed for
` + "`stale_after`" + ` has ` + "`lagwatch_up`" + ` 0.

## Estimates

Rates, ages and times that remain are estimated from the polls of the last ` + "`history`" + `, on a
clock that goes on evenly when somebody sets the system's. They have six digits at most,
which is more than they are worth. An offset of one partition is never compared with
that of another: a group's time is that of the partition that takes longest, and its
rate a sum. ` + "`+Inf`" + ` is an answer, not an unknown: at these rates the lag is never
gone. Only the families that end in ` + "`_drain_seconds`, `_drain_low_seconds` and `_drain_high_seconds`" + `
have it.

What belongs to a lag that could not be read again stands as long as the lag does:
rates and times that remain as they were, ages grown and headroom shrunk by the time since.
A new process knows no rate in its first poll. It knows ages at once, unless ` + "`seed: off`" + `:
brokers are asked, in a few look-ups by time after each poll, when the records arrived that
are older than what polls have seen. Topics with remote storage, and those whose settings
may not be read, are not asked about: the ages of their lags are known once the group is
at a record that polls saw arrive.

Counters of a group begin with 0 when it is first seen; what is counted of a topic begins
anew when the topic is created anew.

Beside these, ` + "`go_*`" + ` and ` + "`process_*`" + ` describe the process, in text as of the scrape.

## Formats

Text (version 0.0.4) goes to everyone who names text, or names nothing else that there
is, whatever else they like better: it costs least, and Prometheus always names it unless
told not to. The rest get what they name: OpenMetrics 1.0.0 or 0.0.1, or delimited
protobuf, with the same series. Each is sent as it is, or as gzip or zstd where the
scraper accepts that.

Every format is made once in each encoding that is asked for, and shared until the next
poll. For OpenMetrics and protobuf that takes many times the time and memory of text, and
` + "`go_*`" + ` and ` + "`process_*`" + ` in them are as of the first such scrape after a poll, one
for each encoding; in text they are as of each scrape.

` + "`/metrics`" + ` answers GET and HEAD. A scrape that has not read all of its page within what
` + "`X-Prometheus-Scrape-Timeout-Seconds`" + ` says (at least 1 s, at most 60 s; 30 s without) is cut
off. So is one that is still reading an old page, when such pages together take more
than twice the memory of the newest, and 32 MiB.

In the text format labels stand in the order of the table, which is the same in every
poll, and so do families. In the others labels and families are sorted. No order has a
meaning.

## What is published

` + "`metrics:`" + ` in the config of a cluster chooses, and [configs/lagwatch.yaml](../configs/lagwatch.yaml)
shows how it is written:

| key | |
|---|---|
| ` + "`include`" + ` | families to publish beside the default ones; patterns that match whole names, with or without ` + "`lagwatch_`" + ` |
| ` + "`exclude`" + ` | families to leave out; it wins over ` + "`include`" + `. Only ` + "`lagwatch_group_detail_lowered`" + ` cannot be: what is missing because of ` + "`max_series`" + ` is always said |
| ` + "`detail`" + ` | how far down the series of groups go: ` + "`partition`" + `, which is the default, ` + "`topic`" + ` or ` + "`group`" + ` |
| ` + "`by_group`" + ` | ` + "`detail`, `include` and `exclude`" + ` for the groups that a pattern matches; the first that does counts, and what it says comes before the above |
| ` + "`max_series`" + ` | above so many series of the cluster, groups with the least lag are shown in less detail, first without partitions, then without topics; a group whose lag is not known is the last. It lowers to a twentieth below that at once, so the page then has about 5 % less. 0 is no limit |

A pattern that matches no family ends the start: it would show or hide nothing without
a word. What a lower ` + "`detail`" + ` leaves out comes back by no ` + "`include`" + `. Sums stay the same:
they are of everything that the group reads, shown or not.

Which groups ` + "`max_series`" + ` has lowered is in ` + "`lagwatch_group_detail_lowered`" + `, and in the log
when it begins, when more are lowered (at most once a minute, with how many since) and
when it ends. When it begins, groups are lowered until a twentieth of the room for their
series is free, so that the few series that come with the next poll lower no more; they come
back when that still leaves a twentieth.

What counts as a group's lag here is a maximum that decays: the lag, or nine tenths of what
counted at the poll before, whichever is more. Two groups change places only when one has
more than twice of that. So a lag that is back at its height within six polls never counts
as less than half of it, one that grows counts at once, and one that has fallen for good is
believed after some tens of polls. Where even the least detail is too much, all of that is
shown, and the log says so.

`

const tableHead = `## All metrics

| metric | type | unit | labels | published | meaning | when not known | since |
|---|---|---|---|---|---|---|---|
`

func render(metrics []*collector.Metric) string {
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "With `detail: topic` there is no %s. With `detail: group` there is no %s either.\n\n",
		names(metrics, collector.DetailPartition), names(metrics, collector.DetailTopic))
	b.WriteString(tableHead)
	for _, m := range metrics {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s, %s |\n", m.Name, m.Kind, dash(m.Unit),
			dash(strings.Join(m.Labels, ", ")), published(m), cell(m.Help), cell(m.Unknown), m.Since, m.Stability)
	}
	return b.String()
}

// names lists the families that a detail is the least for.
func names(metrics []*collector.Metric, d collector.Detail) string {
	var list []string
	for _, m := range metrics {
		if m.Detail == d {
			list = append(list, "`"+m.Name+"`")
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// published says when a family is on the page.
func published(m *collector.Metric) string {
	if !slices.Contains(m.Labels, "kafka_cluster") {
		return "always" // of no cluster, so no cluster's config has a say
	}
	if m.Always {
		return "always, for lowered groups"
	}
	when := "by default"
	if m.Optional {
		when = "if included"
	}
	if m.Detail > collector.DetailGroup {
		when += ", from detail " + m.Detail.String() + " on"
	}
	return when
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
