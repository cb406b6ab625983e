package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// perMinute is a counter's growth where a second is too short to say aloud.
const perMinute = "suffix: /min"

func self() dashboard.Dashboard {
	p := newPage(uidSelf, "lagwatch itself",
		"Whether what the other dashboards show can be believed: what lagwatch can read, how fresh it is, and what it costs.")
	p.variables(variableSource(), variableClusters())
	p.line(4, clusters(), oldestView(), pollErrorsNow(), groupsLowered(), seriesNow())
	p.line(6, clusterReads())
	p.line(8, viewAges(), pollDurations())
	p.line(9, pollResults(), pollErrors())
	p.line(6, brokersOverTime())
	p.line(9, requests(), groupsOverTime(), seriesOverTime())
	p.line(6, processes(), loweredTable())
	p.line(8, memory(), cpu(), goroutines())
	p.line(6, scrapes(), targets())
	return p.d
}

// viewAge is how long ago the last good poll of each cluster had ended when the page
// was scraped, of the replica that is freshest.
func viewAge() string {
	const last = "lagwatch_last_success_timestamp_seconds{" + someClusters + "}"
	return "min by (kafka_cluster) (timestamp(" + last + ") - " + last + ")"
}

// viewAgeInIntervals is that as a multiple of the time between two polls.
func viewAgeInIntervals() string {
	return fmt.Sprintf("(%s)\n/ %s", viewAge(), most("kafka_cluster", "lagwatch_poll_interval_seconds", someClusters))
}

// stale turns yellow with the first poll that is missed and red where values go
// away unless the config says otherwise (stale_after is 3 intervals).
var stale = []step{below(plain), {0, green}, {2, yellow}, {3, red}}

func oldestView() dashboard.Panel {
	return panel{
		width: 5, title: "Last good poll", unit: "suffix:  intervals ago",
		about:   "How many poll intervals ago the last good poll of any cluster ended, of the cluster where that is longest. Up to 2 is fresh. From 3 on, values that could not be read again go away: look at the poll errors and the brokers below.",
		none:    "No good poll yet",
		queries: []query{number("max("+viewAgeInIntervals()+")", "oldest")},
		colours: stale,
		special: []override{named("oldest", set("decimals", 1))},
	}.asStat()
}

func pollErrorsGrown() string {
	return fmt.Sprintf("max by (%s) (increase(lagwatch_poll_errors_total{%s}[%s]))", stageAndReason, someClusters, inAll)
}

const stageAndReason = "kafka_cluster, stage, reason"

func pollErrorsNow() dashboard.Panel {
	return panel{
		width: 4, title: "Poll errors", unit: count,
		about:   "How many things polls could not read in the shown time: one for each broker, group or topic, in each poll. When it is orange, see the errors by reason below; what is missing elsewhere is missing for that reason.",
		none:    "None",
		queries: []query{number("round(sum("+pollErrorsGrown()+"))", "errors")},
		colours: noneIsBetter,
	}.asStat()
}

func groupsLowered() dashboard.Panel {
	return panel{
		width: 4, title: "Groups in less detail", unit: count,
		about:   "Groups that are shown without their partitions or topics because the cluster would have more series than max_series allows. When it is orange, raise max_series, filter groups, or lower detail by group in lagwatch's config; the table below says which groups.",
		none:    "No lagwatch",
		queries: []query{number(fmt.Sprintf("count(max by (%s) (lagwatch_group_detail_lowered{%s}))\nor max(lagwatch_up{%s}) * 0", K, someClusters, someClusters), "groups")},
		colours: noneIsBetter,
	}.asStat()
}

// ofLagwatch keeps the series of those targets that were a lagwatch in the shown
// time, whatever their job is called.
const ofLagwatch = "\nand on (job, instance) last_over_time(lagwatch_build_info[$__range])"

