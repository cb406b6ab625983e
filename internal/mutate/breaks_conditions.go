package main

// conditioned are the ways in which what a diagnosis is made from must never be wrong.
var conditioned = []change{
	{
		name: "loss-told-in-every-poll", file: "collector/estimator.go", packages: ofCollector,
		old: "	t.history.losses = t.history.losses[:0]\n", new: "",
	},
	{
		name: "move-told-though-nothing-was-read", file: "collector/facts.go", packages: ofCollector,
		old: "	if !p.Fresh || t.at != p.At {\n", new: "	if t == nil {\n",
	},
	{
		name: "pattern-taken-for-no-subscription", file: "collector/facts.go", packages: ofCollector,
		old: "	if !named && g.owned.unnamed {\n", new: "	if false {\n",
	},
	{
		name: "last-known-owners-taken-for-present", file: "collector/facts.go", packages: ofCollector,
		old: "	if f.group.Assigned {\n", new: "	if known {\n",
	},
	{
		name: "group-missing-after-one-poll", file: "collector/missing.go", packages: ofCollector,
		old: "const missingPolls = 2", new: "const missingPolls = 1",
	},
	{
		name: "group-missing-where-a-broker-is-silent", file: "collector/missing.go", packages: ofCollector,
		old: "	if !listsAll(s) {\n", new: "	if false {\n",
	},
	{
		name: "reasons-that-are-too-old", file: "collector/reasons.go", packages: ofCollector,
		old: "	case g.Now.Sub(r.at) > stale:\n", new: "	case g.Now.Sub(r.at) < 0:\n",
	},
	{
		name: "headline-in-every-poll", file: "collector/report_headline.go", packages: ofCollector,
		old: "(!had || before != f.Condition) && ", new: "",
	},
	{
		name: "rest-before-a-transaction-counted", file: "rates/held.go", packages: ofRates,
		old: "max(passed.At, l.stands(c))", new: "min(passed.At, l.stands(c))",
	},
}
