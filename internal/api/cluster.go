package api

import (
	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/api/document"
)

// cluster is what is known of a cluster as a whole.
func (h *Handler) cluster(v *collector.View) document.Cluster {
	d := document.Cluster{
		Cluster: name(v.Cluster), Moment: h.clusterMoment(v), ClusterID: v.ClusterID, IntervalSeconds: seconds(v.Interval),
		LastSuccessAt: moment(v.LastSuccess), Polls: map[string]uint64{}, Topics: len(v.Topics), Groups: len(v.Groups),
		Brokers: []document.Broker{}, Problems: []document.Problem{},
	}
	if !v.Built.IsZero() {
		took := seconds(v.PollDuration)
		d.PollSeconds = &took
	}
	for _, r := range []collector.PollResult{collector.PollFailed, collector.PollPartial, collector.PollComplete} {
		d.Polls[r.String()] = v.Counters.Polls[r]
	}
	for _, e := range entries(v) {
		if len(e.why.Findings) > 0 {
			d.GroupsWithCondition++
		}
	}
	for _, b := range v.Brokers {
		d.Brokers = append(d.Brokers, document.Broker{ID: b.ID, Address: name(b.Addr), Up: b.Up})
	}
	for _, p := range v.Problems[:min(len(v.Problems), mostProblems)] {
		d.Problems = append(d.Problems, document.Problem{
			Stage: p.Stage.String(), Reason: p.Reason.String(), Broker: number(p.Broker), Group: name(p.Group), Topic: name(p.Topic),
			Count: p.Count, Optional: p.Optional, Detail: p.Detail,
		})
	}
	return d
}

// mostProblems is how many problems a cluster's document has at most.
const mostProblems = 100
