package main

var ofAlerts = []string{"./alerts"}

// What alerts do, by file.
const (
	ofConditions = "^TestAlertsDoAsTheFilesSay$/^conditions$"
	ofLateness   = "^TestAlertsDoAsTheFilesSay$/^late$"
)

// alerted are the ways in which an alert must neither come nor stay away.
var alerted = []change{
	{
		name: "marker-counted-as-unread", file: "collector/estimates.go", packages: ofCollector,
		old: "	if p.remnant(e) {\n		t.unread.max(0, true)\n		return\n	}\n", new: "",
	},
	{
		name: "unread-age-of-part-of-the-group", file: "collector/estimates.go", packages: ofCollector,
		old: "	if !t.unreadUnknown || t.unread.value > 0 {", new: "	if t.unread.known {",
	},
	{
		name: "record-counted-as-marker", file: "rates/pair.go", packages: ofCollector, run: "^TestUnreadAge",
		old: "	return e.Still && offsets <= few", new: "	return offsets <= few",
	},
	{
		name: "share-group-with-markers", file: "collector/estimates.go", packages: ofCollector, run: "^TestUnreadAge",
		old: "!p.ShareStart.Known() && e.Remnant(lag)", new: "e.Remnant(lag)",
	},
	{
		name: "age-at-least-of-markers", file: "collector/reckoner.go", packages: ofCollector, run: "^TestUnreadAge",
		old: "				if !pair.remnant(&e) {\n					all.unread.max(least, known)\n				}\n", new: "				all.unread.max(least, known)\n",
	},
	{
		name: "unknown-condition-resolves", file: "alerts/forms.go", packages: ofAlerts, run: ofConditions,
		old: "last_over_time(` + series + `[<<d \"15m\">>])", new: "last_over_time(` + series + `[<<d \"1m\">>])",
	},
	{
		name: "old-replica-counts", file: "alerts/forms.go", packages: ofAlerts, run: ofConditions,
		old: "  or\n  max by (kafka_cluster, group) (last", new: "  < bool 0 or\n  max by (kafka_cluster, group) (last",
	},
	{
		name: "batch-pages-when-empty", file: "alerts/stalled.go", packages: ofAlerts, run: ofConditions,
		old: "{mode=\"batch\"}`", new: "{mode=\"batches\"}`",
	},
	{
		name: "young-group-burns-budget", file: "alerts/late.go", packages: ofAlerts, run: ofLateness,
		old: "[<<d \"10m\">>] offset <<d \"55m\">>)", new: "[<<d \"65m\">>])",
	},
	{
		name: "short-history-short-window", file: "alerts/recorded.go", packages: ofAlerts, run: ofLateness,
		old: "`clamp_max(sum_over_time(` + late + `[<<d \"` + window + `\">>]) / <<n \"` + window + `\">>, 1)`", new: "`avg_over_time(` + late + `[<<d \"` + window + `\">>])`",
	},
	{
		name: "who-catches-up-pages", file: "alerts/late.go", packages: ofAlerts, run: ofLateness,
		old: "unreadAge+\" < \"+on", new: "unreadAge+\" < 0 * \"+on",
	},
}
