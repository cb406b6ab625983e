package lab

import (
	"context"
	"fmt"
	"time"
)

// Scenarios are all scenes, in the order in which the demo lists them. The
// caller owns the slice.
func Scenarios() []Scenario {
	return []Scenario{
		{
			Name:    "healthy",
			Summary: "Three members keep up with a steady stream.",
			Topic:   "orders", Group: "order-fulfilment",
			Members: 3, Partitions: 6,
			Setup: healthy,
		},
		{
			Name:    "slow",
			Summary: "Two members handle 20 records/s together and 30 arrive: the group falls behind for two to three minutes, then is faster for one and a half, and so on.",
			Topic:   "payments", Group: "fraud-check",
			Members: 2, Partitions: 6,
			Setup: slow,
		},
		{
			Name:    "hot-partition",
			Summary: "Four fifths of the clicks carry keys of partition 0: its owner can't keep up while the others idle.",
			Topic:   "clicks", Group: "click-attribution",
			Members: 4, Partitions: 4,
			Setup: hotPartition,
		},
		{
			Name:    "stuck-partition",
			Summary: "A poison record holds partition 2 while its owner goes on with the other partitions.",
			Topic:   "shipments", Group: "shipment-tracking",
			Members: 2, Partitions: 4,
			Setup: stuckPartition,
		},
		{
			Name:    "stopped",
			Summary: "All members left with commits behind; producers go on, and the lag grows until the group comes back after ten minutes and catches up.",
			Topic:   "invoices", Group: "invoice-archive",
			Members: 0, Partitions: 3,
			Setup: stopped,
		},
		{
			Name:    "uncommitted",
			Summary: "Two members read everything and never commit a position.",
			Topic:   "audit-events", Group: "audit-tail",
			Members: 2, Partitions: 3,
			Setup: uncommitted,
		},
		{
			Name:    "standalone",
			Summary: "A consumer with hand-assigned partitions commits without being a member of its group.",
			Topic:   "inventory", Group: "inventory-snapshot",
			Members: 0, Partitions: 3,
			Setup: standalone,
		},
		{
			Name:    "rebalancing",
			Summary: "A fourth member joins and leaves every few seconds, and partitions move each time.",
			Topic:   "notifications", Group: "notification-sender",
			Members: 3, Partitions: 6,
			Setup: rebalancing,
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
			Topic:   "refunds", Group: "refund-approval",
			Members: 4, Partitions: 2,
			Setup: idleMembers,
		},
	}
}

// scene sets a scenario step by step. After a step failed the later ones do
// nothing, and ready stops what was started.
type scene struct {
	Scenario
	ctx context.Context
	c   *Cluster
	r   *Running
	err error
}

func set(ctx context.Context, c *Cluster, name string) *scene {
	s := &scene{ctx: ctx, c: c, r: c.newRunning()}
	s.Scenario, _ = Find(name)
	s.step(func() error { return c.adopt(s.r) })
	s.step(func() error { return c.CreateTopic(s.Topic, int32(s.Partitions)) })
	return s
}

func (s *scene) step(fn func() error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err == nil {
		s.err = fn()
	}
}

// backlog has n records per partition waiting, of which the group committed
// all but the last lag. They came in over the span that ends now.
func (s *scene) backlog(n, lag int, span time.Duration) {
	s.step(func() error { return s.c.Backlog(s.ctx, s.Topic, n, span) })
	s.step(func() error {
		next := make(map[int32]int64)
		for p := range int32(s.Partitions) {
			next[p] = int64(n - lag)
		}
		return s.c.CommitAll(s.ctx, s.Group, s.Topic, next)
	})
}

// produce starts the producer, to the scene's topic.
func (s *scene) produce(spec ProducerSpec) {
	s.step(func() error {
		spec.Topic = s.Topic
		p, err := s.c.StartProducer(spec)
		if err == nil {
			s.r.add(p)
		}
		return err
	})
}

// consume starts n members of the scene's group on its topic.
func (s *scene) consume(n int, spec ConsumerSpec) []*Consumer {
	var ms []*Consumer
	for i := range n {
		s.step(func() error {
			m, err := s.c.StartConsumer(s.member(i, spec))
			if err == nil {
				s.r.add(m)
				ms = append(ms, m)
			}
			return err
		})
	}
	return ms
}

