package exercise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/lagwatch/lagwatch/internal/exercise/boundary"
	"github.com/lagwatch/lagwatch/internal/lab"
)

const (
	// heartbeat is how soon a member hears of a rebalance.
	heartbeat = 300 * time.Millisecond

	// commitPause is the longest time from a worker's end to the commit.
	commitPause = 50 * time.Millisecond

	// requestTimeout bounds a commit, and the request with which a member leaves.
	requestTimeout = 10 * time.Second
)

// member is a consumer of the group: one process, in life. It fetches, has workers
// apply what it got, and commits by its rule. Rebalances are held back from a fetch
// until its records are noted, and while a commit is sent, so that no commit names
// a partition that somebody else may own by then.
type member struct {
	name   string
	rule   Rule
	ledger *ledger
	gates  *gates
	client *kgo.Client
	line   *lab.Line
	topic  string

	mu       sync.Mutex
	assigned map[int32]*assigned
	working  map[*lane]bool // lanes with a worker
	paused   bool           // no more commits, as if each took too long
	dead     bool           // it crashed
	problem  error          // the last one of Kafka's

	alive   context.Context // of the workers
	workers sync.WaitGroup
	end     []context.CancelFunc // of the loop, the workers and the client, in this order
	looped  chan struct{}
	once    sync.Once
}

// assigned is a partition that a member has.
type assigned struct {
	tenure  *tenure
	track   boundary.Tracker
	highest int64 // the highest offset that is done, -1 if none; for the wrong rule only
	ended   bool
	lanes   map[string]*lane // by key
}

// lane is the work on one key, one event after the other.
type lane struct {
	queue []*delivery
	held  bool // its worker waits at a gate
}

// startMember starts a consumer. It returns before the consumer has partitions.
func (x *run) startMember(name string) (*member, error) {
	m := &member{
		name: name, rule: x.opts.Rule, ledger: x.ledger, gates: &x.gates, topic: x.opts.Name,
		line: lab.NewLine(x.opts.dial), assigned: map[int32]*assigned{}, working: map[*lane]bool{}, looped: make(chan struct{}),
	}
	loop, endLoop := context.WithCancel(context.Background())
	alive, endWorkers := context.WithCancel(context.Background())
	life, endClient := context.WithCancel(context.Background())
	m.alive, m.end = alive, []context.CancelFunc{endLoop, endWorkers, endClient}
	client, err := x.opts.connect(name, m.line.Dial, kgo.WithContext(life),
		kgo.ConsumerGroup(x.opts.Name), kgo.ConsumeTopics(x.opts.Name), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(time.Second),
		kgo.HeartbeatInterval(heartbeat), kgo.SessionTimeout(x.opts.SessionTimeout), kgo.RebalanceTimeout(20*time.Second),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsAssigned(m.onAssigned), kgo.OnPartitionsRevoked(m.onRevoked), kgo.OnPartitionsLost(m.onLost),
	)
	if err != nil {
		m.cancel()
		return nil, fmt.Errorf("starting consumer %s: %w", name, err)
	}
	m.client = client
	go m.loop(loop)
	return m, nil
}

func (m *member) loop(ctx context.Context) {
	defer close(m.looped)
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, commitPause)
		fetches := m.client.PollRecords(wait, 100)
		cancel()
		fetches.EachError(func(_ string, _ int32, err error) {
			if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) { // nothing came, or it ends
				m.fail(err)
			}
		})
		fetches.EachRecord(m.take)
		m.commit(nil)
		m.client.AllowRebalance()
	}
}

func (m *member) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problem = err
}

// failed is the last problem that Kafka told of, nil if it told of none.
func (m *member) failed() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.problem == nil {
		return nil
	}
	return fmt.Errorf("consumer %s: %w", m.name, m.problem)
}

// hopeless are problems that waiting does not solve.
var hopeless = []error{
	kerr.InvalidSessionTimeout, kerr.GroupAuthorizationFailed, kerr.TopicAuthorizationFailed, kerr.UnsupportedVersion,
}

// hopeless is the last problem if there is no sense in waiting any more, nil
// otherwise.
func (m *member) hopeless() error {
	err := m.failed()
	switch {
	case errors.Is(err, kerr.InvalidSessionTimeout):
		return fmt.Errorf("%w; the brokers want a --session-timeout between group.min.session.timeout.ms and group.max.session.timeout.ms", err)
	case slices.ContainsFunc(hopeless, func(h error) bool { return errors.Is(err, h) }):
		return err
	}
	return nil
}

// generation is the one that the member is in, −1 if in none.
func (m *member) generation() int32 {
	_, generation := m.client.GroupMetadata()
	return generation
}

func (m *member) onAssigned(_ context.Context, _ *kgo.Client, got map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range got[m.topic] {
		m.assigned[p] = &assigned{tenure: m.ledger.begin(m.name, p), highest: -1, lanes: map[string]*lane{}}
	}
}

// onRevoked commits for the last time what is done of the partitions that go.
func (m *member) onRevoked(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	if len(gone[m.topic]) > 0 {
		m.commit(gone[m.topic])
	}
	m.giveUp(gone[m.topic])
}

// onLost gives partitions up that may have another owner already.
func (m *member) onLost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	m.giveUp(gone[m.topic])
}

// giveUp ends what was assigned. From here on nothing is committed for it, and what
// its workers still finish is dropped.
func (m *member) giveUp(gone []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range gone {
		if a := m.assigned[p]; a != nil {
			a.ended = true
			a.track.Revoke()
			delete(m.assigned, p)
			m.ledger.end(a.tenure)
		}
	}
}
