package alerts

import "time"

// outlives is how long an alert that names the reason stays, where the example for
// Alertmanager lets it silence KafkaGroupLagAgeHigh.
const outlives = lateKeeps + time.Minute

// stalledAlerts page for what has stopped while there is work.
func stalledAlerts() []rule {
	stalled := func(name, condition, when, why, summary, first string) rule {
		return rule{name: name, severity: Critical, panel: groupBoard, when: when, why: why,
			expr:    withTeam(all("unless", holds(condition), arrival+" == 0")),
			pending: held{time.Minute, "lagwatch has waited for a minute at least, and longer than this group pauses as a rule"},
			keep:    held{outlives, "longer than KafkaGroupLagAgeHigh, which it silences: or that would page when all is over"},
			summary: summary, text: lateness + first}
	}
	return []rule{
		stalled("KafkaGroupStalled", "stalled_group",
			"nothing is committed on any partition though members are there and records arrive",
			`All members have stopped: what they all need is down, or all hang. Not while it is known that nothing
arrives; unknown arrivals, as with metrics.detail group, count as some.`,
			`{{ $labels.group }} has stopped: none of its `+membersWords+` members commits`,
			`First: what do all members write to or call? Is it down? Then `+explain),
		stalled("KafkaMemberStalled", "stalled_member",
			"nothing is committed on any partition of one member, while others go on and records arrive",
			`The process hangs and still sends heartbeats, so no rebalance will take its partitions away.`,
			`a member of {{ $labels.group }} hangs: `+stuckWords,
			`First: take a stack dump of that member, then restart it. Which it is, says `+explain),
		stalled("KafkaPartitionStalled", "stalled_partition",
			"nothing is committed on a partition whose owner goes on elsewhere, while records arrive",
			`A record that cannot be processed, as a rule: it comes back after each restart.`,
			`{{ $labels.group }} is stuck on `+stuckWords,
			`First: look for that partition and the offset where it stands in the owner's log. The offset, and the line that skips one record as a dry run, says `+explain),
		{name: "KafkaGroupNoConsumers", severity: Critical, panel: groupBoard,
			when:    "nobody is a member of a group that is not a batch job, there are unread records, and nothing was committed for longer than usual",
			why:     "A batch job has no members between two runs; that its records get too old is another alert's business.",
			expr:    withTeam(all("unless", holds("no_consumers"), objectiveInfo+`{mode="batch"}`)),
			pending: held{2 * time.Minute, "a deployment that stops all before it starts any takes that long"},
			keep:    held{outlives, "members that crash at once after each start are one trouble; and longer than KafkaGroupLagAgeHigh, as above"},
			summary: `{{ $labels.group }} has no consumers, and a lag of ` + lagWords,
			text:    lateness + `First: start its consumers, or find out who stopped them. If it is gone for good, delete the group. ` + explainToo},
	}
}

// lossAlerts page for what cannot be read again: they have a deadline, or are past it.
func lossAlerts() []rule {
	return []rule{
		{name: "KafkaGroupDataLost", severity: Critical, panel: groupBoard,
			when:    "retention removed records that the group had not read, within the last ten minutes",
			why:     "What is gone is gone; what goes next may still be saved.",
			expr:    withTeam(holds("data_lost")),
			keep:    held{10 * time.Minute, "retention removes a segment at a time, minutes apart: one page for all of them"},
			summary: `{{ $labels.group }} loses data: retention has removed records that it had not read`,
			text:    lateness + headroom + `First: give the topic more retention (kafka-configs.sh --alter --entity-type topics), then make the group catch up. ` + explainToo},
		{name: "KafkaGroupDataAtRisk", severity: Critical, panel: groupBoard,
			when:    "retention may remove the oldest unread record within the hour (conditions: at_risk), and sooner than it has been waiting already",
			why:     "Changing retention takes a minute. Getting records back is not possible.",
			expr:    withTeam(holds("data_at_risk")),
			pending: held{time.Minute, "the deadline is up to an hour away, and a burst of commits may move it"},
			keep:    held{5 * time.Minute, "the oldest record changes with each commit"},
			summary: `{{ $labels.group }} is about to lose data: ` + worstTopic + headroomWords,
			text:    lateness + headroom + `First: give the topic more retention (kafka-configs.sh --alter --entity-type topics), then make the group catch up. ` + explainToo},
		{name: "KafkaGroupCommitsVanished", severity: Critical, panel: groupBoard,
			when:    "an expected group does not exist, or its committed positions are gone",
			why:     "When it starts it will begin where auto.offset.reset says: everything anew, or past everything unread. Somebody has to decide that before.",
			expr:    withTeam(holds("commits_vanished")),
			pending: held{time.Minute, "two good polls have not found them; a coordinator that moves takes seconds"},
			keep:    held{5 * time.Minute, "commits come back one partition at a time"},
			summary: `the committed positions of {{ $labels.group }} are gone`,
			text: place + lastSeen + `How late it is, and how long it needs to catch up, nobody knows without its positions.
They were deleted, expired, or are hidden from lagwatch by permissions. First: do not start its consumers before it is decided where they shall begin: auto.offset.reset would decide it. ` + explainToo},
	}
}

// blindAlerts page for lagwatch itself: while it sees nothing, nothing else pages.
func blindAlerts() []rule {
	return []rule{
		{name: "LagwatchBlind", severity: Critical, panel: selfBoard, of: ofCluster,
			when:    "no lagwatch can read the cluster",
			why:     "While it lasts no group of that cluster is watched, and the last conditions go after 15 minutes.",
			expr:    `max by (kafka_cluster) (<<m "lagwatch_up">>) == 0`,
			pending: held{2 * time.Minute, "a controller that moves, or lagwatch before its first poll, takes seconds"},
			keep:    held{2 * time.Minute, "one poll that succeeds between failures is no recovery"},
			summary: `lagwatch cannot read {{ $labels.kafka_cluster }}: none of its groups is watched`,
			text: `Cluster {{ $labels.kafka_cluster }}: last read ` +
				number(`max by (kafka_cluster) (time() - <<q "lagwatch_last_success_timestamp_seconds" "kafka_cluster">>)`, "humanizeDuration", clusterLabel) +
				" ago.\nErrors in the last 15 minutes: " + clusterErrors +
				".\nFirst: is Kafka up? If it is, the log of lagwatch says once what is wrong and what to try (kubectl logs deploy/lagwatch)."},
		{name: "LagwatchDown", severity: Critical, panel: selfBoard, of: ofAll,
			when:    "Prometheus scrapes no lagwatch",
			why:     "Down, gone from service discovery, or never there: all are absent. It has no kafka_cluster: nobody is left to say which there were.",
			expr:    `absent(<<m "up" (print "job=" job)>> == 1)`,
			pending: held{3 * time.Minute, "a deployment takes a minute, an image that has to be pulled two"},
			keep:    held{2 * time.Minute, "a process that crashes at once after each start is one trouble"},
			summary: `lagwatch is down: no consumer group is watched`,
			text:    "Prometheus has scraped no target of job <<job>> for minutes, so no alert of any consumer group can fire.\nFirst: kubectl get pods, then kubectl logs --previous of lagwatch; or the target in Prometheus' list, whether its address and job are right."},
	}
}
