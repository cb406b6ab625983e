//go:build paging

package paging

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// soon is within which time, as it usually passes, a trouble has to page.
const soon = 5 * time.Minute

// On one night all that can go wrong does, beside groups that are fine. What is wrong
// pages: soon, once, with what to do, and is resolved when it is over. What is for working
// hours makes a ticket, and what is neither is not told.
func TestPaging(t *testing.T) {
	w := newWorld(t)
	n := setTheScene(w)
	w.watch()
	w.say("lagwatch watches")
	n.slowAtRisk()
	w.pass(4 * time.Minute)

	n.trouble()
	w.wait("firing", 2*soon, n.pages.stuck, n.pages.hung, n.pages.stalled, n.pages.stopped, n.pages.losing, n.pages.vanished, n.pages.blind, n.pages.atRisk)
	n.replaceLagwatch()
	w.pass(90 * time.Second)
	n.farComesBack()
	n.holdOn()
	n.heal()

	n.rollingRestarts()
	w.wait("resolved", 20*time.Minute, n.pages.stuck, n.pages.hung, n.pages.stalled, n.pages.stopped, n.pages.atRisk, n.pages.vanished, n.pages.blind)
	n.secondRun()
	w.wait("firing", 30*time.Minute, tickets()...)
	n.brokerRestarts()
	w.pass(4 * time.Minute)
	w.wait("resolved", 30*time.Minute, n.pages.losing)
	n.lagwatchIsDown()

	judge(n)
}

// night is the world and the groups whose fate the test decides.
type night struct {
	*world
	pages *pages

	stuck, hung, stalled, stopped, atRisk, losing, vanishing, atLimit *crew
	halfOwned, rolled, rolledSoft, batch                              *crew

	stopLosing context.CancelFunc
	risky      chan time.Time // when records were about to be deleted first
	replay     *crew
}

// retention is how long the topic of the group at risk keeps its records.
const retention = 80 * time.Second

// setTheScene starts the groups, while nobody watches.
func setTheScene(w *world) *night {
	t, near := w.t, w.near
	t.Helper()
	ms := func(n int) lab.ConsumerSpec { return lab.ConsumerSpec{Delay: time.Duration(n) * time.Millisecond} }
	n := &night{
		world: w, pages: newPages(),
		stuck:   found(t, near, stuck, 4, 12, 2, ms(10)),
		hung:    found(t, near, hung, 6, 18, 3, ms(10)),
		stalled: found(t, near, stalled, 6, 18, 3, ms(10)),
		stopped: found(t, near, stopped, 3, 6, 2, ms(10)),
		atRisk:  found(t, near, atRisk, 2, 30, 1, ms(5)),
		// It commits each minute, as sinks of Kafka Connect do. Who commits every few seconds has
		// read past what was lost before start offsets are read again, which is not seen.
		losing:     found(t, near, losing, 1, 20, 1, lab.ConsumerSpec{Delay: 100 * time.Millisecond, CommitInterval: fast(time.Minute)}),
		vanishing:  found(t, near, vanishing, 3, 3, 0, ms(10)),
		atLimit:    found(t, near, atLimit, 1, 20, 1, ms(5)),
		halfOwned:  found(t, w.far, halfOwned, 4, 8, 2, ms(10)),
		rolled:     found(t, near, rolled, 12, 24, 6, ms(10)),
		rolledSoft: found(t, near, rolledSoft, 12, 24, 6, lab.ConsumerSpec{Delay: 10 * time.Millisecond, Protocol: lab.ProtocolCooperativeSticky}),
		batch:      found(t, near, batch, 2, 1, 0, ms(1)),
	}
	found(t, near, steady, 3, 9, 2, ms(10))
	found(t, w.far, steadyAfar, 3, 9, 2, ms(10))
	n.replay = found(t, near, replaying, 2, 0, 0, ms(10))
	n.must(n.near.Backlog(t.Context(), n.replay.topic, 3000, 20*time.Minute))
	n.replay.produce(4)
	n.must(n.near.SetTopicConfig(t.Context(), n.atRisk.topic, "retention.ms", strconv.FormatInt(retention.Milliseconds(), 10)))
	n.must(n.near.CommitAll(t.Context(), vanishing, n.vanishing.topic, map[int32]int64{0: 0, 1: 0, 2: 0}))
	n.leaveMarker()
	n.batch.come(1)
	return n
}

