package alerts

import "strings"

// The dashboards, by uid.
const (
	groupBoard     = "lagwatch-group"
	topicBoard     = "lagwatch-topic"
	ownershipBoard = "lagwatch-ownership"
	selfBoard      = "lagwatch-self"
)

// Texts are templates that Prometheus expands. A number is a query within one: printf
// quotes the labels as PromQL wants them, whatever a group's id is. What is not there
// is "not known".

const (
	groupLabels  = "$labels.kafka_cluster $labels.group"
	clusterLabel = "$labels.kafka_cluster"
)

// number is what a query finds, in a format of Prometheus' templates. The query has a %q
// for each of the labels.
func number(query, format, labels string) string {
	return ask(query, labels) + "{{ . | first | value | " + format + " }}" + otherwise("not known")
}

// counted is a number with what it counts.
func counted(query, format, unit, labels string) string {
	return ask(query, labels) + "{{ . | first | value | " + format + " }} " + unit + otherwise("not known")
}

func ask(query, labels string) string {
	return "{{ with printf `" + query + "` " + labels + " | query }}"
}

func otherwise(text string) string { return "{{ else }}" + text + "{{ end }}" }

// ofThisGroup is a selector of the series of the group that an alert is about.
func ofThisGroup(metric string) string {
	return `<<q "` + metric + `" "kafka_cluster" "group">>`
}

func groupNumber(metric, format string) string {
	return number("max("+ofThisGroup(metric)+")", format, groupLabels)
}

var (
	ageWords       = groupNumber("lagwatch_group_unread_age_seconds", "humanizeDuration")
	oldWords       = counted("max("+ofThisGroup("lagwatch_group_unread_age_seconds")+")", "humanizeDuration", "old", groupLabels)
	objectiveWords = groupNumber("lagwatch_group_lag_objective_seconds", "humanizeDuration")
	lagWords       = counted("max("+ofThisGroup("lagwatch_group_lag")+")", "humanize", "offsets", groupLabels)
	membersWords   = groupNumber("lagwatch_group_members", "humanize")
	idleWords      = groupNumber("lagwatch_group_idle_members", "humanize")

	lateMinutes    = number("max("+ofThisGroup(lateRatio+"1h")+") * 3600", "humanizeDuration", groupLabels)
	lateShareOfDay = number("max("+ofThisGroup(lateRatio+"1d")+")", "humanizePercentage", groupLabels)
	movedWords     = inTenMinutes("lagwatch_group_partitions_moved_total", "humanize")
	unstableWords  = inTenMinutes("lagwatch_group_unstable_seconds_total", "humanizeDuration")

	// drainWords is a time, or what +Inf means in words.
	drainWords = ask("max("+ofThisGroup("lagwatch_group_drain_seconds")+")", groupLabels) +
		"{{ if gt (. | first | value) 1e14 }}never, at the present rates{{ else }}{{ . | first | value | humanizeDuration }}{{ end }}" +
		otherwise("not known")
)

func inTenMinutes(counter, format string) string {
	return number("max(increase("+ofThisGroup(counter)+`[<<d "10m">>]))`, format, groupLabels)
}

// stuckQuery is worstQuery among the partitions that somebody owns: what nobody owns may be older,
// and hangs on nobody.
var stuckQuery = "topk(1, max by (topic, partition) (" + ofThisGroup("lagwatch_group_partition_lag_age_seconds") + ") and on (topic, partition) " +
	ofThisGroup("lagwatch_group_partition_lag") + " > 10 and on (topic, partition) " + ofThisGroup("lagwatch_group_partition_owner") + ")"

var thrice = strings.Join([]string{groupLabels, groupLabels, groupLabels}, " ")

// worstQuery finds the partition whose oldest unread record is the oldest, among those with more
// than the few offsets that may be markers of transactions, if there are any.
var worstQuery = func() string {
	age := "max by (topic, partition) (" + ofThisGroup("lagwatch_group_partition_lag_age_seconds") + ")"
	many := "max by (topic, partition) (" + ofThisGroup("lagwatch_group_partition_lag") + ") > 10"
	return "topk(1, (" + age + " and on (topic, partition) (" + many + ")) or (" + age + " unless on () (" + many + ")))"
}()

var fourTimes = strings.Join([]string{groupLabels, groupLabels, groupLabels, groupLabels}, " ")