func seriesNow() dashboard.Panel {
	return panel{
		width: 5, title: "Series", unit: count,
		about:   "How many series one lagwatch publishes, of the one that publishes most. Prometheus pays for each. When it is more than you want, see what is published in docs/metrics.md: include, exclude, detail, max_series.",
		none:    "No lagwatch",
		queries: []query{number("max(scrape_samples_scraped"+ofLagwatch+")", "series")},
	}.asStat()
}

func clusterReads() dashboard.Panel {
	of := func(metric string) string { return most("kafka_cluster", metric, someClusters) }
	brokers := "max by (kafka_cluster, broker) (lagwatch_broker_up{" + someClusters + "})"
	inPart := most(K, "lagwatch_group_complete", someClusters)
	return panel{
		width: 24, title: "Clusters", unit: words,
		about: "Each cluster: whether the last poll could read it, how fresh that is, how long a poll takes of its interval, brokers that do not answer, and groups of which a part is missing or old. When one is blind, check that its brokers can be reached and that lagwatch may still log in; its log says why.",
		none:  "No cluster: no lagwatch is scraped by this data source, or it has not been for a while.",
		queries: []query{
			rows(of("lagwatch_up")),
			rows(viewAge()),
			rows(viewAgeInIntervals()),
			rows(of("lagwatch_poll_interval_seconds")),
			rows(of("lagwatch_poll_duration_seconds")),
			rows(pollShare()),
			rows("count by (kafka_cluster) (" + brokers + ")"),
			rows("count by (kafka_cluster) (" + brokers + " == 0)\nor count by (kafka_cluster) (" + brokers + ") * 0"),
			rows("count by (kafka_cluster) (" + inPart + ")"),
			rows("count by (kafka_cluster) (" + inPart + " == 0)\nor count by (kafka_cluster) (" + inPart + ") * 0"),
		},
	}.asTable(value(0), false,
		column{from: "kafka_cluster", title: "Cluster"},
		column{from: value(0), title: "Read", width: 80, mappings: upOrBlind(), left: true},
		column{from: value(1), title: "Last good poll", width: 115, unit: seconds, none: "never"},
		column{from: value(2), title: "In intervals", width: 100, unit: times, none: "?", colours: stale},
		column{from: value(3), title: "Interval", width: 85, unit: seconds, none: "?"},
		column{from: value(4), title: "Poll took", width: 90, unit: seconds, none: "?"},
		column{from: value(5), title: "Of interval", width: 95, unit: share, none: "?", colours: nearlyFull},
		column{from: value(6), title: "Brokers", width: 80, unit: count, none: "?"},
		column{from: value(7), title: "Silent", width: 75, unit: count, none: "?", colours: noneIsBetter},
		column{from: value(8), title: "Groups", width: 80, unit: count, none: "0"},
		column{from: value(9), title: "Read in part", width: 100, unit: count, none: "0", colours: noneIsBetter},
	)
}

// nearlyFull is of a share that must not come near 1.
var nearlyFull = []step{below(plain), {0, green}, {0.5, orange}, {0.9, red}}

func pollShare() string {
	return most("kafka_cluster", "lagwatch_poll_duration_seconds", someClusters) + "\n/ " + most("kafka_cluster", "lagwatch_poll_interval_seconds", someClusters)
}

func viewAges() dashboard.Panel {
	return panel{
		width: 12, title: "Age of the last good poll, in intervals", unit: times,
		about:   "How long ago the last good poll of each cluster ended, as a multiple of the poll interval. It goes up and down below 1 to 2. Above the dashed line values go away, unless stale_after is longer: the cluster cannot be read.",
		none:    "No good poll in this time.",
		queries: []query{line(viewAgeInIntervals(), "{{kafka_cluster}}"), limit(3, "values go away", viewAgeInIntervals())},
		special: []override{named("values go away", dashed(red)...)},
	}.asLines()
}

func pollDurations() dashboard.Panel {
	return panel{
		width: 12, title: "Poll duration against the interval", unit: share,
		about:   "How much of the time between two polls a poll takes. When it comes near 100 %, the poll is cut off and a part is missing: raise the interval, filter groups, or look which brokers answer slowly.",
		none:    "No poll has ended in this time.",
		queries: []query{line(pollShare(), "{{kafka_cluster}}"), limit(1, "the interval", pollShare())},
		special: []override{named("the interval", dashed(red)...)},
	}.asLines()
}

