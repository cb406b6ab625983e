package main

import (
	"fmt"
	"strings"
)

// K are the labels that name a group.
const K = "kafka_cluster, group"

// most is a gauge as one value for each of the labels by. Replicas of lagwatch
// publish the same gauges: the greatest of them is right, their sum never.
func most(by, metric, selector string) string {
	return fmt.Sprintf("max by (%s) (%s{%s})", by, metric, selector)
}

// least is the same where the least is what counts.
func least(by, metric, selector string) string {
	return fmt.Sprintf("min by (%s) (%s{%s})", by, metric, selector)
}

// leastOverTime is that of all the shown time, at each moment.
func leastOverTime(by, metric, selector string) string {
	return fmt.Sprintf("min by (%s) (min_over_time(%s{%s}[$__range] @ end()))", by, metric, selector)
}

// growth is how fast a counter grows, of the replica that has counted most.
func growth(by, metric, selector string) string {
	return fmt.Sprintf("max by (%s) (rate(%s{%s}[$__rate_interval]))", by, metric, selector)
}

// total adds what is one value for each of the labels inner.
func total(by, inner, metric, selector string) string {
	return fmt.Sprintf("sum by (%s) (%s)", by, most(inner, metric, selector))
}

// ending evaluates an expression at the end of the shown time range, so that a
// chart's choice of series is one choice, not another at each step.
func ending(expr string) string { return strings.ReplaceAll(expr, "}", "} @ end()") }

// headline is the rank of the most important condition of each group, 1 the
// highest, and 0 where none holds: where the first of all was evaluated, which
// every poll does that has read anything. What holds is filtered before it is
// folded: of thousands of groups that is little of much.
func headline(selector string) string {
	return fmt.Sprintf(`min by (%[1]s) (
  %[2]s
  * on (condition) group_left () (
    %[3]s
  )
)
or on (%[1]s) %[4]s * 0`,
		K, holding(K, selector), rankOf(), most(K, "lagwatch_group_condition", selector+`, condition="`+conditions[0].name+`"`))
}

// holding are the conditions that hold.
func holding(by, selector string) string {
	if by != "" {
		by += ", "
	}
	return fmt.Sprintf("max by (%scondition) (lagwatch_group_condition{%s} == 1)", by, selector)
}

// rankOf has a series for each condition, whose value is its rank.
func rankOf() string {
	var ranked []string
	for i, c := range conditions {
		ranked = append(ranked, fmt.Sprintf("label_replace(vector(%d), \"condition\", %q, \"\", \"\")", i+1, c.name))
	}
	return strings.Join(ranked, "\n  or ")
}

// lateness is the age of each group's oldest unread record as a multiple of its
// objective.
func lateness(selector string) string {
	return most(K, "lagwatch_group_unread_age_seconds", selector) + "\n/ " + most(K, "lagwatch_group_lag_objective_seconds", selector)
}

// drain is the time until a group has caught up, with a number for never.
func drain(by, metric, selector string) string {
	return fmt.Sprintf("clamp_max(%s, %d)", most(by, metric, selector), forever)
}

// finite is the same without never.
func finite(by, metric, selector string) string {
	return "(" + most(by, metric, selector) + " < +Inf)"
}
