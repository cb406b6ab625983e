package collector

import (
	"slices"
	"strconv"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// sink takes one sample. Labels are the values of the metric's labels, in
// order, raw as Kafka has them.
type sink func(m *Metric, value float64, labels ...string)

// emit writes every sample of a view into put. It is the only place that
// decides what is published; what is not known is not put.
func (v *View) emit(interval time.Duration, put sink) {
	v.emitExporter(interval, put)
	for i := range v.Topics {
		v.Topics[i].emit(v.Cluster, put)
	}
	for i := range v.Groups {
		v.Groups[i].emit(v.Cluster, v.Built, put)
	}
}

func (v *View) emitExporter(interval time.Duration, put sink) {
	c := v.Cluster
	put(metricUp, truth(v.Up), c)
	put(metricPollInterval, interval.Seconds(), c)
	for r := PollFailed; r <= PollComplete; r++ {
		put(metricPolls, float64(v.Counters.Polls[r]), c, r.String())
	}
	if !v.Built.IsZero() {
		put(metricPollDuration, v.PollDuration.Seconds(), c)
	}
	for k, n := range v.Counters.Problems {
		put(metricPollErrors, float64(n), c, k.Stage.String(), k.Reason.String())
	}
	for api, n := range v.Counters.Requests {
		put(metricRequests, float64(n), c, api)
	}
	if v.LastSuccess.IsZero() {
		return
	}
	put(metricLastSuccess, float64(v.LastSuccess.UnixMilli())/1000, c)
	if v.ClusterID != "" {
		put(metricClusterInfo, 1, c, v.ClusterID)
	}
	for _, b := range v.Brokers {
		put(metricBrokerUp, truth(b.Up), c, itoa(b.ID))
	}
}

func (t *Topic) emit(cluster string, put sink) {
	put(metricPartitionsAdded, float64(t.Added), cluster, t.Name)
	put(metricTopicRecreated, float64(t.Recreated), cluster, t.Name)
	if t.Partitions != nil {
		put(metricTopicPartitions, float64(len(t.Partitions)), cluster, t.Name)
	}
	for _, p := range t.Partitions {
		id := itoa(p.ID)
		if start, ok := p.Start.Get(); ok {
			put(metricStartOffset, float64(start.Offset), cluster, t.Name, id)
		}
		if end, ok := p.End.Get(); ok {
			put(metricEndOffset, float64(end.Offset), cluster, t.Name, id)
		}
		if stable, ok := p.LastStable.Get(); ok {
			put(metricLastStable, float64(stable.Offset), cluster, t.Name, id)
		}
	}
}

func (g *Group) emit(cluster string, built time.Time, put sink) {
	put(metricGroupInfo, 1, cluster, g.ID, g.Type.String(), g.ProtocolType)
	put(metricGroupComplete, truth(g.Complete), cluster, g.ID)
	put(metricGroupObjective, g.Objective.Seconds(), cluster, g.ID)
	if !g.ReadAt.IsZero() {
		put(metricGroupReadAge, max(0, built.Sub(g.ReadAt).Seconds()), cluster, g.ID)
	}
	if id, ok := g.Coordinator.Get(); ok {
		put(metricGroupCoordinator, float64(id), cluster, g.ID)
	}
	if n, ok := g.Generation.Get(); ok {
		put(metricGroupGeneration, float64(n), cluster, g.ID)
	}
	if g.State != snapshot.StateUnknown {
		for _, s := range statesOf(g.Type) {
			put(metricGroupState, truth(g.State == s), cluster, g.ID, s.String())
		}
	}
	g.emitMembers(cluster, put)
	if lag, ok := g.Lag.Get(); ok {
		put(metricGroupLag, float64(lag), cluster, g.ID)
	}
	for i := range g.Topics {
		g.Topics[i].emit(cluster, g.ID, put)
	}
}

func (g *Group) emitMembers(cluster string, put sink) {
	m, ok := g.Members.Get()
	if !ok {
		return
	}
	put(metricGroupMembers, float64(len(m.List)), cluster, g.ID)
	if idle, ok := m.Idle(); ok {
		put(metricGroupIdle, float64(idle), cluster, g.ID)
	}
}

func (t *GroupTopic) emit(cluster, group string, put sink) {
	if lag, ok := t.Lag.Get(); ok {
		put(metricTopicLag, float64(lag), cluster, group, t.Topic)
	}
	var states [len(pairStates)]int
	var available snapshot.Maybe[int64]
	for i := range t.Pairs {
		p := &t.Pairs[i]
		states[p.State]++
		if n, ok := p.Available.Get(); ok {
			available = snapshot.Known(available.Or(0) + n)
		}
		p.emit(cluster, group, t.Topic, put)
	}
	for s, n := range states {
		put(metricTopicPairs, float64(n), cluster, group, t.Topic, PairState(s).String())
	}
	if n, ok := available.Get(); ok {
		put(metricTopicUncommitted, float64(n), cluster, group, t.Topic)
	}
}

func (p *Pair) emit(cluster, group, topic string, put sink) {
	id := itoa(p.Partition)
	if lag, ok := p.Lag.Get(); ok {
		put(metricPairLag, float64(lag), cluster, group, topic, id)
	}
	if offset, ok := p.Committed.Get(); ok {
		put(metricPairCommitted, float64(offset), cluster, group, topic, id)
	}
	if start, ok := p.ShareStart.Get(); ok {
		put(metricPairShareStart, float64(start), cluster, group, topic, id)
	}
	for i, o := range p.Owners {
		// Members of one client are one series.
		if !slices.ContainsFunc(p.Owners[:i], func(b *Owner) bool { return b.ClientID == o.ClientID && b.Host == o.Host }) {
			put(metricPairOwner, 1, cluster, group, topic, id, o.ClientID, o.Host)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func itoa(n int32) string { return strconv.Itoa(int(n)) }