func pollResults() dashboard.Panel {
	rate := fmt.Sprintf("sum by (result) (max by (kafka_cluster, result) (rate(lagwatch_polls_total{%s}[$__rate_interval])))", someClusters)
	return panel{
		width: 12, title: "Polls by result", unit: perMinute,
		about:   "How many polls a minute were complete, partial (some of it is missing; the errors beside say what) or failed (nothing could be read). Failed ones in a row make the cluster blind.",
		none:    "No poll has ended in this time.",
		queries: []query{line(rate+" * 60", "{{result}}")},
		special: []override{
			named("complete", fixed(green)), named("partial", fixed(orange)), named("failed", fixed(red)),
			like(".*", set("custom.stacking", map[string]any{"mode": "normal", "group": "A"}), set("custom.fillOpacity", 60), set("custom.lineWidth", 0)),
		},
	}.asLines()
}

func pollErrors() dashboard.Panel {
	return panel{
		width: 12, title: "Poll errors by stage and reason", unit: perMinute,
		about:   "What polls could not read, by the stage of the poll and the reason. unauthorized: see docs/permissions.md. timeout or unreachable: look at the broker. The rest stand in docs/faults.md.",
		none:    "No poll has had an error since lagwatch began.",
		queries: []query{line(fmt.Sprintf("sum by (stage, reason) (max by (%s) (rate(lagwatch_poll_errors_total{%s}[$__rate_interval]))) * 60", stageAndReason, someClusters), "{{stage}}: {{reason}}")},
	}.asLines()
}

func brokersOverTime() dashboard.Panel {
	return paged(panel{
		width: 24, title: "Brokers", unit: words,
		about:    "Whether each broker answered lagwatch's last poll. A gap is a broker that the cluster's metadata did not name: Kafka itself has dropped it. When one is red, its partitions and the groups that it coordinates are old or missing.",
		none:     "No broker is known: the cluster has not been read.",
		queries:  []query{line(most("kafka_cluster, broker", "lagwatch_broker_up", someClusters), "{{kafka_cluster}} broker {{broker}}")},
		mappings: []dashboard.ValueMapping{meanings(0, meaning{"silent", red}, meaning{"answers", green})},
	}.asTimeline())
}

func requests() dashboard.Panel {
	rate := fmt.Sprintf("sum by (api) (max by (kafka_cluster, api) (rate(lagwatch_kafka_requests_total{%s}[$__rate_interval])))", someClusters)
	return panel{
		width: 12, title: "Requests to brokers", unit: "reqps",
		about:   "What lagwatch asks brokers for, by Kafka's name of the request, retries included. When it is more than brokers should bear, raise the interval or filter groups.",
		none:    "Nothing was asked in this time.",
		queries: []query{line(rate, "{{api}}")},
	}.asLines()
}

func groupsOverTime() dashboard.Panel {
	return panel{
		width: 6, title: "Groups", unit: count,
		about:   "How many groups are watched. A saw is something that creates groups with names of their own: filter those in lagwatch's config.",
		none:    "No lagwatch was scraped in this time.",
		queries: []query{line("count by (kafka_cluster) ("+most(K, "lagwatch_group_complete", someClusters)+")", "{{kafka_cluster}}")},
	}.asLines()
}

func seriesOverTime() dashboard.Panel {
	return panel{
		width: 6, title: "Series", unit: count,
		about:   "How many series each lagwatch publishes. A jump is new groups, topics or partitions; a step down may be max_series: see the groups in less detail.",
		none:    "No lagwatch was scraped in this time.",
		queries: []query{line("scrape_samples_scraped"+ofLagwatch, "{{instance}}")},
	}.asLines()
}

