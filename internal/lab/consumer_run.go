package lab

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// run is the consumer's loop: one record, its processing time, its mark, a
// commit when one is due. The client holds rebalances back from a record's
// arrival to AllowRebalance, so marks and commits are of partitions that the
// consumer owns.
func (m *Consumer) run(ctx context.Context) {
	defer close(m.done)
	for ctx.Err() == nil {
		fetches := m.poll(ctx)
		fetches.EachError(m.fetchFailed)
		fetches.EachRecord(func(r *kgo.Record) { m.process(ctx, r) })
		if m.commitDue() {
			m.commit()
		}
		m.client.AllowRebalance()
	}
}

// poll waits for a record, but not beyond the next commit by interval.
func (m *Consumer) poll(ctx context.Context) kgo.Fetches {
	if m.spec.NeverCommit || m.spec.CommitInterval == 0 {
		return m.client.PollRecords(ctx, 1)
	}
	ctx, cancel := context.WithTimeout(ctx, m.spec.CommitInterval)
	defer cancel()
	return m.client.PollRecords(ctx, 1)
}

func (m *Consumer) fetchFailed(topic string, p int32, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return
	}
	m.cluster.logf("consumer of group %s: fetching %s/%d: %v", m.spec.Group, topic, p, err)
}

// process spends the processing time on a record. A record that is
// interrupted is not done: another member will get it again.
func (m *Consumer) process(ctx context.Context, r *kgo.Record) {
	if !m.work(ctx) {
		return
	}
	m.processed.Add(1)
	if !m.spec.NeverCommit {
		defer m.lockMarks()()
		m.marks.add(r)
	}
}

// work takes the processing time, and longer where the consumer hangs. It
// tells whether it came to its end.
func (m *Consumer) work(ctx context.Context) bool {
	if d := m.Delay(); d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
		}
	}
	m.mu.Lock()
	hung := m.hung
	m.mu.Unlock()
	if hung == nil {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-hung:
		return true
	}
}

// lockMarks takes the token of committing; what it returns gives it back.
func (m *Consumer) lockMarks() (unlock func()) {
	<-m.committing
	return func() { m.committing <- struct{}{} }
}

func (m *Consumer) commitDue() bool {
	defer m.lockMarks()()
	s := m.spec
	return s.CommitEvery > 0 && m.marks.records >= s.CommitEvery ||
		s.CommitInterval > 0 && !m.marks.empty() && time.Since(m.marks.since) >= s.CommitInterval
}

// commit commits all marks. What fails stays marked for the next time.
func (m *Consumer) commit() {
	defer m.lockMarks()()
	m.commitLocked(nil)
}

// commitLocked commits the marks of some partitions, or of all when only is
// nil. The caller holds committing.
func (m *Consumer) commitLocked(only map[string][]int32) {
	next := m.marks.of(only)
	if len(next) == 0 || m.vanished.Load() {
		return
	}
	ctx, cancel := bounded(stopTimeout)
	defer cancel()
	var err error
	if m.spec.Protocol == ProtocolStandalone {
		err = m.admin().CommitAllOffsets(ctx, m.spec.Group, offsetsOf(next))
	} else {
		m.client.CommitOffsetsSync(ctx, next, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, e error) {
			err = errors.Join(e, commitError(resp))
		})
	}
	if err != nil {
		if !m.vanished.Load() {
			m.cluster.logf("consumer of group %s: committing: %v", m.spec.Group, err)
		}
		return
	}
	m.marks.done(next)
}

// commitError is the first error of a commit's answer.
func commitError(resp *kmsg.OffsetCommitResponse) error {
	if resp == nil {
		return nil
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Consumer) onAssigned(_ context.Context, _ *kgo.Client, got map[string][]int32) { m.own(got) }

func (m *Consumer) own(got map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for topic, ps := range got {
		if m.assigned[topic] == nil {
			m.assigned[topic] = make(map[int32]struct{})
		}
		for _, p := range ps {
			m.assigned[topic][p] = struct{}{}
		}
	}
}

// onRevoked commits what was processed of the partitions that go, so that
// their next owner starts there.
func (m *Consumer) onRevoked(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	m.disown(gone)
	defer m.lockMarks()()
	m.commitLocked(gone)
	m.marks.forget(gone)
}

// onLost gives partitions up that may have a new owner already.
func (m *Consumer) onLost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	m.disown(gone)
	defer m.lockMarks()()
	m.marks.forget(gone)
}

func (m *Consumer) disown(gone map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for topic, ps := range gone {
		for _, p := range ps {
			delete(m.assigned[topic], p)
		}
		if len(m.assigned[topic]) == 0 {
			delete(m.assigned, topic)
		}
	}
}
