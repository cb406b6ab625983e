//go:build paging

package paging

import (
	"context"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/lab"
)

// The groups that the tests play themselves; their topics are called alike.
const (
	stuck     = "shipment-tracking"
	hung      = "thumbnail-render"
	stalled   = "email-delivery"
	stopped   = "invoice-archive"
	atRisk    = "card-ledger"
	losing    = "sensor-archive"
	vanishing = "loyalty-balance"
	atLimit   = "tax-export"
	halfOwned = "remote-labels" // in the cluster that goes away

	rolled      = "rolling-eager"
	rolledSoft  = "rolling-cooperative"
	steady      = "steady"
	marker      = "marker-residual"
	batch       = "hourly-report"
	replaying   = "replay-from-start"
	steadyAfar  = "remote-steady"
	topicSuffix = "-records"
)

// crew is a group, its topic, who produces to it and its members.
type crew struct {
	t       *testing.T
	cluster *lab.Cluster
	topic   string
	spec    lab.ConsumerSpec
	members []*lab.Consumer
}

// found makes a topic that is produced to, and a group of so many members that reads it.
func found(t *testing.T, c *lab.Cluster, group string, partitions int32, rate float64, members int, spec lab.ConsumerSpec) *crew {
	t.Helper()
	spec.Group, spec.Topics = group, []string{group + topicSuffix}
	if spec.Protocol == lab.ProtocolUnknown {
		spec.Protocol = lab.ProtocolRange
	}
	w := &crew{t: t, cluster: c, topic: spec.Topics[0], spec: spec}
	w.must(c.CreateTopic(w.topic, partitions))
	if rate > 0 {
		_, err := c.StartProducer(lab.ProducerSpec{Topic: w.topic, Rate: rate})
		w.must(err)
	}
	w.come(members)
	return w
}

func (w *crew) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// come lets members join.
func (w *crew) come(n int) {
	w.t.Helper()
	for range n {
		m, err := w.cluster.StartConsumer(w.spec)
		w.must(err)
		w.members = append(w.members, m)
	}
}

// leave lets all members leave.
func (w *crew) leave() {
	for _, m := range w.members {
		m.Stop()
	}
	w.members = nil
}

// roll replaces all members, one after the other, as a rolling deployment does: the next
// goes when the group is whole again.
func (w *crew) roll(partitions int) {
	w.t.Helper()
	for i := range w.members {
		w.members[i].Stop()
		m, err := w.cluster.StartConsumer(w.spec)
		w.must(err)
		w.members[i] = m
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
		_, err = w.cluster.WaitAssigned(ctx, w.spec.Group, len(w.members), partitions)
		cancel()
		w.must(err)
	}
}

// setDelay is how long each member takes for a record from now on.
func (w *crew) setDelay(d time.Duration) {
	for _, m := range w.members {
		m.SetDelay(d)
	}
}

// lag is that of the partition where it is the most.
func (w *crew) lag() int64 {
	var most int64
	for _, l := range w.cluster.Lag(w.spec.Group, w.topic) {
		most = max(most, l)
	}
	return most
}
