package api

import (
	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
)

// cluster is what is known of a cluster as a whole.
func (h *Handler) cluster(v *collector.View) document.Cluster {
	d := document.Cluster{
		Cluster: name(v.Cluster), Moment: h.clusterMoment(v), ClusterID: v.ClusterID, IntervalSeconds: seconds(v.Interval),
		LastSuccessAt: moment(v.LastSuccess), Polls: map[string]uint64{},
	}
	for _, r := range []collector.PollResult{collector.PollFailed, collector.PollPartial, collector.PollComplete} {
		d.Polls[r.String()] = v.Counters.Polls[r]
	}
	if !v.Built.IsZero() {
		took := seconds(v.PollDuration)
		d.PollSeconds, d.Problems = &took, problems(v)
	}
	if !v.LastSuccess.IsZero() {
		consists(&d, v)
	}
	return d
}

// consists says what a cluster consists of that was read at least once.
func consists(d *document.Cluster, v *collector.View) {
	holding := 0
	for _, e := range entries(v) {
		if len(e.why.Findings) > 0 {
			holding++
		}
	}
	topics, groups, missing := len(v.Topics), len(v.Groups), len(v.Missing)
	d.Topics, d.Groups, d.Missing, d.WithCondition = &topics, &groups, &missing, &holding
	d.Brokers = make([]document.Broker, 0, len(v.Brokers))
	for _, b := range v.Brokers {
		d.Brokers = append(d.Brokers, document.Broker{ID: b.ID, Address: name(b.Addr), Up: b.Up})
	}
}

// problems are those of the last poll.
func problems(v *collector.View) []document.Problem {
	list := []document.Problem{}
	for _, p := range v.Problems[:min(len(v.Problems), mostProblems)] {
		list = append(list, document.Problem{
			Stage: p.Stage.String(), Reason: p.Reason.String(), Broker: number(p.Broker), Group: name(p.Group), Topic: name(p.Topic),
			Count: p.Count, Optional: p.Optional, Detail: p.Detail,
		})
	}
	return list
}

// mostProblems is how many problems a cluster's document has at most.
const mostProblems = 100
