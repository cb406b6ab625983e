package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// What is shown of one topic.
const thisTopic = `kafka_cluster="$cluster", topic="$topic"`

func topic() dashboard.Dashboard {
	p := newPage(uidTopic, "Kafka topic",
		"One topic: how it grows, how unevenly, who reads it, and what retention may take before it is read.")
	p.variables(variableSource(), variableCluster(), variableTopic())
	p.annotations(partitionsAdded(), recreated())
	p.line(4, topicPartitions(), topicArrival(), topicSkew(), topicGroups(), topicHeadroom())
	p.line(7, topicReaders())
	p.line(8, topicGrowth(), topicBusiest())
	p.line(8, topicAges(), topicHeadrooms())
	p.line(9, topicLags(), topicLogs())
	return p.d
}

// changed marks when a counter of the topic went up, since it is watched.
func changed(name, metric, colour, text string) dashboard.AnnotationQuery {
	q := line(fmt.Sprintf("max by (topic) (increase(%s{%s}[$__rate_interval])) > 0", metric, thisTopic), "")
	return dashboard.AnnotationQuery{
		Name: name, Datasource: source(), Enable: true, IconColor: colour, Target: q.target(0), Expr: &q.expr,
		TitleFormat: &name, TextFormat: &text,
	}
}

func partitionsAdded() dashboard.AnnotationQuery {
	return changed("Partitions added", "lagwatch_topic_partitions_added_total", orange,
		"{{topic}} has more partitions: keys are on other partitions than before.")
}

func recreated() dashboard.AnnotationQuery {
	return changed("Topic created anew", "lagwatch_topic_recreated_total", red,
		"{{topic}} was deleted and created again: its offsets begin anew.")
}

func topicPartitions() dashboard.Panel {
	return panel{
		width: 4, title: "Partitions", unit: count,
		about:   "How many partitions the topic has. More members than that cannot all read it in one group. When it has grown, which an orange mark in the charts shows, keys have moved to other partitions: tell whoever relies on their order.",
		none:    "Not known",
		queries: []query{number(most("topic", "lagwatch_topic_partitions", thisTopic), "partitions")},
	}.asStat()
}

// topicRate is how fast the whole topic grows.
func topicRate() string {
	return total("topic", pair, "lagwatch_partition_arrival_offsets_per_second", thisTopic)
}

func topicArrival() dashboard.Panel {
	return panel{
		width: 5, title: "Arrival", unit: perSecond,
		about:   "How fast the topic grows now, over all its partitions. When it has risen, its groups need to drain more: see which of them lag, below.",
		none:    "Not known: it takes two polls",
		queries: []query{number(topicRate(), "arrival")},
	}.asStat()
}

// skew is how fast the busiest partition grows, as a multiple of the mean.
func skew() string {
	rate := most(pair, "lagwatch_partition_arrival_offsets_per_second", thisTopic)
	return fmt.Sprintf("max(%s)\n/ (avg(%s) > 0)", rate, rate)
}

func topicSkew() dashboard.Panel {
	return panel{
		width: 5, title: "Busiest partition / mean", unit: times,
		about:   "How fast the busiest partition grows, as a multiple of the mean of all. 1 is even; from 3 on its reader alone bears most of the load, and more members do not help: look at the keys.",
		none:    "Nothing arrives",
		queries: []query{number(skew(), "of the mean")},
		colours: []step{below(plain), {2, yellow}, {3, orange}},
	}.asStat()
}

// readers has a series for each group that has a position on the topic, or is to.
func readers() string { return most(K, "lagwatch_group_topic_partitions", thisTopic) }

// topicLateness is the age of the groups' oldest unread records of the topic as a
// multiple of their objectives.
func topicLateness() string {
	return fmt.Sprintf("%s\n/ on (%s) %s", most(K, "lagwatch_group_topic_lag_age_seconds", thisTopic),
		K, most(K, "lagwatch_group_lag_objective_seconds", `kafka_cluster="$cluster"`))
}

func topicGroups() dashboard.Panel {
	return panel{
		width: 5, title: "Groups that read it", unit: count,
		about: "How many groups have a position on the topic, and of how many the oldest unread record here is older than their objective allows. When late is red, open the first group of the table.",
		none:  "None",
		queries: []query{
			number("count("+readers()+")", "groups"),
			number("count(("+topicLateness()+") > 1)\nor count("+readers()+") * 0", "late"),
		},
		special: []override{named("late", set("thresholds", steps(noneIsGood...)))},
	}.asStat()
}