// member completes a spec with the scene's names.
func (s *scene) member(i int, spec ConsumerSpec) ConsumerSpec {
	spec.Group, spec.Topics = s.Group, []string{s.Topic}
	spec.ClientID = fmt.Sprintf("%s-%d", s.Group, i)
	return spec
}

// comeAndGo makes functions that let one more member join and leave. They
// must be called in turn, from one goroutine.
func (s *scene) comeAndGo(i int, spec ConsumerSpec) (come, leave func()) {
	var extra *Consumer
	come = func() {
		m, err := s.c.StartConsumer(s.member(i, spec))
		if err != nil {
			s.c.logf("scene %s: %v", s.Name, err)
			return
		}
		s.r.add(m)
		extra = m
	}
	leave = func() {
		if extra != nil {
			s.r.end(extra)
			extra = nil
		}
	}
	return come, leave
}

// relieve lets the scene recover whenever it has gone as far as it may.
func (s *scene) relieve(on, off func()) { s.relieveAt(reliefAt, on, off) }

// relieveAt lets the scene recover whenever the lag of one partition is at.
func (s *scene) relieveAt(at int64, on, off func()) {
	s.step(func() error {
		s.r.relieve(relief{s.Topic, s.Group, at, reliefUntil, on, off}, reliefEvery)
		return nil
	})
}

func (s *scene) ready() (*Running, error) {
	if s.err != nil {
		s.r.Stop()
		return nil, s.err
	}
	return s.r, nil
}

func setDelay(ms []*Consumer, d time.Duration) func() {
	return func() {
		for _, m := range ms {
			m.SetDelay(d)
		}
	}
}

func healthy(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "healthy")
	s.backlog(200, 0, 10*time.Minute)
	s.produce(ProducerSpec{Rate: 30})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolCooperativeSticky, Delay: 15 * time.Millisecond})
	return s.ready()
}

// slow falls behind by 10 offsets/s, from 200 on each partition to 400 in two
// minutes. Then it catches up by 20 offsets/s, to reliefUntil in one and a half.
func slow(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "slow")
	s.backlog(400, 200, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 30})
	const trouble, recovery = 100 * time.Millisecond, 40 * time.Millisecond
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: trouble})
	s.relieveAt(400, setDelay(ms, recovery), setDelay(ms, trouble))
	return s.ready()
}

// hotPartition has 32 records/s for a member that handles 25, and 8 for the
// three others together.
func hotPartition(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "hot-partition")
	s.backlog(400, 10, 5*time.Minute)
	s.step(func() error {
		_, err := c.Produce(ctx, s.Topic, 0, 300)
		return err
	})
	s.produce(ProducerSpec{Rate: 40, HotShare: 0.8})
	const trouble, recovery = 40 * time.Millisecond, 10 * time.Millisecond
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: trouble})
	s.relieve(setDelay(ms, recovery), setDelay(ms, trouble))
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

// stopped grows by 5 offsets/s, from 250 on each partition to 1250 in ten minutes.
func stopped(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "stopped")
	s.backlog(500, 250, 15*time.Minute)
	s.produce(ProducerSpec{Rate: 5})
	come, leave := s.comeAndGo(0, ConsumerSpec{Protocol: ProtocolRange, Delay: 10 * time.Millisecond})
	s.relieveAt(1250, come, leave)
	return s.ready()
}

func uncommitted(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "uncommitted")
	s.step(func() error { return c.Backlog(ctx, s.Topic, 200, 5*time.Minute) })
	s.produce(ProducerSpec{Rate: 6})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 5 * time.Millisecond, NeverCommit: true})
	return s.ready()
}

func standalone(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "standalone")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 10})
	s.consume(1, ConsumerSpec{Protocol: ProtocolStandalone, Delay: 5 * time.Millisecond, CommitInterval: 2 * time.Second})
	return s.ready()
}

// churnEvery is how long the fourth member of rebalancing stays, and stays
// away.
const churnEvery = 4 * time.Second

func rebalancing(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "rebalancing")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 20})
	spec := ConsumerSpec{Protocol: ProtocolCooperativeSticky, Delay: 15 * time.Millisecond}
	s.consume(s.Members, spec)
	s.step(func() error {
		next, after := s.comeAndGo(s.Members, spec)
		s.r.every(churnEvery, func() {
			next()
			next, after = after, next
		})
		return nil
	})
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
