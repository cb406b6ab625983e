package collector

import "github.com/lagwatch/lagwatch/internal/snapshot"

// Kind is the type of a metric.
type Kind uint8

// The kinds of metrics.
const (
	Gauge Kind = iota + 1
	Counter
)

func (k Kind) String() string {
	if k == Counter {
		return "counter"
	}
	return "gauge"
}

// Metric is one row of the table that everything about metrics is read from:
// the page, the reference in docs/metrics.md, and the checks on rules and
// dashboards.
type Metric struct {
	Name   string // with the prefix lagwatch_
	Kind   Kind
	Unit   string // "" for a number of things or a state
	Labels []string
	Help   string
	// Unknown says what the metric does when its value is not known.
	Unknown string
	// Stability is "stable" or "experimental"; Since the version that
	// brought it.
	Stability, Since string
}

// Metrics returns the table, in the order of the reference.
func Metrics() []*Metric { return rows }

var rows []*Metric

// row adds a metric to the table; it runs while the variables below are
// initialised, in their order, and never after.
func row(name string, kind Kind, unit string, labels []string, help, unknown string) *Metric {
	m := &Metric{
		Name: "lagwatch_" + name, Kind: kind, Unit: unit, Labels: labels, Help: help, Unknown: unknown,
		Stability: "stable", Since: "0.1",
	}
	rows = append(rows, m)
	return m
}

// Labels are the same everywhere; series about Kafka begin with the cluster.
func ofCluster(more ...string) []string   { return append([]string{"kafka_cluster"}, more...) }
func ofTopic(more ...string) []string     { return ofCluster(append([]string{"topic"}, more...)...) }
func ofPartition(more ...string) []string { return ofTopic(append([]string{"partition"}, more...)...) }
func ofGroup(more ...string) []string     { return ofCluster(append([]string{"group"}, more...)...) }

const (
	always    = "Always there."
	staleGone = "Absent when it could not be read for stale_after."
)

// The exporter itself.
var (
	metricBuildInfo = row("build_info", Gauge, "", []string{"version", "revision", "goversion"},
		"Always 1; the labels say which lagwatch this is.", always)
	metricUp = row("up", Gauge, "", ofCluster(),
		"Whether the last poll could read what the cluster consists of: 1 yes, 0 no.", always+" 0 before the first poll.")
	metricPolls = row("polls_total", Counter, "", ofCluster("result"),
		"Polls by result: complete, partial (some of it is unknown), failed (nothing could be read).", always)
	metricPollDuration = row("poll_duration_seconds", Gauge, "seconds", ofCluster(),
		"How long the last poll took.", "Absent before the first poll.")
	metricPollErrors = row("poll_errors_total", Counter, "", ofCluster("stage", "reason"),
		"Things that a poll could not read, by the stage of the poll and the reason. One for each broker, group or topic concerned, not for each partition.",
		"A pair of stage and reason appears with its first error.")
	metricLastSuccess = row("last_success_timestamp_seconds", Gauge, "seconds", ofCluster(),
		"When the last poll ended that was not failed, as a Unix time.", "Absent before the first.")
	metricPollInterval = row("poll_interval_seconds", Gauge, "seconds", ofCluster(),
		"The configured time between the starts of two polls.", always)
	metricRequests = row("kafka_requests_total", Counter, "", ofCluster("api"),
		"Requests sent to brokers, by Kafka's name for them, retries included. What connections need to be set up is not counted.",
		"An API appears with its first request.")
	metricBrokerUp = row("broker_up", Gauge, "", ofCluster("broker"),
		"Whether the broker answered in the last poll: 1 yes, 0 no.", "Absent for brokers that the last metadata did not name: Kafka itself drops a dead one after some seconds.")
	metricClusterInfo = row("cluster_info", Gauge, "", ofCluster("cluster_id"),
		"Always 1; the label is Kafka's own id of the cluster.", "Absent before the first good poll, and where Kafka has none.")
)

// The log.
var (
	metricStartOffset = row("partition_start_offset", Gauge, "offsets", ofPartition(),
		"The first offset that is still in the log. Read less often than the end (start_offset_interval).", staleGone)
	metricEndOffset = row("partition_end_offset", Gauge, "offsets", ofPartition(),
		"The offset that the next record will get once it is replicated (the high watermark).", staleGone)
	metricLastStable = row("partition_last_stable_offset", Gauge, "offsets", ofPartition(),
		"Where reading committed records ends now: the first offset of an open transaction, or the high watermark. Read where a group with isolation read_committed uses the topic.",
		"Absent elsewhere, and when it could not be read for stale_after.")
	metricTopicPartitions = row("topic_partitions", Gauge, "", ofTopic(),
		"How many partitions the topic has.", staleGone)
	metricPartitionsAdded = row("topic_partitions_added_total", Counter, "", ofTopic(),
		"Partitions that the topic gained while it was watched. Keys move to other partitions then.", always)
	metricTopicRecreated = row("topic_recreated_total", Counter, "", ofTopic(),
		"How often the topic was seen to have been deleted and created again: it has another topic id, or was gone for a poll or more.",
		"Without topic ids (before Kafka 2.8) only those are counted that were gone for a poll. Begins anew a day after the deletion.")
)

