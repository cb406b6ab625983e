package alerts

import "strings"

// on is how two expressions of groups are matched.
const on = "on (kafka_cluster, group)"

// perGroup is the gauge of each group, whichever replica has more of it.
func perGroup(metric string) string {
	return `max by (kafka_cluster, group) (<<m "` + metric + `">>)`
}

// holds is an expression of the groups of which a condition holds. Where it is not
// evaluated now, as when lagwatch has just started, what was said last stands for
// 15 minutes.
func holds(condition string) string { return holding(`condition="` + condition + `"`) }

// holdsAny is the same of several conditions.
func holdsAny(conditions ...string) string {
	return holding(`condition=~"` + strings.Join(conditions, "|") + `"`)
}

func holding(matcher string) string {
	series := `<<m "lagwatch_group_condition" ` + "`" + matcher + "`" + `>>`
	return `(
  max by (kafka_cluster, group) (` + series + `)
  or
  max by (kafka_cluster, group) (last_over_time(` + series + `[<<d "15m">>]))
) == 1`
}

// withTeam gives what an expression finds the label team, if the group has one. The
// series that it is joined with is there for every group, see recorded. That there is
// one of each is said again: a Prometheus that was restarted while a team changed still
// has both for some minutes, and a join that finds two fails for all groups.
func withTeam(expr string) string {
	return "(\n" + indent(expr) + "\n)\n* " + on + " group_left (team)\ntopk by (kafka_cluster, group) (1, " + objectiveInfo + ")"
}

// all brackets expressions and joins them by an operator of sets.
func all(operator string, exprs ...string) string {
	var parts []string
	for _, e := range exprs {
		parts = append(parts, "(\n"+indent(e)+"\n)")
	}
	return strings.Join(parts, "\n"+operator+" "+on+"\n")
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}
