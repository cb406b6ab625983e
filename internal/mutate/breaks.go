package main

// change is one break: in file, old becomes new, and a test of the packages
// has to notice.
type change struct {
	name     string
	file     string
	old, new string
	packages []string
	// run is a pattern of the tests that are run, all of the packages where it is "":
	// some take long.
	run string
}

var (
	ofKafka     = []string{"./collector/kafka"}
	ofWire      = []string{"./collector/kafka/wire"}
	ofCollector = []string{"./collector"}
	ofPage      = []string{"./collector/page"}
)

// breaks are the ways in which lagwatch must never be wrong.
var breaks = []change{
	{
		name: "end-offsets-before-commits", file: "collector/kafka/client.go", packages: ofKafka,
		old: "	r.keepHidden(groups)\n	r.readOffsets(ctx)\n",
		new: "	r.keepHidden(groups)\n	r.readOffsets(ctx)\n	groups = r.readGroups(ctx)\n",
	},
	{
		name: "no-commit-taken-as-zero", file: "collector/kafka/commits.go", packages: ofKafka,
		old: "	case offset < 0:\n		return list\n",
		new: "	case offset < 0:\n		return append(list, snapshot.Commit{Partition: partition, Offset: snapshot.Known(int64(0))})\n",
	},
	{
		name: "offset-beside-an-error-believed", file: "collector/kafka/commits.go", packages: ofKafka,
		old: "	case code != 0:\n", new: "	case code != 0 && offset >= 0:\n",
	},
	{
		name: "topics-created-by-asking", file: "collector/kafka/wire/versions.go", packages: ofKafka,
		old: "AllowAutoTopicCreation = false", new: "AllowAutoTopicCreation = true",
	},
	{
		name: "metadata-without-brokers-believed", file: "collector/kafka/metadata.go", packages: ofKafka,
		old: "len(m.Brokers) == 0", new: "len(m.Brokers) < 0",
	},
	{
		name: "unlisted-group-forgotten", file: "collector/kafka/groups.go", packages: ofKafka,
		old: "	for id, k := range r.groups { // nobody who can be reached knows it\n",
		new: "	for id, k := range map[string]knownGroup{} {\n",
	},
	{
		name: "moved-leader-not-retried", file: "collector/kafka/offsets.go", packages: ofKafka,
		old: "if len(failed) > 0 && ctx", new: "if len(failed) < 0 && ctx",
	},
	{
		name: "closed-connection-not-retried", file: "collector/kafka/wire/node.go", packages: ofWire,
		old: "	if err == nil || !broken(err) ||", new: "	if true || !broken(err) ||",
	},
	{
		name: "correlation-id-unchecked", file: "collector/kafka/wire/exchange.go", packages: ofWire,
		old: "got != e.correlation", new: "got != e.correlation && got < 0",
	},
	{
		name: "recreated-topic-keeps-its-id", file: "collector/kafka/topics.go", packages: ofKafka,
		old: "	if id.Known() {\n		t.ID = id\n", new: "	if id.Known() && !t.ID.Known() && len(s.topics) == 0 {\n		t.ID = id\n",
	},
	{
		name: "recreated-topic-keeps-its-past", file: "collector/topics.go", packages: ofCollector,
		old: "before.Known() && now.Known() && before != now", new: "before.Known() && now.Known() && before != before",
	},
	{
		name: "incomplete-sum-called-complete", file: "collector/groups.go", packages: ofCollector,
		old: "fresh = fresh && p.Fresh", new: "fresh = fresh && (p.Fresh || true)",
	},
	{
		name: "stale-view-served-as-fresh", file: "collector/assemble.go", packages: ofCollector,
		old: ".Sub(at) <= r.staleAfter", new: ".Sub(at) <= r.staleAfter || true",
	},
	{
		name: "view-kept-when-a-poll-fails", file: "collector/watcher.go", packages: ofCollector,
		old: "	w.view.Store(next)", new: "	if err != nil {\n		return\n	}\n	w.view.Store(next)",
	},
	{
		name: "uncommitted-log-counted-as-lag", file: "collector/pairs.go", packages: ofCollector,
		old: "	if end.Offset <= start.Offset {\n		p.Lag = quantity(0)\n",
		new: "	if true {\n		p.Lag = p.Available\n",
	},
	{
		name: "removed-records-counted-as-lag", file: "collector/pairs.go", packages: ofCollector,
		old: "end.Offset-max(offset, start.Offset)", new: "end.Offset-offset",
	},
	{
		name: "lost-share-position-begins-anew", file: "collector/positions.go", packages: ofCollector,
		old: "case !listed, share.NoPosition && !before.Begun:", new: "case !listed, share.NoPosition:",
	},
	{
		name: "share-lag-of-minus-one-published", file: "collector/kafka/share.go", packages: ofKafka,
		old: "	case p.Lag < 0:\n", new: "	case p.Lag < -1:\n",
	},
	{
		name: "open-transaction-counted-as-lag", file: "collector/logends.go", packages: ofCollector,
		old: "	if l.stable {\n", new: "	if l.stable && l.LastStable.Known() && l.Leader.Or(0) < 0 {\n",
	},
	{
		name: "filtered-group-read", file: "collector/kafka/groups.go", packages: ofKafka,
		old: "if !r.opts.KeepGroup(g.Group) {", new: "if !r.opts.KeepGroup(g.Group) && g.Group == \"\" {",
	},
	{
		name: "frozen-broker-holds-all-share-groups", file: "collector/kafka/share.go", packages: ofKafka,
		old: "	if r.slow[group] {\n", new: "	if r.slow[group] && group == \"\" {\n",
	},
	{
		name: "task-owns-partitions-that-are-not", file: "collector/kafka/topics.go", packages: ofKafka,
		old: "	if t == nil || !t.answered {\n		return slices.Clone(partitions)", new: "	if t == nil || true {\n		return slices.Clone(partitions)",
	},
	{
		name: "lying-answer-decoded", file: "collector/kafka/wire/shape_walk.go", packages: ofWire,
		old: "w.memory > w.limit {", new: "w.memory > w.limit && w.limit < 0 {",
	},
	{
		name: "session-used-to-its-end", file: "collector/kafka/wire/auth.go", packages: ofKafka,
		old: "return !s.end.IsZero() && !now.Before(s.end)", new: "return !s.end.IsZero() && now.Before(s.end.AddDate(-9, 0, 0))",
	},
	{
		name: "refused-credentials-presented-again", file: "collector/kafka/wire/auth.go", packages: ofWire,
		old: "	if t.refused != nil {\n", new: "	if t.refused != nil && addr == \"\" {\n",
	},
	{
		name: "hidden-commits-taken-for-deleted", file: "collector/kafka/hidden.go", packages: ofKafka,
		old: "	if len(all) > len(now) {\n", new: "	if all = now; len(all) > len(now) {\n",
	},
	{
		name: "frozen-broker-silences-the-others", file: "collector/kafka/round.go", packages: ofKafka,
		old: "	if err != nil && over(ctx) {\n", new: "	if err != nil && over(ctx) && id < 0 {\n",
	},
	{
		name: "two-names-one-label", file: "collector/page/escape.go", packages: ofCollector,
		old: "size == 1 || looksEscaped(s[i:])", new: "size == 1 || false",
	},
	{
		name: "page-kept-after-a-poll", file: "collector/publish.go", packages: ofCollector,
		old: "slices.Equal(shown, p.of) {", new: "(slices.Equal(shown, p.of) || len(p.of) > 0) {",
	},
	{
		name: "page-of-an-old-view-kept", file: "collector/publish.go", packages: ofCollector,
		old: "shownView{v, v.old(now, w.rules)}", new: "shownView{v, false}",
	},
	{
		name: "gzip-checksum-of-the-page-alone", file: "collector/page/encode.go", packages: ofPage,
		old: "crc32.Update(p.sum, crc32.IEEETable, more)", new: "p.sum",
	},
	{
		name: "encoding-made-for-each-scrape", file: "collector/page/page.go", packages: ofPage,
		old: "	l.once.Do(func() {\n", new: "	func(made func()) { made() }(func() {\n",
	},
	{
		name: "text-only-where-it-is-liked-best", file: "collector/page/accept.go", packages: ofPage,
		old: "a.SubType == \"*\"):\n			return true\n", new: "a.SubType == \"*\"):\n			return !other\n",
	},
	{
		name: "value-written-unlike-expfmt", file: "collector/page/value.go", packages: ofPage,
		old: "	if n < 1e6 {\n", new: "	if n < 1e7 {\n",
	},
	{
		name: "excluded-family-published", file: "collector/series.go", packages: ofCollector,
		old: "	if m.Detail == 0 && !v.families.has(m) {\n", new: "	if m.Detail == 0 && !v.families.has(m) && m.upTo < 0 {\n",
	},
	{
		name: "excluded-family-of-group-published", file: "collector/detail.go", packages: ofCollector,
		old: "m.Detail <= g.Detail && g.shown.families.has(m)", new: "m.Detail <= g.Detail",
	},
	{
		name: "partitions-shown-in-any-detail", file: "collector/detail.go", packages: ofCollector,
		old: "m.Detail <= g.Detail &&", new: "(m.Detail <= g.Detail || m.Detail == DetailPartition) &&",
	},
	{
		name: "most-lag-lowered-first", file: "collector/limit.go", packages: ofCollector,
		old: "cmp.Compare(a.weight(), b.weight())", new: "cmp.Compare(b.weight(), a.weight())",
	},
	{
		name: "unknown-lag-lowered-as-none", file: "collector/limit.go", packages: ofCollector,
		old: "		return float64(1 << 62)\n", new: "		return 0\n",
	},
	{
		name: "details-follow-every-overtaking", file: "collector/limit.go", packages: ofCollector,
		old: "	return 2*float64(c.rank) + 0.5\n", new: "	return float64(c.rank)\n",
	},
	{
		name: "details-follow-every-lag", file: "collector/groups.go", packages: ofCollector,
		old: "int64(0.9*float64(g.rank))", new: "int64(0*float64(g.rank))",
	},
	{
		name: "lowered-detail-left-out", file: "collector/detail.go", packages: ofCollector,
		old: "(m.Always || p(", new: "(m.Always && m.upTo < 0 || p(",
	},
	{
		name: "lowered-told-at-every-poll", file: "collector/report_limit.go", packages: ofCollector,
		old: "	case now.Built.Sub(r.lowered.at) >= loweredEvery:\n", new: "	default:\n",
	},
	{
		name: "details-follow-every-series", file: "collector/limit.go", packages: ofCollector,
		old: "	if held {\n", new: "	if held && room < 0 {\n",
	},
	{
		name: "too-many-series-taken-for-few", file: "collector/limit.go", packages: ofCollector,
		old: "g.shown.most.joined + g.shown.most.pair*len(t.Pairs)", new: "g.shown.most.pair * len(t.Pairs)",
	},
	{
		name: "lowered-detail-not-said", file: "collector/metrics_group.go", packages: ofCollector,
		old: "	if g.Detail < g.shown.detail {\n", new: "	if g.Detail < g.shown.detail && g.Detail == 0 {\n",
	},
	{
		name: "changed-assignment-not-decoded", file: "collector/kafka/decoded.go", packages: ofKafka,
		old: " && bytes.Equal(d.told.MemberAssignment, m.MemberAssignment)", new: "",
	},
	{
		name: "changed-subscription-not-decoded", file: "collector/kafka/decoded.go", packages: ofKafka,
		old: "bytes.Equal(d.told.ProtocolMetadata, m.ProtocolMetadata) && ", new: "",
	},
	{
		name: "listing-with-gaps-taken-for-whole", file: "collector/topics.go", packages: ofCollector,
		old: "		if lacksReading(&list[i], prev, fresh) {\n			return true\n", new: "		if lacksReading(&list[i], prev, fresh) {\n			return false\n",
	},
}