// Groups.
var (
	metricPairLag = row("group_partition_lag", Gauge, "offsets", ofGroup("topic", "partition"),
		"How far the group's committed offset is behind the end: max(0, end - max(committed, start)), from a commit and a later end offset of one poll. The end is the last stable offset for groups with isolation read_committed. For a share group it is the lag that the broker tells, which counts what is not done from the share-partition start offset on (KIP-1226).",
		"Absent where the group has no position (unless the log is empty: then 0), where the partition does not exist, where the broker does not know a share group's lag, and when it could not be read for stale_after.")
	metricPairCommitted = row("group_partition_committed_offset", Gauge, "offsets", ofGroup("topic", "partition"),
		"The next offset that the group would read after a restart.", "Absent where nothing is committed, for share groups, and when it could not be read for stale_after.")
	metricPairShareStart = row("group_partition_share_start_offset", Gauge, "offsets", ofGroup("topic", "partition"),
		"The share-partition start offset of a share group: everything before it is done. One record that nobody acknowledges holds it back.",
		"Absent for other groups, where the share group has no position, and when it could not be read for stale_after.")
	metricPairOwner = row("group_partition_owner", Gauge, "", ofGroup("topic", "partition", "client_id", "host"),
		"Always 1; the labels name the member to which the partition is assigned. Of a streams group it is the member whose active task reads it; in a share group there may be several. While a group rebalances the last known owner stands, for stale_after at most.",
		"Absent where no member owns the partition or that is not known.")
	metricTopicLag = row("group_topic_lag", Gauge, "offsets", ofGroup("topic"),
		"Sum of group_partition_lag over the topic's partitions. A part of the truth while group_complete is 0.", "Absent when no partition's lag is known.")
	metricTopicPairs = row("group_topic_partitions", Gauge, "", ofGroup("topic", "state"),
		"Partitions of the topic by what is known of the group's position: committed (or, in a share group, begun), uncommitted, beyond_end (committed beyond the end: the log was cut or made anew), no_partition (committed where there is no such partition), unread (could not be read).",
		"Each partition is counted in exactly one state.")
	metricTopicUncommitted = row("group_topic_uncommitted_offsets", Gauge, "offsets", ofGroup("topic"),
		"What there is to read in the partitions where the group has no position, end - start: the lag of a group that starts at the beginning, no lag of one that starts at the end. In no sum.",
		"Absent when the group has a position everywhere, or the log could not be read.")
	metricGroupLag = row("group_lag", Gauge, "offsets", ofGroup(),
		"Sum of group_partition_lag over everything that the group reads. A part of the truth while group_complete is 0.", "Absent when no partition's lag is known.")
	metricGroupMembers = row("group_members", Gauge, "", ofGroup(),
		"Members in the group.", "Absent when the group could not be described for stale_after.")
	metricGroupIdle = row("group_idle_members", Gauge, "", ofGroup(),
		"Members to which no partition is assigned.", "Absent while assignments are not known, as in a rebalance.")
	metricGroupComplete = row("group_complete", Gauge, "", ofGroup(),
		"Whether the last poll read all of the group's members, commits and offsets: 1 yes; 0 no, and its numbers are older, or a part of the truth. Owners that a rebalance hides do not count.", always)
	metricGroupReadAge = row("group_read_age_seconds", Gauge, "seconds", ofGroup(),
		"How long ago the group was last complete, as of the last poll.", "Absent before it was complete once.")
	metricGroupObjective = row("group_lag_objective_seconds", Gauge, "seconds", ofGroup(),
		"How old the oldest unread record of the group may become, from the configured objectives.", always)
	metricGroupInfo = row("group_info", Gauge, "", ofGroup("type", "protocol"),
		"Always 1; the labels are the group's type (classic, consumer, share, streams) and the protocol type of its members (consumer, connect, ...).", always)
	metricGroupState = row("group_state", Gauge, "", ofGroup("state"),
		"1 for the state that the group is in, 0 for the others that its type has.", "Absent when it could not be read for stale_after.")
	metricGroupCoordinator = row("group_coordinator", Gauge, "", ofGroup(),
		"The id of the broker that coordinates the group.", "Absent when no broker said so in the last poll.")
	metricGroupGeneration = row("group_generation", Gauge, "", ofGroup(),
		"The group epoch of consumer, share and streams groups, or the generation of classic groups whose members tell it; the last one known.", "Absent before one was known, and when the group could not be read for stale_after.")
)

// statesOf lists the states that groups of a type can be in.
func statesOf(t snapshot.GroupType) []snapshot.GroupState {
	switch t {
	case snapshot.TypeClassic:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StatePreparingRebalance, snapshot.StateCompletingRebalance, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeConsumer:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateAssigning, snapshot.StateReconciling, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeShare:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeStreams:
		return []snapshot.GroupState{snapshot.StateEmpty, snapshot.StateNotReady, snapshot.StateAssigning, snapshot.StateReconciling, snapshot.StateStable, snapshot.StateDead}
	case snapshot.TypeUnknown:
	}
	return nil
}
