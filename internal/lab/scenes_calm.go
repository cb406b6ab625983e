package lab

import (
	"context"
	"time"
)

// calmScenes are those in which nothing is wrong.
func calmScenes() []Scenario {
	return []Scenario{
		{
			Name:    "healthy",
			Summary: "Three members keep up with a steady stream.",
			Topic:   "orders", Group: "order-fulfilment",
			Members: 3, Partitions: 6,
			Setup: healthy,
		},
		{
			Name:    "kip848",
			Summary: "A group of the consumer protocol (KIP-848), whose broker assigns the partitions, keeps up.",
			Topic:   "page-views", Group: "session-builder",
			Members: 3, Partitions: 6,
			Setup: kip848,
		},
		{
			Name:    "idle-members",
			Summary: "Four members share two partitions: two of them have nothing to do.",
			Topic:   "refunds", Group: "refund-approval", Shows: "idle_members",
			Members: 4, Partitions: 2,
			Setup: idleMembers,
		},
		{
			Name:    "standalone",
			Summary: "A consumer with hand-assigned partitions commits without being a member of its group.",
			Topic:   "inventory", Group: "inventory-snapshot", Shows: "standalone",
			Partitions: 3,
			Setup:      standalone,
		},
	}
}

func healthy(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "healthy")
	s.backlog(200, 0, 10*time.Minute)
	s.produce(ProducerSpec{Rate: 30})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolCooperativeSticky, Delay: 15 * time.Millisecond})
	return s.ready()
}

func kip848(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "kip848")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 30, Bursts: Bursts{Every: 10 * time.Second, Length: 4 * time.Second}})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolConsumer, Delay: 10 * time.Millisecond})
	return s.ready()
}

func idleMembers(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "idle-members")
	s.backlog(100, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 5})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 15 * time.Millisecond})
	return s.ready()
}

func standalone(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "standalone")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 10})
	s.consume(1, ConsumerSpec{Protocol: ProtocolStandalone, Delay: 5 * time.Millisecond, CommitInterval: 2 * time.Second})
	return s.ready()
}
