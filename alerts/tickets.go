package alerts

import "time"

// ticketKeeps is how long tickets of groups stay.
var ticketKeeps = held{4 * time.Minute, "shorter than any page of the group, which silences it: or it would come when the trouble is over"}

// drainAlerts are tickets for groups that will be late, or stay it.
func drainAlerts() []rule {
	notBatch := objectiveInfo + `{mode="batch"}`
	return []rule{
		slowBurn(),
		{name: "KafkaGroupNeverDrains", severity: Warning, panel: groupBoard,
			when: "the lag does not shrink, and the oldest unread record is older than a quarter of the objective; not of batch jobs, nor of what has stopped",
			why: `+Inf says that at the rates of now the group never catches up. Its age says that the lag is more than
what the next commit takes in. A batch job does that between any two runs. What has stopped has a page of
its own; a ticket beside it would outlive it, and come when the trouble is over.`,
			expr: withTeam(all("unless", all("and",
				perGroup("lagwatch_group_drain_seconds")+" == +Inf",
				unreadAge+" > "+on+" (<<t \"never_drains_share\">> * "+perGroup("lagwatch_group_lag_objective_seconds")+")"),
				notBatch, holdsAny("stalled_group", "stalled_member", "stalled_partition", "no_consumers"))),
			pending: held{30 * time.Minute, "a busy half hour that ends is nobody's ticket"},
			keep:    ticketKeeps,
			summary: `{{ $labels.group }} never catches up at its present rates`,
			text:    lateness + saysWhy + capacity + firstExplain},
		{name: "KafkaGroupDrainSlow", severity: Warning, panel: groupBoard,
			when: "the group is late, and will need longer than its objective to catch up, by the lower bound of the estimate",
			why:  "It recovers, and by itself it will be late for longer than it may be once.",
			expr: withTeam(all("and", late+" == 1",
				perGroup("lagwatch_group_drain_low_seconds")+" < +Inf",
				perGroup("lagwatch_group_drain_low_seconds")+" > "+on+" (<<t \"drain_factor\">> * "+perGroup("lagwatch_group_lag_objective_seconds")+")")),
			pending: held{15 * time.Minute, "rates settle within some minutes of a change"},
			keep:    ticketKeeps,
			summary: `{{ $labels.group }} catches up too slowly: it needs ` + drainWords,
			text:    lateness + saysWhy + capacity + firstExplain},
	}
}