func topicHeadroom() dashboard.Panel {
	return panel{
		width: 5, title: "Least headroom", unit: seconds,
		about:   "How long until retention may remove a record of the topic that some group has not read; 0 is already. When it is red, raise retention.ms or retention.bytes of the topic, then get that group going: it is the one with the least headroom in the table.",
		none:    "Nothing at risk",
		queries: []query{number(least("topic", "lagwatch_group_topic_retention_headroom_seconds", thisTopic), "headroom")},
		colours: headroom,
	}.asStat()
}

func topicReaders() dashboard.Panel {
	of := func(metric string) string { return most(K, metric, thisTopic) }
	here := func(expr string) string { return fmt.Sprintf("(%s)\nand on (%s) %s", expr, K, readers()) }
	all := `kafka_cluster="$cluster"`
	return panel{
		width: 24, title: "Groups that read it, worst first", unit: words,
		about: "Every group with a position on the topic: how late it is here, why, and how long until retention may remove its oldest unread record. Why is of the whole group, the rest of this topic. " +
			"Never read are the offsets of partitions where it has no position. Click on a group for what to do. ? is a value that is not known.",
		none: "No group has a position on this topic, or " + lessDetailOfGroups + ".",
		queries: []query{
			rows(topicLateness()),
			rows(here(headline(all))),
			rows(of("lagwatch_group_topic_lag_age_seconds")),
			rows(of("lagwatch_group_topic_lag")),
			rows(drain(K, "lagwatch_group_topic_drain_seconds", thisTopic)),
			rows(of("lagwatch_group_topic_arrival_offsets_per_second")),
			rows(of("lagwatch_group_topic_drain_offsets_per_second")),
			rows(least(K, "lagwatch_group_topic_retention_headroom_seconds", thisTopic)),
			rows(of("lagwatch_group_topic_uncommitted_offsets") + " > 0"),
			rows(here(most(K, "lagwatch_group_members", all))),
		},
	}.asTable(value(0), true,
		column{from: "group", title: "Group", links: []link{toGroup(chosen("cluster"), cell("Group")), toOwnership(chosen("cluster"), cell("Group"))}},
		column{from: value(1), title: "Why", width: 150, mappings: ranks(), none: "?", left: true},
		column{from: value(2), title: "Age", width: 90, unit: seconds, none: "?"},
		column{from: value(0), title: "Age / objective", width: 115, unit: times, none: "?", colours: againstObjective, filled: true},
		column{from: value(4), title: "Catches up in", width: 110, unit: seconds, none: "?", mappings: never()},
		column{from: value(3), title: "Lag", width: 90, unit: offsets, none: "?"},
		column{from: value(5), title: "Arrival", width: 105, unit: perSecond, none: "?"},
		column{from: value(6), title: "Drain", width: 105, unit: perSecond, none: "?"},
		column{from: value(7), title: "Headroom", width: 95, unit: seconds, none: "–", colours: headroom},
		column{from: value(8), title: "Never read", width: 95, unit: offsets, none: "–"},
		column{from: value(9), title: "Members", width: 80, unit: count, none: "?"},
	)
}

const lessDetailOfGroups = "lagwatch shows the groups in less detail (in its config: metrics, detail and max_series)"

func topicGrowth() dashboard.Panel {
	drained := most(K, "lagwatch_group_topic_drain_offsets_per_second", thisTopic)
	top := fmt.Sprintf("topk(8, max by (%s) (lagwatch_group_topic_lag{%s} @ end()))", K, thisTopic)
	return panel{
		width: 12, title: "Arrival, and what its groups drain", unit: perSecond,
		about: "How fast the topic grows, dashed, and how fast the commits of the groups advance on it, of those eight that lag most. A group below the dashed line falls behind: open it from the table.",
		none:  "Not known: it takes two polls.",
		queries: []query{
			line(topicRate(), "arrival"),
			line(drained+"\nand on ("+K+") "+top, "{{group}}"),
		},
		special: []override{named("arrival", dashed(plain)...)},
	}.asLines()
}

