package main

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// What is shown of all groups: those of the chosen clusters whose name has what
// was typed.
const someGroups = `kafka_cluster=~"$cluster", group=~"(?i).*$search.*"`

func overview() dashboard.Dashboard {
	p := newPage(uidOverview, "Kafka consumer groups: overview",
		"Every consumer group of every cluster, worst first: how late, until when, and why.")
	p.variables(variableSource(), variableClusters(),
		variableMany("team", "Team", "Teams, from the objectives in lagwatch's config.", `lagwatch_group_objective_info{kafka_cluster=~"$cluster"}`),
		variableText("search", "Group contains", "A part of the groups' names, or a regular expression. Empty shows all."),
		variableChoice("rows", "Rows", "How many groups the table shows at most, worst first.", "100", "25", "500", "5000"))
	p.line(4, clusters(), groupsKnown(), groupsLate(), groupsInTrouble())
	p.line(17, groupTable())
	p.line(9, worstOverTime(), clusterTable())
	return p.d
}

// counted is how many series of all hold; absent where there are none at all, so
// that a lagwatch that is gone does not look like a calm one.
func counted(all, holds string) string {
	return fmt.Sprintf("count(%s)\nor count(%s) * 0", holds, all)
}

const (
	someClusters = `kafka_cluster=~"$cluster"`
	noLagwatch   = "No lagwatch"
)

// inTeams keeps the groups of the chosen teams.
func inTeams(expr string) string {
	return fmt.Sprintf("(%s)\nand on (%s) lagwatch_group_objective_info{%s, team=~\"$team\"}", expr, K, someGroups)
}

func clusters() dashboard.Panel {
	up := most("kafka_cluster", "lagwatch_up", someClusters)
	return panel{
		width: 6, title: "Clusters", unit: count, none: noLagwatch,
		about: "How many clusters the last poll could read, and how many not: of the groups of a blind one nothing is known. When blind is red, look at the dashboard lagwatch itself, then at the brokers.",
		queries: []query{
			number(counted(up, up+" == 1"), "read"),
			number(counted(up, up+" == 0"), "blind"),
		},
		special: []override{named("blind", set("thresholds", steps(noneIsGood...)))},
	}.asStat()
}

func groupsKnown() dashboard.Panel {
	whole := inTeams(most(K, "lagwatch_group_complete", someGroups))
	return panel{
		width: 6, title: "Groups", unit: count, none: noLagwatch,
		about: "How many groups are watched, expected ones that are missing included, and of how many of them the last poll could not read everything: their numbers are older, or a part of the truth. When read in part stays orange, look at the poll errors on the dashboard lagwatch itself.",
		queries: []query{
			number("count("+inTeams(most(K, "lagwatch_group_objective_info", someGroups))+")", "watched"),
			number(counted(whole, "("+whole+") == 0"), "read in part"),
		},
		special: []override{named("read in part", set("thresholds", steps(noneIsBetter...)))},
	}.asStat()
}

func groupsLate() dashboard.Panel {
	late := inTeams(lateness(someGroups))
	return panel{
		width: 6, title: "Late", unit: count, none: "No age is known",
		about: "How many groups have an unread record that is older than their objective allows, and how many of these never catch up at the present rates. When it is red, open the first groups of the table: those that never catch up need somebody, the others need time.",
		queries: []query{
			number(counted(late, "("+late+") > 1"), "late"),
			number(counted(late, "(("+late+") > 1) and on ("+K+") ("+most(K, "lagwatch_group_drain_seconds", someGroups)+" == +Inf)"), "never catch up"),
		},
		colours: noneIsGood,
	}.asStat()
}

func groupsInTrouble() dashboard.Panel {
	any := most(K, "lagwatch_group_objective_info", someGroups)
	losing := inTeams("max by (" + K + ") (" + holding(K, someGroups+`, condition=~"data_lost|data_at_risk"`) + ")")
	return panel{
		width: 6, title: "Trouble", unit: count, none: noLagwatch,
		about: "Of how many groups a condition holds that wakes somebody (data lost or at risk, commits vanished, a stall, or no consumers, other than of a batch group), and of how many of these retention has removed unread records or may within the hour. When losing data is red, raise the retention of the topics first.",
		queries: []query{
			number(counted(any, "max by ("+K+") ("+inTeams(criticalNow())+")"), "critical"),
			number(counted(any, losing), "losing data"),
		},
		colours: noneIsGood,
	}.asStat()
}

// criticalNow are the critical conditions that hold. A batch group has no
// consumers on purpose.
func criticalNow() string {
	return fmt.Sprintf(`%s
unless on (%s, condition) label_replace(%s, "condition", "no_consumers", "", "")`,
		holding(K, someGroups+`, condition=~"`+graded(critical)+`"`), K, most(K, "lagwatch_group_objective_info", someGroups+`, mode="batch"`))
}

// urgency orders the table: first what is critical (a condition that wakes
// somebody, or an age over twice the objective), then what is late, then the rest;
// among equals by the age against the objective. An age that is not known may be
// any: such a group comes right after the late ones.
func urgency() string {
	return fmt.Sprintf(`1000 * max by (%[1]s) (
  2 * max by (%[1]s, condition) (%[2]s)
  or (%[3]s > bool 1) + (%[3]s > bool 2)
  or %[4]s * 0
)
+ on (%[1]s) (
  clamp_max(%[3]s, 900)
  or on (%[1]s) %[4]s
)`,
		K, criticalNow(), "("+lateness(someGroups)+")", most(K, "lagwatch_group_objective_info", someGroups))
}