// reasonAlerts are tickets for what lagwatch says of a group.
func reasonAlerts() []rule {
	ticket := func(name, condition string, pending held, when, why, summary, text string) rule {
		return rule{name: name, severity: Warning, panel: groupBoard, when: when, why: why,
			expr: withTeam(holds(condition)), pending: pending,
			keep:    ticketKeeps,
			summary: summary, text: lateness + text}
	}
	storm := ticket("KafkaGroupRebalanceStorm", "rebalancing",
		held{5 * time.Minute, "a deployment of many members takes minutes; lagwatch leaves out what a rolling restart explains"},
		"partitions have moved too often, or the group has been between two assignments for too long, in the last ten minutes",
		"By partitions moved and time without an assignment, not by rounds: an epoch moves on for harmless reasons too.",
		`{{ $labels.group }} rebalances over and over: `+movedWords+` partitions moved and `+unstableWords+` without an assignment in 10 minutes`,
		`First: who comes and goes? Members that crash, are killed for memory, or take longer than max.poll.interval.ms. `+explainToo)
	storm.panel = ownershipBoard
	unowned := ticket("KafkaGroupPartitionsUnowned", "unowned_partitions",
		held{5 * time.Minute, "a member that joins takes its partitions within seconds"},
		"the group is stable, and nobody owns some partitions with unread records",
		"Nobody will read them until something changes: subscriptions that differ, or an assignor that leaves them out.",
		`{{ $labels.group }} has partitions that nobody reads`,
		`First: which topics does each member subscribe to, and with which assignor? `+explainToo)
	unowned.panel = ownershipBoard
	return []rule{
		ticket("KafkaGroupHotPartition", "hot_partition",
			held{5 * time.Minute, "a burst on one key is over by then"},
			"the group falls behind on partitions that take several times the arrivals of the others",
			"More members do not help: a partition has one owner.",
			`{{ $labels.group }} falls behind on a hot partition, `+worstWords,
			`First: which keys go there? Spread them, or make their work lighter. More members do not help. `+explainToo),
		storm, unowned,
		{name: "KafkaGroupAtItsLimit", severity: Warning, panel: groupBoard,
			when: "more arrives than the members do, and more members cannot help",
			why: `lagwatch_group_members_needed is never more than can be assigned anything, and absent where one
partition alone is too much for a member. While it is above the members there are, adding some helps.`,
			expr: withTeam(all("unless", holds("under_capacity"),
				perGroup("lagwatch_group_members_needed")+" > "+on+" "+perGroup("lagwatch_group_members"))),
			pending: held{10 * time.Minute, "a peak of some minutes is what a queue is for"},
			keep:    ticketKeeps,
			summary: `{{ $labels.group }} is at its limit: more members do not help`,
			text:    lateness + capacity + `First: make the work of a record lighter, or add partitions if the order of keys allows it. ` + explainToo},
		ticket("KafkaGroupNeverCommitted", "never_committed",
			held{15 * time.Minute, "an application that has just started may commit late"},
			"members own partitions with records, and nothing was committed since the group is watched",
			"After a restart it begins where auto.offset.reset says: all of it again, or none of what it missed.",
			`{{ $labels.group }} reads and never commits`,
			`First: does the application commit at all (enable.auto.commit, or commitSync in its code)? `+explainToo),
		ticket("KafkaGroupOpenTransaction", "open_transaction",
			held{5 * time.Minute, "lagwatch has waited for longer than transactions take as a rule"},
			"a transaction that stays open holds back readers of committed records",
			"The group shows no lag for it: what it may not read yet is not counted.",
			`a transaction on a topic of {{ $labels.group }} stays open and holds it back`,
			`First: kafka-transactions.sh find-hanging, and the producer that it names. `+explainToo),
		ticket("KafkaGroupUnreadable", "unreadable",
			held{10 * time.Minute, "a coordinator that moves, or a partition of __consumer_offsets without a leader, is back by then"},
			"lagwatch can read the cluster, and not this group",
			"Nothing else is said of the group while it lasts.",
			`lagwatch cannot read {{ $labels.group }}`,
			`First: the error, and whether lagwatch has DESCRIBE on the group and its topics. `+explainToo),
	}
}

