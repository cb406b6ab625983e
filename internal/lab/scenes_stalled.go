package lab

import (
	"context"
	"time"
)

// stalledScenes are those in which members are there and commit nothing. All
// recover before records are lost.
func stalledScenes() []Scenario {
	return []Scenario{
		{
			Name:    "stalled-group",
			Summary: "Three members keep up for half a minute, then all hang: what they depend on doesn't answer.",
			Topic:   "emails", Group: "email-delivery", Shows: "stalled_group", Recovers: true,
			Members: 3, Partitions: 6,
			Setup: func(ctx context.Context, c *Cluster) (*Running, error) {
				return hanging(set(ctx, c, "stalled-group"), 3)
			},
		},
		{
			Name:    "hung-member",
			Summary: "Three members keep up for half a minute, then one hangs while its heartbeats go on.",
			Topic:   "thumbnails", Group: "thumbnail-render", Shows: "stalled_member", Recovers: true,
			Members: 3, Partitions: 6,
			Setup: func(ctx context.Context, c *Cluster) (*Running, error) {
				return hanging(set(ctx, c, "hung-member"), 1)
			},
		},
		{
			Name:    "stuck-partition",
			Summary: "A poison record holds partition 2 while its owner goes on with the other partitions.",
			Topic:   "shipments", Group: "shipment-tracking", Shows: "stalled_partition", Recovers: true,
			Members: 2, Partitions: 4,
			Setup: stuckPartition,
		},
	}
}

// hangAfter is how long members keep up before they hang.
const hangAfter = 30 * time.Second

// hanging lets so many of the scene's members hang, the first ones.
func hanging(s *scene, n int) (*Running, error) {
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 18})
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 10 * time.Millisecond})
	hang := func() {
		for _, m := range ms[:n] {
			m.Hang()
		}
	}
	s.after(hangAfter, hang)
	s.relieve(func() {
		for _, m := range ms[:n] {
			m.Resume()
		}
	}, hang)
	return s.ready()
}

// stuckTopicPartition is where stuckPartition has its poison record.
const stuckTopicPartition = 2

func stuckPartition(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "stuck-partition")
	s.backlog(300, 20, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 12})
	ms := s.consume(s.Members, ConsumerSpec{
		Protocol: ProtocolRange,
		Delay:    15 * time.Millisecond,
		Stuck:    map[string][]int32{s.Topic: {stuckTopicPartition}},
	})
	s.relieve(
		func() {
			for _, m := range ms {
				m.Release(s.Topic, stuckTopicPartition)
			}
		},
		func() {
			for _, m := range ms {
				m.Stick(s.Topic, stuckTopicPartition)
			}
		})
	return s.ready()
}
