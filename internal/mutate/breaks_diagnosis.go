package main

var ofDiagnosis = []string{"./rates/diagnosis"}

// diagnosed are the ways in which it must never be wrong why a group lags.
var diagnosed = []change{
	{
		name: "marker-taken-for-a-record", file: "rates/diagnosis/standing.go", packages: ofDiagnosis,
		old: "return lag > 1 || arrival > 0", new: "return lag > 0 || arrival > 0",
	},
	{
		name: "condition-shown-at-once", file: "rates/diagnosis/memory.go", packages: ofDiagnosis,
		old: "int(s.streak) >= enter(Condition(c), l.t)", new: "int(s.streak) >= 1",
	},
	{
		name: "unknown-taken-for-clear", file: "rates/diagnosis/memory.go", packages: ofDiagnosis,
		old: "			*s = state{unsure: s.unsure}\n", new: "			*s = state{unsure: s.unsure, shown: Clear}\n",
	},
	{
		name: "hung-member-taken-for-a-record", file: "rates/diagnosis/stalled.go", packages: ofDiagnosis,
		old: "	case ok && ago+margin < s.shortest:\n", new: "	case ok && ago >= 0:\n",
	},
	{
		name: "sparse-topic-hides-an-outage", file: "rates/diagnosis/stalled.go", packages: ofDiagnosis,
		old: "return s.stopped == 1 && s.undecided > 0", new: "return s.undecided > 0",
	},
	{
		name: "redeploy-taken-for-a-stall", file: "rates/diagnosis/standing.go", packages: ofDiagnosis,
		old: "	if p.settled == 0 || ", new: "	if p.settled >= 0 || ",
	},
	{
		name: "aborted-tail-taken-for-a-record", file: "rates/diagnosis/standing.go", packages: ofDiagnosis,
		old: "	case l.tail(p):\n", new: "	case l.tail(p) && !p.unread():\n",
	},
	{
		name: "uneven-before-taken-for-news", file: "rates/diagnosis/falling.go", packages: ofDiagnosis,
		old: "*medians[l.topicIndex(p)] || l.fell(p) {", new: "*medians[l.topicIndex(p)] {",
	},
	{
		name: "leavers-taken-for-slowness", file: "rates/diagnosis/falling.go", packages: ofDiagnosis,
		old: "return math.Min(1, float64(l.working())/before)", new: "return math.Max(1, float64(l.working())/before)",
	},
	{
		name: "short-retention-at-risk", file: "rates/diagnosis/reading.go", packages: ofDiagnosis,
		old: " || known && aged && left >= waited:\n", new: ":\n",
	},
	{
		name: "reset-taken-for-a-standalone", file: "rates/diagnosis/notes.go", packages: ofDiagnosis,
		old: "		enough = 4\n", new: "		enough = 1\n",
	},
	{
		name: "usual-follows-the-fall", file: "rates/usual.go", packages: ofRates,
		old: "before == 0 || !e.KeepsUp || ", new: "before == 0 || ",
	},
	{
		name: "group-id-run-by-the-shell", file: "rates/diagnosis/shell.go", packages: ofDiagnosis,
		old: "strings.ContainsRune(\"_-./:@%+,\", r)", new: "strings.ContainsRune(\"_-./:@%+,$;(\", r)",
	},
}