// The columns of the table that are values. They come with one query, since what
// chooses the rows is dear where there are thousands of groups: each has the name
// of its column as a label, which Grafana makes a column of.
func groupValues() string {
	var list []string
	add := func(name, expr string) {
		list = append(list, fmt.Sprintf("label_replace(%s, \"column\", %q, \"\", \"\")", expr, name))
	}
	add("order", urgency())
	add("why", headline(someGroups))
	add("age", most(K, "lagwatch_group_unread_age_seconds", someGroups))
	add("ratio", lateness(someGroups))
	add("drain", drain(K, "lagwatch_group_drain_seconds", someGroups))
	add("lag", most(K, "lagwatch_group_lag", someGroups))
	add("members", most(K, "lagwatch_group_members", someGroups))
	return fmt.Sprintf(`(
  (
%s
  )
  and on (%s) topk($rows, %s)
)
* on (%s) group_left (team) topk by (%s) (1, max by (%s, mode, team) (lagwatch_group_objective_info{%s}))`,
		strings.Join(list, "\nor "), K, inTeams(urgency()), K, K, K, someGroups)
}

func groupTable() dashboard.Panel {
	late := lateness(someGroups)
	return panel{
		width: 24, title: "Groups, worst first", unit: words,
		about: "One row for each group. Age is how long its oldest unread record has been waiting; the next column is that as a multiple of the objective, red from 2 on, which wakes somebody. " +
			"Catches up in is how long until the lag is gone at the present rates. Why is the most important condition that holds: red ones wake somebody. " +
			"Click on a group for what to do. A question mark is a value that is not known.",
		none: "No group is known here: check the variables above, then the dashboard lagwatch itself.",
		queries: []query{
			number(groupValues(), ""),
			line("("+late+")\nand on ("+K+") topk($rows, "+ending(inTeams(urgency()))+")", ""),
		},
		pivot: "column",
	}.asTable("order", true,
		column{from: "group", title: "Group", links: []link{toGroup(cell("Cluster"), cell("Group")), toOwnership(cell("Cluster"), cell("Group"))}},
		column{from: "kafka_cluster", title: "Cluster", width: 110},
		column{from: "why", title: "Why", width: 150, mappings: ranks(), none: "?", left: true},
		column{from: "age", title: "Age", width: 90, unit: seconds, none: "?"},
		column{from: "ratio", title: "Age / objective", width: 115, unit: times, none: "?", colours: againstObjective, filled: true},
		column{from: "drain", title: "Catches up in", width: 110, unit: seconds, none: "?", mappings: never()},
		column{from: "lag", title: "Lag", width: 90, unit: offsets, none: "?"},
		column{from: trend(1), title: "Trend of age", width: 150, none: "–"},
		column{from: "members", title: "Members", width: 80, unit: count, none: "?"},
		column{from: "team", title: "Team", width: 110, none: "–"},
	)
}

func worstOverTime() dashboard.Panel {
	late := lateness(someGroups)
	return panel{
		width: 16, title: "Age against the objective: the ten worst", unit: times,
		about: "The age of the oldest unread record as a multiple of the objective, of the ten groups that are latest at the end of the shown time. Above the dashed line a group is late; above 2 and rising it wakes somebody: open the group from the table.",
		none:  "No group with a known age: see the dashboard lagwatch itself.",
		queries: []query{
			line("("+late+")\nand on ("+K+") topk(10, "+ending(inTeams(late))+")", "{{group}} ({{kafka_cluster}})"),
			limit(1, "objective", late),
		},
		special: []override{named("objective", dashed(red)...)},
	}.asLines()
}

func clusterTable() dashboard.Panel {
	late := lateness(someGroups)
	return panel{
		width: 8, title: "Clusters", unit: count,
		about: "Each cluster: whether lagwatch can read it, how many groups it has, and how many of them are late. When one is blind, nothing is known of its groups: look at the dashboard lagwatch itself.",
		none:  "No cluster: no lagwatch is scraped by this data source.",
		queries: []query{
			rows(most("kafka_cluster", "lagwatch_up", someClusters)),
			rows("count by (kafka_cluster) (" + most(K, "lagwatch_group_objective_info", someGroups) + ")"),
			rows("count by (kafka_cluster) ((" + late + ") > 1)\nor count by (kafka_cluster) (" + late + ") * 0"),
		},
	}.asTable(value(0), false,
		column{from: "kafka_cluster", title: "Cluster"},
		column{from: value(0), title: "Read", width: 80, mappings: upOrBlind()},
		column{from: value(1), title: "Groups", width: 80, unit: count, none: "0"},
		column{from: value(2), title: "Late", width: 70, unit: count, none: "?", colours: noneIsGood},
	)
}

// upOrBlind shows lagwatch_up.
func upOrBlind() []dashboard.ValueMapping {
	return []dashboard.ValueMapping{meanings(0, meaning{"blind", red}, meaning{"yes", green})}
}
