package collector

import (
	"maps"
	"slices"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/buildinfo"
)

// exporterRows are of lagwatch itself and of the cluster as a whole.
var exporterRows = []Metric{
	{Name: "build_info", Kind: Gauge, more: []string{"version", "revision", "goversion"},
		Help:    "Always 1; the labels say which lagwatch this is.",
		Unknown: always,
		build: func(b *buildinfo.Info, s *series) {
			s.with(page.NewLabels("version", b.Version, "revision", b.Revision, "goversion", b.Go), 1)
		}},
	{Name: "up", Kind: Gauge,
		Help:    "Whether the last poll could read what the cluster consists of: 1 yes, 0 no.",
		Unknown: always + " 0 before the first poll.",
		view:    func(v *View, s *series) { s.truth(v.Up) }},
	{Name: "polls_total", Kind: Counter, more: []string{"result"}, upTo: len(pollResults),
		Help:    "Polls by result: complete, partial (some of it is unknown), failed (nothing could be read).",
		Unknown: always,
		view:    emitPolls},
	{Name: "poll_duration_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "How long the last poll took.",
		Unknown: "Absent before the first poll.",
		view:    func(v *View, s *series) { s.after(v.Built, v.PollDuration.Seconds()) }},
	{Name: "poll_errors_total", Kind: Counter, more: []string{"stage", "reason"},
		Help:    "Things that a poll could not read, by the stage of the poll and the reason. One for each broker, group or topic concerned, not for each partition.",
		Unknown: "A pair of stage and reason appears with its first error.",
		view:    emitProblems},
	{Name: "last_success_timestamp_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "When the last poll ended that was not failed, as a Unix time.",
		Unknown: "Absent before the first.",
		view:    func(v *View, s *series) { s.after(v.LastSuccess, float64(v.LastSuccess.UnixMilli())/1000) }},
	{Name: "poll_interval_seconds", Kind: Gauge, Unit: "seconds",
		Help:    "The configured time between the starts of two polls.",
		Unknown: always,
		view:    func(v *View, s *series) { s.put(v.Interval.Seconds()) }},
	{Name: "kafka_requests_total", Kind: Counter, more: []string{"api"},
		Help:    "Requests sent to brokers, by Kafka's name for them, retries included. What connections need to be set up is not counted.",
		Unknown: "An API appears with its first request.",
		view:    emitRequests},
	{Name: "broker_up", Kind: Gauge, more: []string{"broker"},
		Help:    "Whether the broker answered in the last poll: 1 yes, 0 no.",
		Unknown: "Absent for brokers that the last metadata did not name: Kafka itself drops a dead one after some seconds.",
		view:    emitBrokers},
	{Name: "cluster_info", Kind: Gauge, more: []string{"cluster_id"},
		Help:    "Always 1; the label is Kafka's own id of the cluster.",
		Unknown: "Absent before the first good poll, and where Kafka has none.",
		view:    emitClusterInfo},
}

func emitPolls(v *View, s *series) {
	for r := PollFailed; r <= PollComplete; r++ {
		s.with(page.NewLabels("result", r.String()), float64(v.Counters.Polls[r]))
	}
}

func emitProblems(v *View, s *series) {
	for _, k := range slices.SortedFunc(maps.Keys(v.Counters.Problems), ProblemKind.compare) {
		s.with(page.NewLabels("stage", k.Stage.String(), "reason", k.Reason.String()), float64(v.Counters.Problems[k]))
	}
}

func emitRequests(v *View, s *series) {
	for _, api := range slices.Sorted(maps.Keys(v.Counters.Requests)) {
		s.with(page.NewLabels("api", api), float64(v.Counters.Requests[api]))
	}
}

func emitBrokers(v *View, s *series) {
	for _, b := range v.Brokers {
		s.with(page.NewLabels("broker", itoa(b.ID)), truth(b.Up))
	}
}

func emitClusterInfo(v *View, s *series) {
	if v.ClusterID != "" {
		s.with(page.NewLabels("cluster_id", v.ClusterID), 1)
	}
}
