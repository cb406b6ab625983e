package lab

import (
	"context"
	"time"
)

// fallingScenes are those that fall behind, or were and catch up. All recover
// before records are lost.
func fallingScenes() []Scenario {
	return []Scenario{
		{
			Name:    "hot-partition",
			Summary: "Four fifths of the clicks carry keys of partition 0: its owner can't keep up while the others idle.",
			Topic:   "clicks", Group: "click-attribution", Shows: "hot_partition", Recovers: true,
			Members: 4, Partitions: 4,
			Setup: hotPartition,
		},
		{
			Name:    "slow-member",
			Summary: "One of three members takes 30 times as long for a record as the others do, and falls behind.",
			Topic:   "search-queries", Group: "search-indexer", Shows: "slow_member", Recovers: true,
			Members: 3, Partitions: 6,
			Setup: slowMember,
		},
		{
			Name:    "slow-dependency",
			Summary: "Three members keep up for a minute and a half, then all take ten times as long for a record, for some four minutes.",
			Topic:   "addresses", Group: "address-check", Shows: "slow_dependency", Recovers: true,
			Members: 3, Partitions: 6,
			Setup: slowDependency,
		},
		{
			Name:    "slow",
			Summary: "Two members handle 20 records/s together and 30 arrive: the group falls behind for two to three minutes, then fewer arrive for one and a half, and so on.",
			Topic:   "payments", Group: "fraud-check", Shows: "under_capacity", Recovers: true,
			Members: 2, Partitions: 6,
			Setup: slow,
		},
		{
			Name:    "catching-up",
			Summary: "Three members work off a backlog of half an hour, and will take a while.",
			Topic:   "statements", Group: "statement-mailer", Shows: "catching_up", Recovers: true,
			Members: 3, Partitions: 3,
			Setup: catchingUp,
		},
	}
}

// hotPartition has 32 records/s for a member that handles 25, and 8 for the
// three others together. The hot partition has a backlog of a minute.
func hotPartition(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "hot-partition")
	s.backlog(400, 0, 5*time.Minute)
	s.step(func() error { return c.backlog(ctx, s.Topic, []int32{0}, 400, time.Minute) })
	s.produce(ProducerSpec{Rate: 40, HotShare: 0.8})
	const trouble, recovery = 40 * time.Millisecond, 10 * time.Millisecond
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: trouble})
	s.relieve(setDelay(ms, recovery), setDelay(ms, trouble))
	return s.ready()
}

// slowMember has 8 records/s for each member, of whom the first handles 3.
func slowMember(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "slow-member")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 24})
	const trouble, recovery = 300 * time.Millisecond, 10 * time.Millisecond
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: recovery})
	one := ms[:min(1, len(ms))]
	setDelay(one, trouble)()
	s.relieve(setDelay(one, recovery), setDelay(one, trouble))
	return s.ready()
}

// slowAfter is how long slowDependency keeps up at first: so long that what is
// usual of the group is known.
const slowAfter = 90 * time.Second

// slowDependency has 24 records/s for members that handle 150 together, and then
// 15: the lag of each partition grows by 1.5 offsets/s.
func slowDependency(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "slow-dependency")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 24})
	const usual, trouble = 20 * time.Millisecond, 200 * time.Millisecond
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: usual})
	s.after(slowAfter, setDelay(ms, trouble))
	s.relieveAt(400, setDelay(ms, usual), func() { s.r.after(slowAfter, setDelay(ms, trouble)) })
	return s.ready()
}

// slow falls behind by 10 offsets/s, from 200 on each partition to 400 in two
// minutes. Then it catches up by 20 offsets/s, to reliefUntil in one and a half.
func slow(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "slow")
	s.backlog(400, 200, 5*time.Minute)
	const trouble, recovery = 30, 0.5
	p := s.produce(ProducerSpec{Rate: trouble})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 100 * time.Millisecond})
	s.relieveAt(400, func() { p.SetRate(recovery) }, func() { p.SetRate(trouble) })
	return s.ready()
}

// catchingUp works off 6 offsets/s of what is 4000 on each partition, in half an
// hour or so. Then as much comes at once.
func catchingUp(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "catching-up")
	const backlog = 4000
	s.backlog(backlog, backlog, 30*time.Minute)
	s.produce(ProducerSpec{Rate: 9})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 200 * time.Millisecond})
	s.swing(reliefAt, reliefUntil, func() {}, func() {
		ctx, cancel := bounded(stopTimeout)
		defer cancel()
		for p := range int32(s.Partitions) {
			if _, err := c.Produce(ctx, s.Topic, p, backlog); err != nil {
				s.failed(err)
			}
		}
	})
	return s.ready()
}
