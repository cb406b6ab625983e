package lab

import (
	"context"
	"time"
)

// positionScenes are those whose commits are not what they should be.
func positionScenes() []Scenario {
	return []Scenario{
		{
			Name:    "commits-vanished",
			Summary: "The group is expected to be there, and is deleted after ten seconds, with all its commits.",
			Topic:   "loyalty-points", Group: "loyalty-balance", Shows: "commits_vanished", Expected: true,
			Partitions: 3,
			Setup:      commitsVanished,
		},
		{
			Name:    "uncommitted",
			Summary: "Two members read everything and never commit a position.",
			Topic:   "audit-events", Group: "audit-tail", Shows: "never_committed",
			Members: 2, Partitions: 3,
			Setup: uncommitted,
		},
		{
			Name:    "abandoned-topic",
			Summary: "The group moved on to another topic, and its commits on the old one remain.",
			Topic:   "coupons-v2", Group: "coupon-redemption", Shows: "abandoned_topic",
			Members: 2, Partitions: 4,
			Setup: abandonedTopic,
		},
		{
			Name:    "rewound",
			Summary: "Every four minutes somebody stops the group, sets its positions back and starts it again.",
			Topic:   "price-changes", Group: "price-cache", Shows: "rewound",
			Members: 1, Partitions: 2,
			Setup: rewound,
		},
	}
}

func commitsVanished(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "commits-vanished")
	s.backlog(100, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 3})
	s.after(10*time.Second, func() {
		ctx, cancel := bounded(stopTimeout)
		defer cancel()
		if err := c.DeleteGroup(ctx, s.Group); err != nil {
			s.failed(err)
		}
	})
	return s.ready()
}

func uncommitted(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "uncommitted")
	s.step(func() error { return c.Backlog(ctx, s.Topic, 200, 5*time.Minute) })
	s.produce(ProducerSpec{Rate: 6})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 5 * time.Millisecond, NeverCommit: true})
	return s.ready()
}

// abandonedTopic has read all of the old topic, to which nobody produces.
func abandonedTopic(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "abandoned-topic")
	const old, n = "coupons", 150
	s.step(func() error { return c.CreateTopic(old, 2) })
	s.step(func() error { return c.Backlog(ctx, old, n, 30*time.Minute) })
	s.step(func() error { return c.CommitAll(ctx, s.Group, old, map[int32]int64{0: n, 1: n}) })
	s.backlog(100, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 8})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolCooperativeSticky, Delay: 10 * time.Millisecond})
	return s.ready()
}

const (
	// rewindAfter is when positions are set back first, and rewindEvery how
	// often from then on.
	rewindAfter = 12 * time.Second
	rewindEvery = 4 * time.Minute
	// rewindBy is by how many offsets: what comes in within 3 s, so that the
	// group has read it again before it counts as behind.
	rewindBy = 6
	// rewindPause is how long nobody is a member before it, and after: whoever
	// polls every second sees that.
	rewindPause = 1500 * time.Millisecond
)

func rewound(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "rewound")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 4})
	come, leave := s.comeAndGo(0, ConsumerSpec{Protocol: ProtocolRange, Delay: 2 * time.Millisecond, CommitInterval: 3 * time.Second})
	s.step(func() error { come(); return nil })
	rewind := func() {
		leave()
		s.r.after(rewindPause, func() {
			if err := s.rewind(rewindBy); err != nil {
				s.failed(err)
			}
			s.r.after(rewindPause, come)
		})
	}
	s.after(rewindAfter, func() {
		rewind()
		s.r.every(rewindEvery, rewind)
	})
	return s.ready()
}

// rewind sets all positions of a group without members back by n.
func (s *scene) rewind(n int64) error {
	ctx, cancel := bounded(stopTimeout)
	defer cancel()
	next, err := s.c.CommittedOffsets(ctx, s.Group, s.Topic)
	if err != nil {
		return err
	}
	for p := range next {
		next[p] = max(0, next[p]-n)
	}
	return s.c.CommitAll(ctx, s.Group, s.Topic, next)
}