var (
	// worstTopic is the topic that is the furthest behind, in time.
	worstTopic = ask("topk(1, max by (topic) ("+ofThisGroup("lagwatch_group_topic_lag_age_seconds")+"))", groupLabels) +
		`{{ . | first | label "topic" }}` + otherwise("topic not known")

	// worstWords is topic/partition, or the topic where partitions are not published.
	worstWords = ask(worstQuery, fourTimes) + partitionWords + "{{ else }}" + worstTopic + "{{ end }}"

	// stuckWords is the partition that is stuck, with its owner, or the worst of all.
	stuckWords = ask(stuckQuery, thrice) + partitionWords + itsOwner + "{{ else }}" + worstWords + "{{ end }}"

	// ownerWords says who owns that partition, and nothing where that is not known.
	ownerWords = ask(worstQuery, fourTimes) + itsOwner + "{{ end }}"

	itsOwner = "{{ with printf `topk(1, max by (client_id, host) (" + `<<q "lagwatch_group_partition_owner" "kafka_cluster" "group" "topic" "partition">>` + "))` " +
		groupLabels + ` (. | first | label "topic") (. | first | label "partition") | query }}` +
		`, owned by {{ . | first | label "client_id" }} at {{ . | first | label "host" }}{{ end }}`

	// headroomWords is when retention may delete the oldest unread record.
	headroomWords = `{{ with printf ` + "`min(" + ofThisGroup("lagwatch_group_topic_retention_headroom_seconds") + ")` " + groupLabels +
		` | query }}, in {{ . | first | value | humanizeDuration }}{{ end }}`
)

const explain = `lagwatch explain '{{ $labels.group }}' --cluster '{{ $labels.kafka_cluster }}'`

var (
	place = "Group {{ $labels.group }} in cluster {{ $labels.kafka_cluster }}.\n"

	lateness = "Group {{ $labels.group }} in cluster {{ $labels.kafka_cluster }}.\nOldest unread record: " + oldWords +
		" (objective " + objectiveWords + "). Worst: " + worstWords + ownerWords +
		".\nLag: " + lagWords + ". Catches up in: " + drainWords + ".\n"

	// lastSeen is of a group that has no positions any more: what it read, and its lag then.
	lastSeen = "Within the last hour it read: " + ask("count by (topic) (last_over_time("+ofThisGroup("lagwatch_group_topic_lag")+`[<<d "1h">>]))`, groupLabels) +
		`{{ range $i, $t := . | sortByLabel "topic" }}{{ if $i }}, {{ end }}{{ $t.Labels.topic }}{{ end }}` + otherwise("not known") +
		". Lag when it was seen last: " + counted("max(last_over_time("+ofThisGroup("lagwatch_group_lag")+`[<<d "1h">>]))`, "humanize", "offsets", groupLabels) + ".\n"

	saysWhy = "Why: " + ask("max by (condition) ("+ofThisGroup("lagwatch_group_condition")+") == 1", groupLabels) +
		`{{ range $i, $c := . | sortByLabel "condition" }}{{ if $i }}, {{ end }}{{ $c.Labels.condition }}{{ end }}` +
		otherwise("no condition holds, or none is known") + ".\n"

	capacity = "Members: " + membersWords + ", needed: " +
		ask("max("+ofThisGroup("lagwatch_group_members_needed")+")", groupLabels) + "{{ . | first | value | humanize }}" +
		otherwise("not known, or more would not help") + ".\n"

	headroom = "Retention may delete the oldest of what is unread on " + worstTopic + headroomWords + ".\n"

	clusterErrors = ask("max by (stage, reason) (increase("+`<<q "lagwatch_poll_errors_total" "kafka_cluster">>`+`[<<d "15m">>])) > 0`, clusterLabel) +
		`{{ range $i, $e := . | sortByLabel "stage" }}{{ if $i }}, {{ end }}{{ $e.Labels.stage }}: {{ $e.Labels.reason }}{{ end }}` +
		otherwise("none counted")
)

// partitionWords are of what a query has found.
const partitionWords = `{{ . | first | label "topic" }}/{{ . | first | label "partition" }}`

const (
	firstExplain = "First: " + explain + " says why, and what to do."
	explainToo   = "More: " + explain
)
