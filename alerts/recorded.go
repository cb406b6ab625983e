package alerts

// The recorded series that alerts and dashboards read.
const (
	objectiveInfo = "lagwatch:group_objective:info"
	unreadAge     = "lagwatch:group_unread_age_seconds:max"
	late          = "lagwatch:group_late:bool"
	arrival       = "lagwatch:group_arrival_offsets_per_second:sum"
	budget        = "lagwatch:group_lag_error_budget:ratio"
	lateRatio     = "lagwatch:group_late:ratio_" // and a window
)

// recorded are the series of each group from which pages are reckoned.
func recorded() []rule {
	return []rule{
		{name: objectiveInfo, why: `1 for each group, with the mode of its objective (continuous, batch) and the team that it is routed
to. One of each group, whatever two replicas with different configs say: alerts are joined with it.
Where it cannot be read now it stands for 15 minutes, and a group of which only conditions are
known has one without a team, so that no alert is lost for want of it.`,
			expr: `topk by (kafka_cluster, group) (1,
  max by (kafka_cluster, group, mode, team) (<<m "lagwatch_group_objective_info">>)
)
or on (kafka_cluster, group)
topk by (kafka_cluster, group) (1,
  max by (kafka_cluster, group, mode, team) (last_over_time(<<m "lagwatch_group_objective_info">>[<<d "15m">>]))
)
or on (kafka_cluster, group)
(max by (kafka_cluster, group) (last_over_time(<<m "lagwatch_group_condition">>[<<d "15m">>])) * 0 + 1)`},
		{name: unreadAge, why: "How long the oldest unread record of a group has been waiting. What may be a transaction marker does not count.",
			expr: perGroup("lagwatch_group_unread_age_seconds")},
		{name: late, why: "1 while a group is later than its objective allows, 0 while it is not, absent while that is not known.",
			expr: unreadAge + "\n> bool " + on + "\n" + perGroup("lagwatch_group_lag_objective_seconds")},
		{name: arrival, why: `How fast what the group reads grows. Replicas agree or differ by a moment: their maximum by topic, and
the sum of topics.`,
			expr: `sum by (kafka_cluster, group) (
  max by (kafka_cluster, group, topic) (<<m "lagwatch_group_topic_arrival_offsets_per_second">>)
)`},
		{name: budget, why: "The share of time in which a group may be late: 0.01 with a target of 0.99.",
			expr: "1 - " + perGroup("lagwatch_group_lag_objective_ratio")},
		lateOver("5m"), lateOver("30m"), lateOver("1h"),
	}
}

// longWindows are those of hours.
func longWindows() []rule {
	return []rule{
		lateOver("2h"), lateOver("6h"),
		{name: lateRatio + "1d", why: "The same over a day, from its hours: 24 samples instead of 2,880.",
			expr: `clamp_max(sum_over_time(` + lateRatio + `1h[<<d "1d">>:<<d "1h">>]) / 24, 1)`},
	}
}

// lateOver is the share of a window in which a group was late. What is not known
// of the window, as before the group was there, counts as not late.
func lateOver(window string) rule {
	r := rule{name: lateRatio + window,
		expr: `clamp_max(sum_over_time(` + late + `[<<d "` + window + `">>]) / <<n "` + window + `">>, 1)`}
	if window == "5m" {
		r.why = "In which share of the last 5 minutes the group was late, 0 to 1: late samples by all that the window has room for."
	}
	return r
}
