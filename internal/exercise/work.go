package exercise

import (
	"context"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// take notes a record and gives it to the worker of its key.
func (m *member) take(r *kgo.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.assigned[r.Partition]
	if a == nil || !a.track.Deliver(r.Offset) {
		return
	}
	e, err := parseEvent(r.Key, r.Value, r.Partition, r.Offset)
	if err != nil {
		m.problem = err
		return
	}
	l := a.lanes[e.Key]
	if l == nil {
		l = &lane{}
		a.lanes[e.Key] = l
	}
	l.queue = append(l.queue, m.ledger.deliver(a.tenure, e))
	if !m.working[l] {
		m.working[l] = true
		m.workers.Go(func() { m.work(a, l) })
	}
}

// work takes the events of one key in their order, while there are any and the
// partition is the member's.
func (m *member) work(a *assigned, l *lane) {
	for {
		if d := m.nextOf(a, l); d == nil || !m.handle(a, l, d) {
			return
		}
	}
}

// nextOf takes an event out of a lane. It returns nil where there is none, or the
// partition is the member's no more; the lane has no worker from then on.
func (m *member) nextOf(a *assigned, l *lane) *delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.ended || len(l.queue) == 0 {
		delete(m.working, l)
		return nil
	}
	d := l.queue[0]
	l.queue = l.queue[1:]
	return d
}

// handle applies one event. It reports false when the process was gone before.
func (m *member) handle(a *assigned, l *lane, d *delivery) bool {
	if gate := m.gates.at(d.Operation); gate != nil {
		m.setHeld(l, true)
		m.ledger.hold(d)
		opened := gate.wait(m.alive)
		m.setHeld(l, false)
		if !opened {
			return false
		}
	}
	if m.alive.Err() != nil {
		return false
	}
	m.ledger.apply(d)
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.track.Done(d.Offset) {
		a.highest = max(a.highest, d.Offset)
	} else {
		m.ledger.late(d)
	}
	return true
}

func (m *member) setHeld(l *lane, held bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l.held = held
}

// quiet tells whether nothing goes on: each worker waits for an event or is held up,
// and nothing is to be committed that may be.
func (m *member) quiet() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for l := range m.working {
		if !l.held {
			return false
		}
	}
	if m.paused || m.dead {
		return true
	}
	for _, a := range m.assigned {
		if _, ok := m.rule.next(a); ok {
			return false
		}
	}
	return true
}

// due is what is to be committed of some partitions, or of all when only is nil.
func (m *member) due(only []int32) map[int32]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[int32]int64{}
	for p, a := range m.assigned {
		if only != nil && !slices.Contains(only, p) {
			continue
		}
		if next, ok := m.rule.next(a); ok {
			out[p] = next
		}
	}
	return out
}

// commit commits what is due. What fails is due again the next time. It is called
// where no rebalance can come between: see [member].
func (m *member) commit(only []int32) {
	next := m.due(only)
	if len(next) == 0 || m.silent() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	offsets := map[string]map[int32]kgo.EpochOffset{m.topic: {}}
	for p, o := range next {
		offsets[m.topic][p] = kgo.EpochOffset{Epoch: -1, Offset: o}
	}
	m.client.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if err != nil {
			m.fail(err)
			return
		}
		m.committed(next, resp)
	})
}

// committed notes the positions that Kafka took.
func (m *member) committed(next map[int32]int64, resp *kmsg.OffsetCommitResponse) {
	taken := maps.Clone(next)
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				m.fail(err)
				delete(taken, p.Partition)
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, o := range taken {
		if a := m.assigned[p]; a != nil {
			a.track.Committed(o)
			m.ledger.commit(a.tenure, o)
		}
	}
}

// silent tells whether the member commits no more.
func (m *member) silent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paused || m.dead
}

// pause has the member commit no more.
func (m *member) pause() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = true
}

// stop ends the member in order: it commits, and leaves the group. More calls do
// nothing.
func (m *member) stop() { m.once.Do(func() { m.finish(true) }) }

// vanish ends it as a crash would: its connections break, nothing is committed and
// nobody leaves, so that the group waits for the session to be over.
func (m *member) vanish() {
	m.once.Do(func() {
		m.mu.Lock()
		m.dead = true
		var all []int32
		for p := range m.assigned {
			all = append(all, p)
		}
		m.mu.Unlock()
		m.line.Cut()
		m.giveUp(all)
		m.finish(false)
	})
}

func (m *member) finish(leave bool) {
	m.end[0]()
	<-m.looped
	if leave { // and commit, when the partitions are revoked
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		if err := m.client.LeaveGroupContext(ctx); err != nil {
			m.fail(err)
		}
		cancel()
	}
	m.cancel()
	m.workers.Wait()
	m.client.CloseAllowingRebalance()
	// Close polls once more, which holds rebalances back again, and a goroutine of
	// the leave that it began would wait for ever.
	m.client.AllowRebalance()
}

// cancel ends everything that has a context of its own.
func (m *member) cancel() {
	for _, end := range m.end {
		end()
	}
}
