package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// What is shown of one group, and of those of its topics that are chosen.
const (
	thisGroup  = `kafka_cluster="$cluster", group="$group"`
	itsTopics  = thisGroup + `, topic=~"$topic"`
	pair       = "topic, partition"
	pairLegend = "{{topic}}/{{partition}}"
	lessDetail = "the group is shown in less detail (in lagwatch's config: metrics, detail and max_series)"
)

func group() dashboard.Dashboard {
	p := newPage(uidGroup, "Kafka consumer group",
		"One consumer group: how late it is, why, until when, and what to do first.")
	p.variables(variableSource(), variableCluster(), variableGroup(), variableGroupTopics())
	p.annotations(rounds())
	p.line(4, groupWhy(), groupHowLate(), groupCatchesUp(), groupMembersNow())
	p.line(8, conditionsNow(), ageOverTime())
	p.line(8, arrivalAndDrain(), timeToCatchUp())
	p.line(3, catchingUp())
	p.line(9, lagByPartition(), owners())
	p.line(6, conditionsOverTime())
	p.line(8, membersOverTime(), topicsOfGroup())
	p.line(8, headroomByTopic(), lostByTopic())
	return p.d
}

// rounds marks when partitions changed hands.
func rounds() dashboard.AnnotationQuery {
	q := line(most(K, "lagwatch_group_last_rebalance_timestamp_seconds", thisGroup)+" * 1000", "")
	return dashboard.AnnotationQuery{
		Name: "Rebalances", Datasource: source(), Enable: true, IconColor: blue, Target: q.target(0), Expr: &q.expr,
		TitleFormat: new("Rebalance"), TextFormat: new("Members or owners of {{group}} changed"), UseValueForTime: new(true),
	}
}

func groupWhy() dashboard.Panel {
	return panel{
		width: 5, title: "Why", unit: words, mappings: ranks(),
		about:   "The most important condition that holds of the group. Red ones wake somebody, orange ones are for the day. The table below says what to do first, and docs/conditions.md what each means.",
		none:    "Not known: no such group, or no lagwatch",
		queries: []query{number(headline(thisGroup), "why")},
	}.asStat()
}

func groupHowLate() dashboard.Panel {
	return panel{
		width: 7, title: "How late", unit: seconds,
		about: "How long the oldest unread record has been waiting, that as a multiple of the objective, and how many offsets are unread. From 1 × on the group is late, from 2 × on and rising it wakes somebody: see why, then what to do first.",
		none:  "Not known",
		queries: []query{
			number(most(K, "lagwatch_group_unread_age_seconds", thisGroup), "age"),
			number(lateness(thisGroup), "of objective"),
			number(most(K, "lagwatch_group_lag", thisGroup), "lag"),
		},
		special: []override{
			named("of objective", set("unit", times), set("decimals", 2), set("thresholds", steps(append([]step{below(plain), {0, green}}, againstObjective[1:]...)...))),
			named("lag", set("unit", offsets)),
		},
	}.asStat()
}

func groupCatchesUp() dashboard.Panel {
	return panel{
		width: 7, title: "Catches up in", unit: seconds, mappings: never()[:1],
		about: "How long until the group has caught up everywhere if arrivals and drain stay what they are, with the least and the most that it may be. Never is at the present rates: more members, faster ones or fewer arrivals change that; see members needed.",
		none:  "Not known",
		queries: []query{
			number(drain(K, "lagwatch_group_drain_low_seconds", thisGroup), "at least"),
			number(drain(K, "lagwatch_group_drain_seconds", thisGroup), "about"),
			number(drain(K, "lagwatch_group_drain_high_seconds", thisGroup), "at most"),
		},
		special: []override{named("about", set("mappings", never()))},
	}.asStat()
}

func groupMembersNow() dashboard.Panel {
	return panel{
		width: 5, title: "Members", unit: count,
		about: "Members of the group now, those that own nothing, and how many would keep up and drain the lag within the objective. When more are needed than there are, add members; where needed is not known, no member was seen behind.",
		none:  "?",
		queries: []query{
			number(most(K, "lagwatch_group_members", thisGroup), "now"),
			number(most(K, "lagwatch_group_idle_members", thisGroup), "idle"),
			number(most(K, "lagwatch_group_members_needed", thisGroup), "needed"),
		},
		special: []override{named("idle", set("thresholds", steps(below(plain), step{1, blue})))},
	}.asStat()
}