func (n *night) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// leaveMarker has one transaction on a topic whose group reads it to its end: of the
// marker the group keeps a lag of 1 for ever.
func (n *night) leaveMarker() {
	c := found(n.t, n.near, marker, 1, 0, 1, lab.ConsumerSpec{})
	open, err := n.near.StartTransaction(n.t.Context(), c.topic, "marker")
	n.must(err)
	open.Stop()
	await.Until(n.t, 20*time.Second, "a group with a marker left", func() bool { return c.lag() == 1 })
}

// trouble begins.
func (n *night) trouble() {
	n.batch.leave()
	n.say("troubles begin")
	p := n.pages
	n.leaveOut(n.stuck, 1)
	n.leaveOut(n.halfOwned, 1)
	n.pass(time.Minute) // lagwatch sees that before the far cluster is away
	for _, m := range n.stuck.members {
		m.Stick(n.stuck.topic, poisoned)
	}
	p.stuck.begin()
	n.hung.members[0].Hang()
	p.hung.begin()
	for _, m := range n.stalled.members {
		m.Hang()
	}
	p.stalled.begin()
	n.stopped.leave()
	p.stopped.begin()
	n.must(n.near.DeleteGroup(n.t.Context(), vanishing))
	p.vanished.begin()
	n.atLimit.setDelay(100 * time.Millisecond)
	n.lose()
	n.reach(lab.LinkDown)
	p.blind.begin()
	n.replay.come(1)
}

// leaveOut lets the assignor of a crew of two leave out so many of four partitions.
func (n *night) leaveOut(c *crew, short int) {
	for _, m := range c.members {
		m.SetShort(short)
	}
	ctx, cancel := context.WithTimeout(n.t.Context(), 20*time.Second)
	defer cancel()
	_, err := c.cluster.WaitAssigned(ctx, c.spec.Group, 2, 4-short)
	n.must(err)
}

// slowAtRisk lets a group be slower than what arrives, 15 records/s on each of two
// partitions. The trouble begins when its oldest unread record has waited for half of what
// the topic keeps, and gets no worse soon after.
func (n *night) slowAtRisk() {
	n.atRisk.setDelay(200 * time.Millisecond)
	const perSecond = 15
	n.risky = make(chan time.Time, 1)
	go func() {
		n.reachAge(n.atRisk, retention/2, perSecond)
		n.risky <- time.Now()
		n.reachAge(n.atRisk, retention*6/10, perSecond)
		n.atRisk.setDelay(time.Second / (2 * perSecond))
	}()
}

// reachAge waits until a crew's oldest unread record is so old, on a partition that takes so
// many a second. That is reckoned without lagwatch.
func (n *night) reachAge(c *crew, age time.Duration, perSecond int64) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n.t.Context().Err() == nil && c.lag() < int64(age.Seconds()*float64(perSecond)) {
		<-tick.C
	}
}

// lose deletes what the group has not read, again and again, until stopLosing.
func (n *night) lose() {
	ctx, cancel := context.WithCancel(n.t.Context())
	n.stopLosing = cancel
	n.must(n.cut(n.losing, 100))
	n.pages.losing.begin()
	go func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := n.cut(n.losing, 100); err != nil && ctx.Err() == nil {
				n.t.Error(err)
			}
		}
	}()
}

// cut leaves so many records of each partition of a crew's topic.
func (n *night) cut(c *crew, keep int64) error {
	var errs []error
	for _, p := range n.near.Fake().PartitionInfos(c.topic) {
		if start := p.HighWatermark - keep; start > p.LogStartOffset {
			errs = append(errs, n.near.DeleteRecords(c.topic, p.Partition, start))
		}
	}
	return errors.Join(errs...)
}

// reach changes how all brokers of the far cluster can be reached.
func (n *night) reach(l lab.Link) {
	for broker := range n.far.Addrs() {
		n.must(n.far.SetLink(int32(broker), l))
	}
}
