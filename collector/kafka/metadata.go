package kafka

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

var (
	errUnknownBroker = fmt.Errorf("%w: the broker is not in the cluster's metadata", errUnavailable)
	errNoBrokers     = fmt.Errorf("%w: metadata without brokers, as from one that is starting", errUnavailable)
)

// readMetadata asks for all topics and brokers, anyone who may know: the
// broker that answered last, other brokers, the bootstrap addresses.
func (r *round) readMetadata(ctx context.Context) error {
	req := func() *kmsg.MetadataRequest {
		q := newMetadataRequest()
		q.Topics = nil // all of them
		return q
	}
	a, n, err := r.firstMetadata(ctx, r.metadataSources(nil), req)
	if err != nil {
		return fmt.Errorf("no broker tells what the cluster consists of: %w", err)
	}
	r.lastGot = n
	m := a.body.(*kmsg.MetadataResponse)
	r.updateBrokers(m)
	r.cluster.update(m)
	return nil
}

func newMetadataRequest() *kmsg.MetadataRequest {
	q := kmsg.NewPtrMetadataRequest()
	q.AllowAutoTopicCreation = false
	return q
}

// metadataSources lists who can be asked, the likeliest to answer first;
// not, if given, comes last.
func (r *round) metadataSources(not *node) []*node {
	var list []*node
	add := func(n *node) {
		if n != nil && n != not && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	add(r.lastGot)
	for _, n := range r.brokers {
		add(n)
	}
	for _, n := range r.seeds {
		add(n)
	}
	if not != nil {
		list = append(list, not)
	}
	return list
}

// firstMetadata asks the sources one after the other until one answers; a
// source that takes its time is not waited for before the next is asked too.
func (r *round) firstMetadata(ctx context.Context, sources []*node, req func() *kmsg.MetadataRequest) (*answer, *node, error) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()

	type result struct {
		a   *answer
		n   *node
		err error
	}
	results := make(chan result, len(sources))
	start := func(n *node) {
		wg.Go(func() {
			a, err := r.askMetadata(ctx, n, req())
			results <- result{a, n, err}
		})
	}
	next := time.NewTicker(max(r.opts.RequestTimeout/4, time.Millisecond))
	defer next.Stop()
	var errs lineErrors
	for started := 0; len(errs) < len(sources); {
		if started == len(errs) { // nobody is being asked
			start(sources[started])
			started++
			next.Reset(max(r.opts.RequestTimeout/4, time.Millisecond))
		}
		select {
		case got := <-results:
			if got.err == nil {
				return got.a, got.n, nil
			}
			errs = append(errs, got.err)
			r.problem(snapshot.Problem{Stage: snapshot.StageMetadata, Broker: r.idOf(got.n)}, got.err)
		case <-next.C:
			if started < len(sources) {
				start(sources[started])
				started++
			}
		case <-ctx.Done():
			return nil, nil, lineErrors(append(errs, context.Cause(ctx)))
		}
	}
	return nil, nil, lineErrors(errs)
}

func (r *round) askMetadata(ctx context.Context, n *node, req *kmsg.MetadataRequest) (*answer, error) {
	a, err := r.ask(ctx, n, req)
	if err != nil {
		return nil, err
	}
	m := a.body.(*kmsg.MetadataResponse)
	if err := codeError(m.ErrorCode); err != nil {
		return nil, fmt.Errorf("%s: %w", n.addr, err)
	}
	if len(m.Brokers) == 0 {
		return nil, fmt.Errorf("%s: %w", n.addr, errNoBrokers)
	}
	if id := m.ClusterID; id != nil && r.cluster.id != "" && *id != r.cluster.id && !slices.Contains(r.seeds, n) {
		return nil, fmt.Errorf("%s: %w: the address now belongs to another cluster, %q", n.addr, errUnavailable, *id)
	}
	return a, nil
}

func (r *round) idOf(n *node) snapshot.Maybe[int32] {
	for id, b := range r.brokers {
		if b == n {
			return snapshot.Known(id)
		}
	}
	return snapshot.Maybe[int32]{}
}

// updateBrokers follows the cluster: new brokers, new addresses, brokers gone.
func (r *round) updateBrokers(m *kmsg.MetadataResponse) {
	seen := map[int32]bool{}
	for _, b := range m.Brokers {
		addr := net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
		seen[b.NodeID] = true
		if old, ok := r.brokers[b.NodeID]; !ok || old.addr != addr {
			if ok {
				old.drop()
			}
			r.brokers[b.NodeID] = newNode(addr, &r.opts, &r.ids)
		}
	}
	for id, n := range r.brokers {
		if !seen[id] {
			n.drop()
			delete(r.brokers, id)
		}
	}
}

// lookForTopics takes the second look at topics that the all-topics answer
// lacks although they were there before, or a commit or a member names them:
// an answer to all topics leaves out what the ACLs hide, and may be short in
// other ways. Asked by name, Kafka says which it is.
func (r *round) lookForTopics(ctx context.Context, groups []snapshot.Group) {
	named := topicsNamed(groups)
	if missing := r.cluster.missing(named, r.started); len(missing) > 0 {
		r.askByName(ctx, missing)
	}
	r.cluster.want(named)
	for name, t := range r.cluster.topics {
		if t.refused != 0 {
			r.problem(snapshot.Problem{Stage: snapshot.StageMetadata, Topic: name}, codeError(t.refused))
		}
	}
}

// askByName asks another broker than the one that left the topics out. Where
// nobody answers, which is noted, they stay as they were, unread.
func (r *round) askByName(ctx context.Context, names []string) {
	req := func() *kmsg.MetadataRequest {
		q := newMetadataRequest()
		for _, name := range names {
			t := kmsg.NewMetadataRequestTopic()
			t.Topic = kmsg.StringPtr(name)
			q.Topics = append(q.Topics, t)
		}
		return q
	}
	a, _, err := r.firstMetadata(ctx, r.metadataSources(r.lastGot), req)
	if err != nil {
		return
	}
	topics := a.body.(*kmsg.MetadataResponse).Topics
	for i := range topics {
		if topics[i].Topic != nil {
			r.cluster.secondLook(&topics[i], r.started.Add(r.opts.StartOffsetInterval))
		}
	}
}

// topicsNamed returns the topics that groups commit on, are assigned or
// subscribe to.
func topicsNamed(groups []snapshot.Group) map[string]bool {
	named := map[string]bool{}
	for i := range groups {
		if c, ok := groups[i].Commits.Get(); ok {
			for _, t := range c.Topics {
				named[t.Topic] = true
			}
		}
		m, _ := groups[i].Members.Get()
		for _, member := range m.List {
			for _, t := range member.Subscribed {
				named[t] = true
			}
			for _, t := range member.Assignment {
				named[t.Topic] = true
			}
		}
	}
	return named
}