func topicBusiest() dashboard.Panel {
	rate := most(pair, "lagwatch_partition_arrival_offsets_per_second", thisTopic)
	top := fmt.Sprintf("topk(9, max by (%s) (lagwatch_partition_arrival_offsets_per_second{%s} @ end()))", pair, thisTopic)
	return panel{
		width: 12, title: "Arrival by partition: the nine busiest", unit: perSecond,
		about: "How fast the busiest partitions grow, and the mean of all, dashed. All near the mean is even. One far above is a hot key: whoever reads that partition bears it alone, so look at how records get their keys.",
		none:  "Not known: it takes two polls.",
		queries: []query{
			line("avg("+rate+")", "mean of all"),
			line(rate+"\nand on ("+pair+") "+top, "partition {{partition}}"),
		},
		special: []override{named("mean of all", dashed(plain)...)},
	}.asLines()
}

func topicAges() dashboard.Panel {
	top := fmt.Sprintf("topk(8, %s)", ending(topicLateness()))
	return panel{
		width: 12, title: "Age on this topic against the objective", unit: times,
		about: "The age of each group's oldest unread record of this topic as a multiple of its objective, of the eight that are furthest behind. Above 1, dashed, a group is late. All late at once: the topic has grown, or its brokers are slow; one alone: open that group.",
		none:  "No age is known.",
		queries: []query{
			limit(1, "the objective", topicLateness()),
			line("("+topicLateness()+")\nand on ("+K+") "+top, "{{group}}"),
		},
		special: []override{named("the objective", dashed(red)...)},
	}.asLines()
}

func topicHeadrooms() dashboard.Panel {
	rest := least(K, "lagwatch_group_topic_retention_headroom_seconds", thisTopic)
	inTime := leastOverTime(K, "lagwatch_group_topic_retention_headroom_seconds", thisTopic)
	return panel{
		width: 12, title: "Retention headroom by group", unit: seconds,
		about:   "How long until retention may remove the oldest record that a group has not read, of the eight with the least. A line that falls to the dashed one, an hour, loses data soon: raise the topic's retention, then get the group going.",
		none:    "Nothing can be lost, or it is not known: nothing is unread, retention removes nothing here, or lagwatch may not read the topic's settings.",
		queries: []query{line(rest+"\nand on ("+K+") bottomk(8, "+inTime+")", "{{group}}"), limit(3600, "an hour", inTime)},
		special: []override{named("an hour", dashed(red)...)},
	}.asLines()
}

func topicLags() dashboard.Panel {
	by := K + ", partition"
	top := fmt.Sprintf("topk(10, max by (%s) (max_over_time(lagwatch_group_partition_lag{%s}[$__range] @ end())))", by, thisTopic)
	return panel{
		width: 12, title: "Lag by group and partition: the ten largest", unit: offsets,
		about:   "The partitions that lag most in the shown time. The same partition of every group: it is hot. All partitions of one group: that group is slow. One partition of one group: its owner, or a record there; open the group.",
		none:    "No lag by partition: no group has a position here, or " + lessDetailOfGroups + ".",
		queries: []query{line(most(by, "lagwatch_group_partition_lag", thisTopic)+"\nand on ("+by+") "+top, "{{group}} {{partition}}")},
	}.asLines()
}

func topicLogs() dashboard.Panel {
	of := func(metric string) string { return most("partition", metric, thisTopic) }
	rate := of("lagwatch_partition_arrival_offsets_per_second")
	top := fmt.Sprintf("\nand on (partition) topk(200, %s or on (partition) %s * 0)", rate, of("lagwatch_partition_end_offset"))
	return panel{
		width: 12, title: "Log: the 200 busiest partitions", unit: words,
		about: "Where the log of each partition begins and ends, and how fast it grows. Open is what lies behind the first offset of an open transaction, which groups that read committed records do not get: if it only grows, find the producer whose transaction hangs.",
		none:  "Not known: the topic could not be read.",
		queries: []query{
			rows(rate + top),
			rows(of("lagwatch_partition_start_offset") + top),
			rows(of("lagwatch_partition_end_offset") + top),
			rows("(" + of("lagwatch_partition_end_offset") + " - " + of("lagwatch_partition_start_offset") + ")" + top),
			rows("(" + of("lagwatch_partition_end_offset") + " - " + of("lagwatch_partition_last_stable_offset") + ")" + top),
		},
	}.asTable(value(0), true,
		column{from: "partition", title: "Partition"},
		column{from: value(0), title: "Arrival", width: 110, unit: perSecond, none: "?"},
		column{from: value(1), title: "Start", width: 100, unit: words, none: "?"},
		column{from: value(2), title: "End", width: 100, unit: words, none: "?"},
		column{from: value(3), title: "In the log", width: 90, unit: offsets, none: "?"},
		column{from: value(4), title: "Open", width: 80, unit: offsets, none: "–"},
	)
}
