package alerts

import "time"

// lateKeeps is how long KafkaGroupLagAgeHigh stays.
const lateKeeps = 5 * time.Minute

// lateAlerts page for a group that is later than its objective allows.
func lateAlerts() []rule {
	return []rule{
		{name: "KafkaGroupLagAgeHigh", severity: Critical, panel: groupBoard,
			when: "the oldest unread record has waited for more than twice the objective, and for no less than five minutes ago",
			why: `Twice the objective is no burst any more. A group that catches up is left alone: its oldest unread
record is younger than five minutes ago, or than a minute ago where it has just been created to read
a topic from its beginning.`,
			expr: withTeam(all("unless",
				unreadAge+"\n> "+on+"\n<<t \"age_factor\">> * "+perGroup("lagwatch_group_lag_objective_seconds"),
				unreadAge+" < "+on+" (\n  "+unreadAge+` offset <<d "5m">>`+"\n  or\n  "+unreadAge+` offset <<d "1m">>`+"\n)")),
			pending: held{3 * time.Minute, "a pause of a minute or two, as in a deployment, ends by itself"},
			keep:    held{lateKeeps, "a single commit makes the age fall for a moment"},
			summary: `{{ $labels.group }} is behind by ` + ageWords + ` (objective ` + objectiveWords + `) and does not catch up`,
			text:    lateness + saysWhy + firstExplain},
		{name: "KafkaGroupLagBudgetBurn", severity: Critical, panel: groupBoard,
			when: "late for 14.4 % of the last hour and of the last 5 minutes, or for 6 % of 6 hours and 30 minutes (with a target of 0.99)",
			why: `Two windows each: the long one says that it matters, the short one that it goes on. With a target of
0.99, 14.4 times the budget is 8.6 minutes in an hour, 6 times is 21.6 minutes in six. A group that
was not there an hour ago has no budget to burn yet. What somebody has been woken for within the short
windows is not told again as a budget: that would come when the trouble is over. It is for lateness that
comes and goes, of which no other alert takes notice.`,
			expr: withTeam(all("unless", all("and",
				"(\n"+indent(all("and", burns("1h", "burn_1h"), burns("5m", "burn_1h")))+"\n)\nor "+on+"\n(\n"+
					indent(all("and", burns("6h", "burn_6h"), burns("30m", "burn_6h")))+"\n)",
				knownFor), toldOf)),
			pending: held{2 * time.Minute, "the windows do the waiting; two minutes are for one that only touches the line"},
			keep:    held{5 * time.Minute, "the short window falls at each burst that ends"},
			summary: `{{ $labels.group }} has been late for ` + lateMinutes + ` of the last hour (objective ` + objectiveWords + `)`,
			text:    lateness + saysWhy + firstExplain},
	}
}

// burns is true of groups that use up their budget faster than a threshold.
func burns(window, factor string) string {
	return lateRatio + window + " > " + on + " (<<t \"" + factor + "\">> * " + budget + ")"
}

// knownFor is true of groups that were there about an hour ago. Ten minutes of it are
// looked at, since lagwatch may have been restarted just then.
const knownFor = `present_over_time(` + late + `[<<d "10m">>] offset <<d "55m">>)`

// toldOf is true of groups of which somebody has been told lately that they are late, or
// why. The series is of Prometheus itself, so the selector of the options is not in it.
const toldOf = `max_over_time(ALERTS{alertstate="firing",alertname=~"KafkaGroupLagAgeHigh|KafkaGroupStalled|KafkaMemberStalled|KafkaPartitionStalled|KafkaGroupNoConsumers"}[<<d "30m">>])`

// slowBurn is for a ticket: nothing that somebody has to do at night.
func slowBurn() rule {
	return rule{name: "KafkaGroupLagBudgetBurnSlow", severity: Warning, panel: groupBoard,
		when:    "late for 3 % of the last day and of the last 2 hours (with a target of 0.99)",
		why:     "At this rate the budget of 30 days is gone in ten: 43 minutes of lateness a day with a target of 0.99.",
		expr:    withTeam(all("and", burns("1d", "burn_1d"), burns("2h", "burn_1d"), knownFor)),
		pending: held{15 * time.Minute, "it is about a day; a quarter of an hour is nothing of it"},
		keep:    held{30 * time.Minute, "a ticket that comes and goes is several tickets"},
		summary: `{{ $labels.group }} is late too often: for ` + lateShareOfDay + ` of the last day (objective ` + objectiveWords + `)`,
		text:    lateness + saysWhy + firstExplain}
}