func conditionsNow() dashboard.Panel {
	held := holding("", thisGroup)
	was := fmt.Sprintf("max by (condition) (max_over_time(timestamp(lagwatch_group_condition{%s} == 0)[$__range:]))", thisGroup)
	return panel{
		width: 14, title: "Conditions that hold", unit: words,
		about: "Every condition that holds of the group, the most important first, for how long, and what to do first. Red ones wake somebody. lagwatch explain with the group's name has the numbers that prove each, and lines to paste.",
		none:  "None holds: all is well. Where Why says that it is not known, nothing is known of the group.",
		queries: []query{
			rows(label("first", "condition", fmt.Sprintf("(%s)\n* on (condition) group_left () (\n  %s\n)", held, rankOf()))),
			rows(fmt.Sprintf("time() - (%s)\nand on (condition) (%s)\nor on (condition) (%s) * %d", was, held, held, forever)),
		},
	}.asTable(value(0), false,
		column{from: "condition", title: "Condition", width: 150, mappings: names()},
		column{from: value(1), title: "For", width: 110, unit: seconds, none: "?", mappings: longer()},
		column{from: "first", title: "What to do first", mappings: firsts()},
	)
}

// label copies a label of an expression into another.
func label(to, from, expr string) string {
	return fmt.Sprintf("label_replace(%s, %q, \"$1\", %q, \"(.*)\")", expr, to, from)
}

func ageOverTime() dashboard.Panel {
	return panel{
		width: 10, title: "Age of the oldest unread record", unit: seconds,
		about: "How long the oldest unread record has been waiting, against the objective. Above the dashed line the group is late; above twice that and rising, it wakes somebody. Blue marks are rebalances. When it rises in a straight line, nothing at all is read of some partition: see the owners.",
		none:  "Not known: nothing tells when the oldest unread record arrived, or the group has no position.",
		queries: []query{
			line(most(K, "lagwatch_group_unread_age_seconds", thisGroup), "age"),
			line(most(K, "lagwatch_group_lag_objective_seconds", thisGroup), "objective"),
		},
		special: []override{named("objective", dashed(red)...), named("age", fixed(blue))},
	}.asLines()
}

func arrivalAndDrain() dashboard.Panel {
	return panel{
		width: 12, title: "Arrival and drain", unit: perSecond,
		about: "How fast records arrive on the group's topics and how fast its commits advance, over all partitions. While drain is below arrival, the lag grows. They may look equal while one partition falls behind: see the lag by partition.",
		none:  "Not known: no two commits were seen yet, or " + lessDetail + ".",
		queries: []query{
			line(total(K, K+", topic", "lagwatch_group_topic_arrival_offsets_per_second", itsTopics), "arrival"),
			line(total(K, K+", topic", "lagwatch_group_topic_drain_offsets_per_second", itsTopics), "drain"),
		},
		special: []override{named("arrival", fixed(orange)), named("drain", fixed(green))},
	}.asLines()
}

func timeToCatchUp() dashboard.Panel {
	about := finite(K, "lagwatch_group_drain_seconds", thisGroup)
	return panel{
		width: 12, title: "Time to catch up", unit: seconds, gaps: true,
		about: "How long until the group has caught up, as estimated at each moment, with the bounds that fit to what was seen (the upper one is cut at four times the estimate). It should fall by a minute each minute. A gap is never or not known: the line below says which.",
		none:  "Never at these rates, or not known: the line below says which.",
		queries: []query{
			line(about, "about"),
			line(most(K, "lagwatch_group_drain_low_seconds", thisGroup)+"\nand on ("+K+") "+about, "at least"),
			line(fmt.Sprintf("(%s < +Inf) <= 4 * (%s)\nor 4 * (%s)", most(K, "lagwatch_group_drain_high_seconds", thisGroup), about, about), "at most"),
		},
		special: []override{
			named("about", fixed(blue), set("custom.fillOpacity", 0)),
			named("at least", fixed(blue), set("custom.lineWidth", 0), set("custom.fillOpacity", 0)),
			named("at most", fixed(blue), set("custom.lineWidth", 0), set("custom.fillOpacity", 20), set("custom.fillBelowTo", "at least")),
		},
	}.asLines()
}

