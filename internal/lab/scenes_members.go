package lab

import (
	"context"
	"time"
)

// memberScenes are those in which it is the members who lack, or come and go.
func memberScenes() []Scenario {
	return []Scenario{
		{
			Name:    "stopped",
			Summary: "All members left with commits behind; producers go on, and the lag grows until the group comes back after ten minutes and catches up.",
			Topic:   "invoices", Group: "invoice-archive", Shows: "no_consumers", Recovers: true,
			Partitions: 3,
			Setup:      stopped,
		},
		{
			Name:    "rebalancing",
			Summary: "A fourth member joins and leaves every few seconds, and most partitions move each time.",
			Topic:   "notifications", Group: "notification-sender", Shows: "rebalancing",
			Members: 3, Partitions: 6,
			Setup: rebalancing,
		},
		{
			Name:    "unowned-partition",
			Summary: "Nobody owns partition 3, as the assignor takes the topic for one of three partitions.",
			Topic:   "returns", Group: "return-labels", Shows: "unowned_partitions", Recovers: true,
			Members: 2, Partitions: 4, Unowned: 1,
			Setup: unownedPartition,
		},
	}
}

// stoppedAfter is how long the members of stopped are at work at first, so that
// Kafka takes the group for one that has members.
const stoppedAfter = 3 * time.Second

// stopped grows by 5 offsets/s, from 250 on each partition to 1250 in ten minutes.
func stopped(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "stopped")
	s.backlog(500, 250, 15*time.Minute)
	s.produce(ProducerSpec{Rate: 5})
	last, gone := s.comeAndGo(0, ConsumerSpec{Protocol: ProtocolRange, Delay: 250 * time.Millisecond})
	s.step(func() error { last(); return nil })
	s.after(stoppedAfter, gone)
	come, leave := s.comeAndGo(0, ConsumerSpec{Protocol: ProtocolRange, Delay: 10 * time.Millisecond})
	s.relieveAt(1250, come, leave)
	return s.ready()
}

// churnEvery is how long the fourth member of rebalancing stays, and stays
// away.
const churnEvery = 4 * time.Second

// rebalancing has a fourth member whose name is the first: the range assignor,
// which goes by names, moves five of six partitions each time.
func rebalancing(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "rebalancing")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 20})
	spec := ConsumerSpec{Protocol: ProtocolRange, Delay: 15 * time.Millisecond}
	s.consumeFrom(1, s.Members, spec)
	next, after := s.comeAndGo(0, spec)
	s.every(churnEvery, func() {
		next()
		next, after = after, next
	})
	return s.ready()
}

// unownedPartition lets 2 records/s wait on the last partition. It is assigned
// now and then, before records are lost.
func unownedPartition(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "unowned-partition")
	s.backlog(200, 20, 2*time.Minute)
	s.produce(ProducerSpec{Rate: 8})
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 10 * time.Millisecond, Short: s.Unowned})
	short := func(n int) func() {
		return func() {
			for _, m := range ms {
				m.SetShort(n)
			}
		}
	}
	s.relieve(short(0), short(s.Unowned))
	return s.ready()
}