// exporterAlerts are tickets for lagwatch itself.
func exporterAlerts() []rule {
	ticket := func(name, when, why, expr string, pending held, summary, text string) rule {
		return rule{name: name, severity: Warning, panel: selfBoard, of: ofCluster, when: when, why: why, expr: expr, pending: pending,
			keep: held{15 * time.Minute, "a ticket that comes and goes is several tickets"}, summary: summary, text: text}
	}
	gone := ticket("LagwatchClusterGone", "a cluster that was watched within the last hour is not any more",
		`A series that vanishes resolves its alerts. Taken out of the config on purpose, this resolves by
itself within an hour.`,
		`max by (kafka_cluster) (last_over_time(<<m "lagwatch_up">>[<<d "1h">>]))
unless on (kafka_cluster)
max by (kafka_cluster) (<<m "lagwatch_up">>)`,
		held{15 * time.Minute, "lagwatch that is down has an alert of its own, and is back by then"},
		`nobody watches {{ $labels.kafka_cluster }} any more`,
		`Series of cluster {{ $labels.kafka_cluster }} have vanished from Prometheus, and with them every alert of its groups. First: is it still in the config of a lagwatch, and is that one scraped?`)
	gone.keep = held{}
	return []rule{
		ticket("LagwatchPollErrors", "polls have failed in part for a quarter of an hour",
			"Each is a broker, group or topic whose numbers are missing or old; what is known is published all the same.",
			`max by (kafka_cluster, stage, reason) (increase(<<m "lagwatch_poll_errors_total">>[<<d "5m">>])) > 0`,
			held{15 * time.Minute, "a broker that restarts, or leaders that move, are done by then"},
			`lagwatch misses parts of {{ $labels.kafka_cluster }}: {{ $labels.stage }}, {{ $labels.reason }}`,
			`About {{ $value | humanize }} errors in the last 5 minutes in cluster {{ $labels.kafka_cluster }}, in stage {{ $labels.stage }}, for reason {{ $labels.reason }}. First: the log of lagwatch names the broker, group or topic, and what to try; docs/permissions.md says which ACL each request needs.`),
		ticket("LagwatchSeriesLimit", "groups are shown in less detail because of max_series",
			"Their sums are right, but partitions, or topics, are not there to look at.",
			`count by (kafka_cluster) (
  max by (kafka_cluster, group) (<<m "lagwatch_group_detail_lowered">>)
) > 0`,
			held{15 * time.Minute, "groups that come and go may pass the limit for a moment"},
			`groups of {{ $labels.kafka_cluster }} that are shown in less detail: {{ $value | humanize }}`,
			`In cluster {{ $labels.kafka_cluster }} the series of groups go beyond max_series, so those with the least lag are shown without partitions or topics. First: leave out groups or topics that nobody looks at (groups.exclude, metrics.by_group), or raise max_series.`),
		gone,
	}
}

// noteAlerts are worth knowing, and wake nobody.
func noteAlerts() []rule {
	note := func(name, condition string, pending held, when, why, summary, text string) rule {
		return rule{name: name, severity: Info, panel: groupBoard, when: when, why: why, expr: withTeam(holds(condition)), pending: pending,
			summary: summary, text: place + text + explainToo}
	}
	idle := note("KafkaGroupIdleMembers", "idle_members",
		held{30 * time.Minute, "one more member than partitions is usual while a deployment goes on"},
		"members have nothing to read: there are more of them than partitions",
		"They cost something and do nothing, unless they are there to take over.",
		`{{ $labels.group }} has `+idleWords+` members with nothing to read`,
		`It has `+membersWords+` members. First: fewer members, or more partitions. `)
	idle.panel = ownershipBoard
	return []rule{
		note("KafkaGroupRewound", "rewound", held{},
			"a committed position has moved back",
			"Records are read again. Wanted after a reset, else the sign of a member that commits what it no longer owns.",
			`committed positions of {{ $labels.group }} moved back`,
			`Records are processed a second time. First: has somebody reset offsets? If not, a member commits positions of partitions that it has lost. `),
		note("KafkaGroupAbandonedTopic", "abandoned_topic", held{time.Hour, "a subscription that is coming back is back by then"},
			"commits remain for a topic to which no member subscribes",
			"Its lag grows for ever, and means nothing.",
			`{{ $labels.group }} has commits on a topic that it reads no more`,
			`First: if that is meant, delete those offsets (kafka-consumer-groups.sh --delete-offsets). `),
		idle,
		{name: "KafkaTopicPartitionsAdded", severity: Info, panel: topicBoard, of: ofTopic,
			when:    "a topic has more partitions than before",
			why:     "Keys go to other partitions from then on: their order across that moment is the application's to check.",
			expr:    `max by (kafka_cluster, topic) (increase(<<m "lagwatch_topic_partitions_added_total">>[<<d "15m">>])) > 0`,
			summary: `{{ $labels.topic }} has more partitions than before`,
			text:    `Topic {{ $labels.topic }} in cluster {{ $labels.kafka_cluster }} has gained partitions. First: whoever relies on the order of records by key has to know. Whether its groups read the new ones, says the dashboard of the topic.`},
	}
}