func catchingUp() dashboard.Panel {
	d := most(K, "lagwatch_group_drain_seconds", thisGroup)
	return panel{
		width: 24, title: "Catching up", unit: words,
		about:   "Whether the group had caught up, would, or would never at the rates of that moment. A gap is not known. When it stays orange, look at arrival and drain, then at why.",
		none:    "Not known: rates take two commits.",
		queries: []query{line("("+d+" > bool 0) + ("+d+" == bool +Inf)", "drain")},
		mappings: []dashboard.ValueMapping{meanings(0,
			meaning{"caught up", green}, meaning{"catches up or keeps up", blue}, meaning{"never", orange})},
	}.asTimeline()
}

func lagByPartition() dashboard.Panel {
	top := fmt.Sprintf("topk(10, max by (%s) (max_over_time(lagwatch_group_partition_lag{%s}[$__range] @ end())))", pair, itsTopics)
	return panel{
		width: 10, title: "Lag by partition: the ten largest", unit: offsets,
		about:   "The partitions with the largest lag in the shown time. One far above the others is hot, or stuck, or its owner is: look who owns it. All growing alike: the group as a whole is too slow.",
		none:    "No lag by partition: it is not known, or " + lessDetail + ".",
		queries: []query{line(most(pair, "lagwatch_group_partition_lag", itsTopics)+"\nand on ("+pair+") "+top, pairLegend)},
	}.asLines()
}

func owners() dashboard.Panel {
	lag := most(pair, "lagwatch_group_partition_lag", itsTopics)
	nobody := `label_replace(` + lag + `, "client_id", "nobody", "", "")`
	top := fmt.Sprintf("\nand on (%s) topk(200, %s or on (%s) %s * 0)", pair, lag, pair, most(pair, "lagwatch_group_partition_owner", itsTopics))
	return panel{
		width: 14, title: "Owners, most lag first", unit: words,
		about: "Which member owns each partition now, of the 200 with the most lag, with its lag and the age of its oldest unread record. One owner on top with all its partitions is a slow or stalled member; a partition that nobody owns is read by nobody: see subscriptions and the assignor.",
		none:  "No partition: the group owns nothing, or " + lessDetail + ".",
		queries: []query{
			rows(lag + top),
			rows(most(pair, "lagwatch_group_partition_lag_age_seconds", itsTopics) + top),
			rows("(" + most(pair+", client_id, host", "lagwatch_group_partition_owner", itsTopics) + "\nor on (" + pair + ") " + nobody + ")" + top),
		},
	}.asTable(value(0), true,
		column{from: "topic", title: "Topic", links: []link{toTopic(chosen("cluster"), cell("Topic"))}},
		column{from: "partition", title: "Partition", width: 75},
		column{from: value(0), title: "Lag", width: 75, unit: offsets, none: "?"},
		column{from: value(1), title: "Age", width: 90, unit: seconds, none: "?"},
		column{from: "client_id", title: "Owner", none: "nobody"},
		column{from: "host", title: "Host", width: 125, none: "–"},
	)
}

func conditionsOverTime() dashboard.Panel {
	held := fmt.Sprintf("max by (condition) (max_over_time(lagwatch_group_condition{%s}[$__range] @ end())) == 1", thisGroup)
	p := panel{
		width: 24, title: "Conditions over time", unit: words,
		about:    "When each condition held that held at all in the shown time. Red ones wake somebody, orange ones are for the day, blue ones are worth knowing. A gap is not known: as after a restart of lagwatch.",
		none:     "No condition held in this time.",
		queries:  []query{line(most("condition", "lagwatch_group_condition", thisGroup)+"\nand on (condition) ("+held+")", "{{condition}}")},
		mappings: []dashboard.ValueMapping{meanings(0, meaning{" ", faint}, meaning{"holds", ""})},
	}
	for _, c := range conditions {
		p.special = append(p.special, named(c.name, set("displayName", inWords(c.name)), set("thresholds", steps(below(c.grade.colour())))))
	}
	return p.asTimeline()
}

