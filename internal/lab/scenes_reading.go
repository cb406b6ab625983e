package lab

import (
	"context"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// readingScenes are those in which something can't be read: by whoever watches,
// or by the group.
func readingScenes() []Scenario {
	return []Scenario{
		{
			Name:    "unreadable",
			Summary: "The brokers refuse to describe the group or to tell its commits, while its members go on.",
			Topic:   "salaries", Group: "payroll-export", Shows: "unreadable",
			Members: 2, Partitions: 4,
			Setup: unreadable,
		},
		{
			Name:    "data-lost",
			Summary: "The group falls behind, and every ten seconds retention deletes what it has not read.",
			Topic:   "sensor-readings", Group: "sensor-archive", Shows: "data_lost",
			Members: 2, Partitions: 4,
			Setup: dataLost,
		},
		{
			Name:    "data-at-risk",
			Summary: "The group stays ten minutes behind on a topic that keeps its records for fifteen.",
			Topic:   "card-events", Group: "card-ledger", Shows: "data_at_risk",
			Members: 1, Partitions: 3,
			Setup: dataAtRisk,
		},
		{
			Name:    "open-transaction",
			Summary: "A producer began a transaction and neither commits nor aborts it: who reads committed records gets no further. It ends after eight minutes or so, and another begins.",
			Topic:   "bookings", Group: "booking-confirmation", Shows: "open_transaction", Recovers: true, ReadCommitted: true,
			Members: 2, Partitions: 3,
			Setup: openTransaction,
		},
	}
}

// unreadable refuses whoever asks for the group as a whole. Its members name the
// partitions whose commits they want.
func unreadable(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "unreadable")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 8})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 10 * time.Millisecond})
	s.step(func() error {
		refusal := c.fake.Fault(kfake.Fault{
			Keys:  []kmsg.Key{kmsg.DescribeGroups, kmsg.OffsetFetch},
			Group: s.Group, Err: kerr.GroupAuthorizationFailed, Count: -1, When: asksForAll,
		})
		s.r.background(func(ctx context.Context) {
			<-ctx.Done()
			refusal.Remove()
		})
		return nil
	})
	return s.ready()
}

// asksForAll tells whether a request names no partitions.
func asksForAll(r kmsg.Request) bool {
	fetch, ok := r.(*kmsg.OffsetFetchRequest)
	if !ok {
		return true
	}
	return !slices.ContainsFunc(fetch.Groups, func(g kmsg.OffsetFetchRequestGroup) bool { return len(g.Topics) > 0 })
}

// dataLost has 20 records/s for members that handle 10. Of each partition, 15
// records are kept.
func dataLost(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "data-lost")
	s.backlog(200, 0, 5*time.Minute)
	s.produce(ProducerSpec{Rate: 20})
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 200 * time.Millisecond, CommitInterval: 3 * time.Second})
	s.every(10*time.Second, func() {
		for _, p := range c.fake.PartitionInfos(s.Topic) {
			if start := p.HighWatermark - 15; start > p.LogStartOffset {
				if err := c.DeleteRecords(s.Topic, p.Partition, start); err != nil {
					s.failed(err)
				}
			}
		}
	})
	return s.ready()
}

// dataAtRisk is slightly too slow, then slightly too fast, so that the lag of
// each partition stays near 1200, which came in ten minutes.
func dataAtRisk(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "data-at-risk")
	s.step(func() error { return c.SetTopicConfig(ctx, s.Topic, "retention.ms", "900000") })
	s.backlog(1200, 1200, 10*time.Minute)
	s.produce(ProducerSpec{Rate: 6})
	const slower, faster = 170 * time.Millisecond, 140 * time.Millisecond
	ms := s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: slower})
	s.swing(1250, 1150, setDelay(ms, faster), setDelay(ms, slower))
	return s.ready()
}

// openTransaction lets 2 records/s wait on each partition, 1000 until the
// transaction ends.
func openTransaction(ctx context.Context, c *Cluster) (*Running, error) {
	s := set(ctx, c, "open-transaction")
	s.backlog(200, 0, 5*time.Minute)
	s.consume(s.Members, ConsumerSpec{Protocol: ProtocolRange, Delay: 5 * time.Millisecond, ReadCommitted: true})
	begin, end := s.transactions(s.Group + "-source")
	s.step(func() error { return begin(ctx) })
	s.produce(ProducerSpec{Rate: 6})
	s.relieveAt(1000, end, func() {
		ctx, cancel := bounded(stopTimeout)
		defer cancel()
		if err := begin(ctx); err != nil {
			s.failed(err)
		}
	})
	return s.ready()
}

// transactions makes functions that begin a transaction on the scene's topic
// and end it. They must be called in turn, one at a time.
func (s *scene) transactions(id string) (begin func(ctx context.Context) error, end func()) {
	var open *Transaction
	begin = func(ctx context.Context) (err error) {
		if open, err = s.c.StartTransaction(ctx, s.Topic, id); err == nil {
			s.r.add(open)
		}
		return err
	}
	end = func() {
		if open != nil {
			s.r.end(open)
			open = nil
		}
	}
	return begin, end
}
