package main

var ofRates = []string{"./rates"}

// estimated are the ways in which estimates must never be wrong.
var estimated = []change{
	{
		name: "rewind-taken-for-progress", file: "rates/pair.go", packages: ofRates,
		old: "rewound = was - at.Committed", new: "rewound = 0",
	},
	{
		name: "record-passed-a-poll-too-early", file: "rates/log.go", packages: ofRates,
		old: "	for w.offset > offset {", new: "	for w.offset >= offset {",
	},
	{
		name: "missed-poll-taken-for-rest", file: "rates/history.go", packages: ofRates,
		old: "missed > 0 || late", new: "missed < 0 || late",
	},
	{
		name: "number-for-any-net-drain", file: "rates/drain_time.go", packages: ofRates,
		old: "n.perSecond > 0 && !n.below(likely)", new: "n.perSecond > 0",
	},
	{
		name: "stopped-group-drains-on", file: "rates/drain.go", packages: ofRates,
		old: "	if d.stopped || d.idle {\n", new: "	if d.idle {\n",
	},
	{
		name: "lying-timestamps-believed", file: "rates/times.go", packages: ofRates,
		old: "	lies := l.contradicts(c, p)\n", new: "	lies := l.contradicts(c, p) && false\n",
	},
	{
		name: "loss-leaves-headroom", file: "rates/headroom.go", packages: ofRates,
		old: "	case lostNow:\n", new: "	case lostNow && p.Lag < 0:\n",
	},
	{
		name: "compaction-taken-for-deletion", file: "rates/headroom.go", packages: ofRates,
		old: "return r.Delete && (r.Time", new: "return (r.Time",
	},
	{
		name: "more-members-than-partitions", file: "rates/members.go", packages: ofRates,
		old: "int(min(needed, float64(l.Partitions)))", new: "int(needed)",
	},
	{
		name: "unread-pairs-given-to-histories", file: "collector/estimator.go", packages: ofCollector,
		old: "if !p.Fresh || !p.placed() ||", new: "if !p.placed() ||",
	},
	{
		name: "tiered-topics-asked-by-time", file: "collector/seed.go", packages: ofCollector,
		old: "	return known && !remote\n", new: "	return known || !remote\n",
	},
	{
		name: "time-beside-an-error-believed", file: "collector/kafka/times.go", packages: ofKafka,
		old: "	case p.ErrorCode != 0:\n		return snapshot.TimeAnswer{}", new: "	case p.ErrorCode != 0 && p.Offset < 0:\n		return snapshot.TimeAnswer{}",
	},
	{
		name: "no-limit-taken-for-one", file: "collector/kafka/config.go", packages: ofKafka,
		old: "	if err != nil || n < 0 {\n", new: "	if err != nil {\n",
	},
}
