package main

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// A grade is how bad a condition is: what the shipped alerts make of it.
type grade uint8

const (
	note     grade = iota // worth knowing
	ticket                // somebody should look at it by day
	critical              // somebody is woken
)

func (g grade) colour() string { return [...]string{blue, orange, red}[g] }

// A condition is one of docs/conditions.md.
type condition struct {
	name  string
	grade grade
	first string // what to do first
}

// conditions are all, in the order of their importance, which docs/conditions.md
// gives: the first that holds of a group is its headline. A test compares them.
var conditions = []condition{
	{"unreadable", ticket, "Check lagwatch's permissions and the group's coordinator."},
	{"data_lost", critical, "Raise the topic's retention, then get the group going."},
	{"data_at_risk", critical, "Raise the topic's retention before the headroom is used up."},
	{"commits_vanished", critical, "Decide where it shall begin before anybody starts it."},
	{"never_committed", ticket, "Check that the application commits at all."},
	{"no_consumers", critical, "Start the consumers; see why they left."},
	{"rebalancing", ticket, "Find which member comes and goes: dashboard Ownership."},
	{"unowned_partitions", ticket, "Check subscriptions and the assignor of the members."},
	{"open_transaction", ticket, "Find the producer whose transaction hangs, and abort it."},
	{"stalled_group", critical, "Look at what all members depend on, then restart them."},
	{"stalled_member", critical, "Look at that member (owners below), then restart it."},
	{"stalled_partition", critical, "Look at the record at its committed offset."},
	{"hot_partition", ticket, "Look at the keys: more members do not help."},
	{"slow_member", ticket, "Look at that member's process and host."},
	{"slow_dependency", ticket, "Look at what all members call: database, service, network."},
	{"under_capacity", ticket, "Add members, up to the number needed."},
	{"catching_up", note, "Wait; watch that the time to catch up falls."},
	{"idle_members", note, "Remove members, or keep them as spares."},
	{"abandoned_topic", note, "Delete the group's commits on the topic that it has left."},
	{"rewound", note, "Expect records twice; find out who reset the group."},
	{"standalone", note, "Nothing: it commits without being a member."},
}

// inWords is a condition's name as it is read: stalled group.
func inWords(name string) string { return strings.ReplaceAll(name, "_", " ") }

// noCondition is the rank of a group of which none holds.
const noCondition = 0

// ranks shows the rank of a condition, as headline gives it, in words.
func ranks() []dashboard.ValueMapping {
	list := []meaning{{"none", green}}
	for _, c := range conditions {
		list = append(list, meaning{inWords(c.name), c.grade.colour()})
	}
	return []dashboard.ValueMapping{meanings(noCondition, list...)}
}

// names shows the label condition in words, and firsts what to do first about it.
func names() []dashboard.ValueMapping {
	var from []string
	var to []meaning
	for _, c := range conditions {
		from, to = append(from, c.name), append(to, meaning{inWords(c.name), c.grade.colour()})
	}
	return []dashboard.ValueMapping{textMeanings(from, to)}
}

func firsts() []dashboard.ValueMapping {
	var from []string
	var to []meaning
	for _, c := range conditions {
		from, to = append(from, c.name), append(to, meaning{c.first, ""})
	}
	return []dashboard.ValueMapping{textMeanings(from, to)}
}

// graded is a pattern that matches the conditions of a grade.
func graded(g grade) string {
	var list []string
	for _, c := range conditions {
		if c.grade == g {
			list = append(list, c.name)
		}
	}
	return strings.Join(list, "|")
}
