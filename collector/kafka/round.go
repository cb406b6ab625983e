package kafka

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// round is one poll's scratch: what was sent, who answered, what went wrong.
type round struct {
	*Client
	started time.Time

	mu       sync.Mutex
	requests map[string]int
	answered map[int32]error // by broker: nil, or why it was silent
	problems map[problemKey]*snapshot.Problem
	complete map[int32]bool // by broker: it has listed all its groups
}

type problemKey struct {
	stage  snapshot.Stage
	reason snapshot.Reason
	broker snapshot.Maybe[int32]
	group  string
	topic  string
}

func newRound(c *Client) *round {
	return &round{
		Client:   c,
		started:  time.Now(),
		requests: map[string]int{},
		answered: map[int32]error{},
		problems: map[problemKey]*snapshot.Problem{},
		complete: map[int32]bool{},
	}
}

// after is the round of what is asked once this poll is over, on behalf of it: a
// broker that was silent is not asked. What it counts is the next poll's.
func (r *round) after() *round {
	next := newRound(r.Client)
	next.answered = r.answered
	return next
}

// takeOver counts what a round has counted.
func (r *round) takeOver(from *round) { r.requests, r.problems = from.requests, from.problems }

// ask sends req to n and counts it.
func (r *round) ask(ctx context.Context, n *wire.Node, req kmsg.Request) (*wire.Answer, error) {
	return n.Do(ctx, req, func(q kmsg.Request) {
		r.mu.Lock()
		r.requests[kmsg.NameForKey(q.Key())]++
		r.mu.Unlock()
	})
}

// askBroker sends req to a broker of the cluster. One that has failed to
// answer in this poll is not asked again: its error stands for the rest.
func (r *round) askBroker(ctx context.Context, id int32, req kmsg.Request) (*wire.Answer, error) {
	n, ok := r.brokers[id]
	if !ok {
		return nil, errUnknownBroker
	}
	if err := r.silence(id); err != nil {
		return nil, err
	}
	a, err := r.ask(ctx, n, req)
	if err != nil && over(ctx) {
		return a, err // which says nothing of the broker
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered[id] = err; wire.ReasonOf(err) == snapshot.ReasonUnsupported {
		r.answered[id] = nil // a broker that says so is not silent
	}
	return a, err
}

// over tells whether the time is over. A connection may notice before ctx does.
func over(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(end)
}

// askAside is askBroker for a request that a broker passes on to others, or that
// the poll can do without: that it fails or takes its time says nothing of the
// broker.
func (r *round) askAside(ctx context.Context, id int32, req kmsg.Request) (*wire.Answer, error) {
	n, ok := r.brokers[id]
	if !ok {
		return nil, errUnknownBroker
	}
	if err := r.silence(id); err != nil {
		return nil, err
	}
	return r.ask(ctx, n, req)
}

// speaks tells whether a broker is known to have an API.
func (r *round) speaks(id int32, api kmsg.Key) bool {
	n, ok := r.brokers[id]
	if !ok {
		return false
	}
	_, err := n.Highest(api)
	return err == nil
}

// silence returns why a broker is not asked again in this poll; nil if it may be.
func (r *round) silence(id int32) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered[id]
}

// listed notes whether a broker's listing was whole.
func (r *round) listed(id int32, whole bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complete[id] = whole
}

// listsAll tells whether a group that a broker did not list is none of its.
func (r *round) listsAll(id int32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.complete[id]
}

// problem notes why something is unknown. Problems of one kind about one thing
// become one, with a count.
func (r *round) problem(p snapshot.Problem, err error) {
	p.Reason, p.Count = wire.ReasonOf(err), max(p.Count, 1)
	k := problemKey{p.Stage, p.Reason, p.Broker, p.Group, p.Topic}
	r.mu.Lock()
	defer r.mu.Unlock()
	if seen, ok := r.problems[k]; ok {
		seen.Count += p.Count
		return
	}
	p.Detail = wire.Explain(err)
	r.problems[k] = &p
}

func (r *round) sortedProblems() []snapshot.Problem {
	list := make([]snapshot.Problem, 0, len(r.problems))
	for _, p := range r.problems {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b snapshot.Problem) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Reason, b.Reason),
			cmp.Compare(a.Broker.Or(-1), b.Broker.Or(-1)), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Topic, b.Topic))
	})
	return list
}

// onEachBroker runs f for every broker at the same time and waits for all.
func (r *round) onEachBroker(f func(id int32)) {
	var wg sync.WaitGroup
	for id := range r.brokers {
		wg.Go(func() { f(id) })
	}
	wg.Wait()
}

// snapshot builds the result from what the round has read. Nil groups mean
// that nothing was read at all.
func (r *round) snapshot(groups []snapshot.Group) *snapshot.Snapshot {
	s := &snapshot.Snapshot{
		Started:  r.started,
		Finished: time.Now(),
		Problems: r.sortedProblems(),
		Requests: maps.Clone(r.requests),
	}
	if groups == nil {
		return s
	}
	s.ClusterID, s.Groups, s.Topics = r.cluster.id, groups, r.cluster.snapshotTopics()
	for _, id := range slices.Sorted(maps.Keys(r.brokers)) {
		b := snapshot.Broker{ID: id, Addr: r.brokers[id].Addr(), Rack: r.cluster.racks[id]}
		if err, asked := r.answered[id]; asked {
			b.Answered = snapshot.Known(err == nil)
		}
		s.Brokers = append(s.Brokers, b)
	}
	return s
}
