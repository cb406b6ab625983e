//go:build paging

package paging

import (
	"context"
	"fmt"
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
	joined  int
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
		w.produce(rate)
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

// produce starts a producer of so many records a second.
func (w *crew) produce(rate float64) {
	w.t.Helper()
	_, err := w.cluster.StartProducer(lab.ProducerSpec{Topic: w.topic, Rate: rate})
	w.must(err)
}

// come lets members join.
func (w *crew) come(n int) {
	w.t.Helper()
	for range n {
		w.members = append(w.members, w.join())
	}
}

// join lets one more join, under a client id that no other had.
func (w *crew) join() *lab.Consumer {
	w.t.Helper()
	spec := w.spec
	spec.ClientID = fmt.Sprintf("%s-%d", spec.Group, w.joined)
	w.joined++
	m, err := w.cluster.StartConsumer(spec)
	w.must(err)
	return m
}

// leave lets all members leave.
func (w *crew) leave() {
	for _, m := range w.members {
		m.Stop()
	}
	w.members = nil
}

// roll replaces all members, one after the other, as a rolling deployment does: the next
// goes when the group is whole again. A process is gone for ten seconds, as time usually
// passes, and its successor is looked at for as long.
func (w *crew) roll(partitions int, pass func(time.Duration)) {
	w.t.Helper()
	for i := range w.members {
		w.members[i].Stop()
		pass(10 * time.Second)
		w.members[i] = w.join()
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
		_, err := w.cluster.WaitAssigned(ctx, w.spec.Group, len(w.members), partitions)
		cancel()
		w.must(err)
		pass(10 * time.Second)
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