func membersOverTime() dashboard.Panel {
	steps := set("custom.lineInterpolation", "stepAfter")
	return panel{
		width: 8, title: "Members", unit: count,
		about: "Members, those that own nothing, and how many are needed to keep up and drain the lag within the objective. While the dashed line is above the members, add some; it never goes beyond what can be assigned.",
		none:  "Not known: the group could not be described.",
		queries: []query{
			line(most(K, "lagwatch_group_members", thisGroup), "members"),
			line(most(K, "lagwatch_group_idle_members", thisGroup), "idle"),
			line(most(K, "lagwatch_group_members_needed", thisGroup), "needed"),
		},
		special: []override{
			named("members", fixed(green), steps, set("decimals", 0)), named("idle", fixed(blue), steps, set("custom.fillOpacity", 0)),
			named("needed", append(dashed(orange), steps)...),
		},
	}.asLines()
}

func topicsOfGroup() dashboard.Panel {
	of := func(metric string) string { return most("topic", metric, itsTopics) }
	return panel{
		width: 16, title: "Topics", unit: words,
		about: "What the group reads: lag, age, time to catch up, and how long until retention may remove its oldest unread record. When the headroom is red, raise the topic's retention first.",
		none:  "No topics: the group has no position, or " + lessDetail + ".",
		queries: []query{
			rows(of("lagwatch_group_topic_lag_age_seconds")),
			rows("sum by (topic) (" + most("topic, state", "lagwatch_group_topic_partitions", itsTopics) + ")"),
			rows(of("lagwatch_group_topic_lag")),
			rows(drain("topic", "lagwatch_group_topic_drain_seconds", itsTopics)),
			rows(least("topic", "lagwatch_group_topic_retention_headroom_seconds", itsTopics)),
		},
	}.asTable(value(0), true,
		column{from: "topic", title: "Topic", links: []link{toTopic(chosen("cluster"), cell("Topic"))}},
		column{from: value(1), title: "Partitions", width: 90, unit: count, none: "?"},
		column{from: value(2), title: "Lag", width: 90, unit: offsets, none: "?"},
		column{from: value(0), title: "Age", width: 100, unit: seconds, none: "?"},
		column{from: value(3), title: "Catches up in", width: 115, unit: seconds, none: "?", mappings: never()},
		column{from: value(4), title: "Headroom", width: 105, unit: seconds, none: "–", colours: headroom},
	)
}

func headroomByTopic() dashboard.Panel {
	rest := least("topic", "lagwatch_group_topic_retention_headroom_seconds", itsTopics)
	return panel{
		width: 12, title: "Retention headroom", unit: seconds,
		about:   "How long until retention may remove the oldest unread record of each topic. Below the dashed line, which is an hour, it is urgent: raise retention.ms or retention.bytes of the topic, then get the group going.",
		none:    "Nothing can be lost, or it is not known: nothing is unread, retention removes nothing here, or lagwatch may not read the topics' settings.",
		queries: []query{line(rest, "{{topic}}"), limit(3600, "an hour", leastOverTime("topic", "lagwatch_group_topic_retention_headroom_seconds", itsTopics))},
		special: []override{named("an hour", dashed(red)...)},
	}.asLines()
}

func lostByTopic() dashboard.Panel {
	lost := "sum by (topic) (" + growth(pair, "lagwatch_group_partition_lost_offsets_total", itsTopics) + ")"
	return panel{
		width: 12, title: "Lost before it was read", unit: perSecond,
		about:   "How fast retention removes records that the group has not read. Anything above 0 is gone: raise the topic's retention now. Needs lagwatch_group_partition_lost_offsets_total, which lagwatch publishes where its config includes it (metrics, include); the condition data lost, above, needs nothing.",
		none:    "Not known: the group has no position, or lagwatch does not publish lagwatch_group_partition_lost_offsets_total (in its config: metrics, include).",
		queries: []query{line(lost, "{{topic}}")},
	}.asLines()
}