func loweredTable() dashboard.Panel {
	return panel{
		width: 10, title: "Groups in less detail", unit: words,
		about: "Groups that are shown without partitions (topic) or also without topics (group), because the cluster would have more series than max_series allows. Those with the least lag come first: raise max_series if you miss them.",
		none:  "None: no cluster is above max_series.",
		queries: []query{
			rows(fmt.Sprintf("topk(500, max by (%s, detail) (lagwatch_group_detail_lowered{%s}))", K, someClusters)),
		},
	}.asTable("group", false,
		column{from: "group", title: "Group", links: []link{toGroup(cell("Cluster"), cell("Group"))}},
		column{from: "kafka_cluster", title: "Cluster", width: 110},
		column{from: "detail", title: "Shown by", width: 90},
	)
}

func processes() dashboard.Panel {
	return panel{
		width: 14, title: "Processes", unit: words,
		about: "Each lagwatch that is scraped: its version, and for how long it runs. Replicas of two versions are a deploy that has not ended. A short uptime that you did not cause is a crash or too little memory: see its log.",
		none:  "No lagwatch is scraped by this data source.",
		queries: []query{
			rows("max by (job, instance, version, goversion) (lagwatch_build_info)"),
			rows("max by (job, instance) (time() - process_start_time_seconds" + ofLagwatch + ")"),
		},
	}.asTable("instance", false,
		column{from: "instance", title: "Instance"},
		column{from: "job", title: "Job", width: 110},
		column{from: "version", title: "Version", width: 120},
		column{from: "goversion", title: "Go", width: 90},
		column{from: value(1), title: "Up for", width: 100, unit: seconds, none: "?"},
	)
}

func memory() dashboard.Panel {
	return panel{
		width: 8, title: "Memory", unit: "bytes",
		about: "What each lagwatch holds, and the limit that its garbage collector keeps to (GOMEMLIMIT), dashed, where one is set. It grows with groups, partitions and history. When it nears its limit: shorten history or filter groups.",
		none:  "No lagwatch was scraped in this time.",
		queries: []query{
			line("process_resident_memory_bytes"+ofLagwatch, "{{instance}}"),
			line("(go_gc_gomemlimit_bytes < 2^60)"+ofLagwatch, "limit of {{instance}}"),
		},
		special: []override{like("limit of .*", dashed(red)...)},
	}.asLines()
}

func cpu() dashboard.Panel {
	return panel{
		width: 8, title: "CPU", unit: "suffix:  cores",
		about:   "How many cores each lagwatch uses. It follows groups × partitions and the poll interval. When it nears its limit, raise the interval.",
		none:    "No lagwatch was scraped in this time.",
		queries: []query{line("rate(process_cpu_seconds_total[$__rate_interval])"+ofLagwatch, "{{instance}}")},
	}.asLines()
}

func goroutines() dashboard.Panel {
	return panel{
		width: 8, title: "Goroutines", unit: count,
		about:   "It is steady, with some for each broker and each reader of the page. A line that only rises is a leak: report it, with the log.",
		none:    "No lagwatch was scraped in this time.",
		queries: []query{line("go_goroutines"+ofLagwatch, "{{instance}}")},
	}.asLines()
}

func scrapes() dashboard.Panel {
	return panel{
		width: 12, title: "Scrape duration", unit: seconds,
		about:   "How long Prometheus takes to get a page; lagwatch asks Kafka nothing for it. When it nears the scrape timeout (10 s by default), publish fewer series.",
		none:    "No lagwatch was scraped in this time.",
		queries: []query{line("scrape_duration_seconds"+ofLagwatch, "{{instance}}")},
	}.asLines()
}

func targets() dashboard.Panel {
	return panel{
		width: 12, title: "Scrapes", unit: words,
		about:    "Whether Prometheus gets the page of each lagwatch. Red: the process is down or cannot be reached; nothing here is newer than that.",
		none:     "No lagwatch was scraped in this time.",
		queries:  []query{line("up"+ofLagwatch, "{{instance}}")},
		mappings: []dashboard.ValueMapping{meanings(0, meaning{"down", red}, meaning{"up", green})},
	}.asTimeline()
}
