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

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

var (
	errUnknownBroker = fmt.Errorf("%w: the broker is not in the cluster's metadata", wire.ErrUnavailable)
	errNoBrokers     = fmt.Errorf("%w: metadata without brokers, as from one that is starting", wire.ErrUnavailable)
)

// readMetadata asks for all topics and brokers, anyone who may know: the
// broker that answered last, other brokers, the bootstrap addresses.
func (r *round) readMetadata(ctx context.Context) error {
	req := func() *kmsg.MetadataRequest {
		q := wire.NewMetadataRequest()
		q.Topics = nil // all of them
		return q
	}
	a, n, err := r.firstMetadata(ctx, r.metadataSources(nil), req)
	if err != nil {
		return fmt.Errorf("no broker tells what the cluster consists of: %w", err)
	}
	r.lastGot = n
	m := a.Body.(*kmsg.MetadataResponse)
	r.updateBrokers(m)
	r.cluster.update(m)
	r.unlisted(m)
	return nil
}

// groupsTopic is where Kafka keeps groups: the leader of a partition of it coordinates,
// and lists, those that are kept there.
const groupsTopic = "__consumer_offsets"

// unlisted notes that no broker lists the groups of partitions without a leader: all
// listings are whole then, and yet not all groups are in them.
func (r *round) unlisted(m *kmsg.MetadataResponse) {
	n := 0
	for i := range m.Topics {
		if t := &m.Topics[i]; t.Topic != nil && *t.Topic == groupsTopic {
			for _, p := range t.Partitions {
				if p.Leader < 0 || p.ErrorCode == wire.CodeLeaderNotAvailable {
					n++
				}
			}
		}
	}
	if n > 0 {
		r.problem(snapshot.Problem{Stage: snapshot.StageListGroups, Topic: groupsTopic, Count: n},
			fmt.Errorf("partitions of %s have no leader, and no broker lists the groups that are kept there: %w",
				groupsTopic, wire.CodeError(wire.CodeLeaderNotAvailable)))
	}
}

// metadataSources lists who can be asked, the likeliest to answer first;
// not, if given, comes last, also where another node has its address.
func (r *round) metadataSources(not *wire.Node) []*wire.Node {
	var list []*wire.Node
	add := func(n *wire.Node) {
		if n == nil || not != nil && n.Addr() == not.Addr() || slices.Contains(list, n) {
			return
		}
		list = append(list, n)
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
func (r *round) firstMetadata(ctx context.Context, sources []*wire.Node, req func() *kmsg.MetadataRequest) (*wire.Answer, *wire.Node, error) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()

	type result struct {
		a   *wire.Answer
		n   *wire.Node
		err error
	}
	results := make(chan result, len(sources))
	start := func(n *wire.Node) {
		wg.Go(func() {
			a, err := r.askMetadata(ctx, n, req())
			results <- result{a, n, err}
		})
	}
	next := time.NewTicker(max(r.opts.RequestTimeout/4, time.Millisecond))
	defer next.Stop()
	// Sources that fail are a problem only where no other answers.
	var failed []result
	note := func() {
		noted := map[string]bool{} // a broker and a bootstrap address may be one
		for _, f := range failed {
			if f.n != nil {
				k := f.n.Addr() + " " + wire.ReasonOf(f.err).String()
				if noted[k] {
					continue
				}
				noted[k] = true
			}
			r.problem(snapshot.Problem{Stage: snapshot.StageMetadata, Broker: r.idOf(f.n)}, f.err)
		}
	}
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
			failed = append(failed, got)
		case <-next.C:
			if started < len(sources) {
				start(sources[started])
				started++
			}
		case <-ctx.Done():
			failed = append(failed, result{err: context.Cause(ctx)})
			note()
			return nil, nil, append(errs, context.Cause(ctx))
		}
	}
	note()
	return nil, nil, errs
}

func (r *round) askMetadata(ctx context.Context, n *wire.Node, req *kmsg.MetadataRequest) (*wire.Answer, error) {
	a, err := r.ask(ctx, n, req)
	if err != nil {
		return nil, err
	}
	m := a.Body.(*kmsg.MetadataResponse)
	if err := wire.CodeError(m.ErrorCode); err != nil {
		return nil, fmt.Errorf("%s: %w", n.Addr(), err)
	}
	if len(m.Brokers) == 0 {
		return nil, fmt.Errorf("%s: %w", n.Addr(), errNoBrokers)
	}
	if err := n.Foreign(m); err != nil {
		return nil, err
	}
	return a, nil
}

func (r *round) idOf(n *wire.Node) snapshot.Maybe[int32] {
	for id, b := range r.brokers {
		if b == n {
			return snapshot.Known(id)
		}
	}
	return snapshot.Maybe[int32]{}
}

// updateBrokers follows the cluster: new brokers, new addresses, brokers gone.
func (r *round) updateBrokers(m *kmsg.MetadataResponse) {
	seen, cluster := map[int32]bool{}, r.cluster.id
	if m.ClusterID != nil {
		cluster = *m.ClusterID
	}
	for _, b := range m.Brokers {
		addr := net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
		seen[b.NodeID] = true
		if old, ok := r.brokers[b.NodeID]; !ok || old.Addr() != addr || old.Cluster() != cluster {
			if ok {
				old.Drop()
			}
			r.brokers[b.NodeID] = r.nodes.At(addr, cluster)
		}
	}
	for id, n := range r.brokers {
		if !seen[id] {
			n.Drop()
			delete(r.brokers, id)
		}
	}
	if !r.idOf(r.lastGot).Known() && !slices.Contains(r.seeds, r.lastGot) {
		r.lastGot = nil // it has left: asked again, it would outlive Close
	}
}

// lookForTopics takes the second look at topics that the all-topics answer
// lacks although they were there before, or a commit or a member names them:
// an answer to all topics leaves out what the ACLs hide, and may be short in
// other ways. Asked by name, Kafka says which it is. So for topics that lack a
// partition which a commit or a member names: it may have been added since.
func (r *round) lookForTopics(ctx context.Context, groups []snapshot.Group) {
	named := r.topicsNamed(groups, func(*snapshot.Group) bool { return true })
	missing := append(r.cluster.missing(named, r.started), r.cluster.short(named, r.started)...)
	if len(missing) > 0 {
		r.cluster.expect(missing)
		r.askByName(ctx, missing)
	}
	stable := r.topicsNamed(groups, func(g *snapshot.Group) bool { return g.ReadCommitted })
	r.cluster.want(named, stable, allRead(groups))
	for name, t := range r.cluster.topics {
		if _, used := named[name]; t.refused != 0 && (used || !t.Internal) {
			r.problem(snapshot.Problem{Stage: snapshot.StageMetadata, Topic: name}, wire.CodeError(t.refused))
		}
	}
}

// askByName asks another broker than the one that left the topics out. Where
// nobody answers, which is noted, they stay as they were, unread.
func (r *round) askByName(ctx context.Context, names []string) {
	req := func() *kmsg.MetadataRequest {
		q := wire.NewMetadataRequest()
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
	topics, told := a.Body.(*kmsg.MetadataResponse).Topics, map[string]bool{}
	for i := range topics {
		if topics[i].Topic != nil {
			told[*topics[i].Topic] = true
			r.cluster.secondLook(&topics[i], r.started.Add(r.opts.StartOffsetInterval))
		}
	}
	for _, name := range names {
		if !told[name] {
			r.problem(snapshot.Problem{Stage: snapshot.StageMetadata, Topic: name}, errIncomplete)
		}
	}
}

// allRead tells whether no group may name topics that are not known.
func allRead(groups []snapshot.Group) bool {
	for i := range groups {
		if g := &groups[i]; !g.Commits.Known() && !g.Shares.Known() {
			return false
		}
	}
	return true
}

// highestOf returns the last of a sorted list, −1 for none.
func highestOf(partitions []int32) int32 {
	if len(partitions) == 0 {
		return -1
	}
	return partitions[len(partitions)-1]
}

// topicsNamed returns the topics that some groups have positions on, are
// assigned or subscribe to, with the highest partition that is named, −1 for
// none.
func (r *round) topicsNamed(groups []snapshot.Group, of func(*snapshot.Group) bool) map[string]int32 {
	named := map[string]int32{}
	add := func(topic string, partition int32) {
		if highest, ok := named[topic]; (!ok || partition > highest) && r.opts.KeepTopic(topic) {
			named[topic] = partition
		}
	}
	for i := range groups {
		if !of(&groups[i]) {
			continue
		}
		c, _ := groups[i].Commits.Get()
		for _, t := range c.Topics {
			add(t.Topic, t.Partitions[len(t.Partitions)-1].Partition)
		}
		s, _ := groups[i].Shares.Get()
		for _, t := range s.Topics {
			add(t.Topic, t.Partitions[len(t.Partitions)-1].Partition)
		}
		m, _ := groups[i].Members.Get()
		namedByMembers(m.List, add)
	}
	return named
}

// namedByMembers calls add for what members subscribe to and are assigned. They
// mostly have the same topics, so that few calls are needed.
func namedByMembers(list []snapshot.Member, add func(topic string, partition int32)) {
	var first []snapshot.TopicPartitions
	var highest []int32 // of the same topic of all members
	for i := range list {
		m := &list[i]
		if i == 0 || !slices.Equal(m.Subscribed, list[i-1].Subscribed) {
			for _, t := range m.Subscribed {
				add(t, -1)
			}
		}
		if first == nil {
			first, highest = m.Assignment, slices.Repeat([]int32{-1}, len(m.Assignment))
		}
		for j, t := range m.Assignment {
			if j < len(first) && first[j].Topic == t.Topic {
				highest[j] = max(highest[j], highestOf(t.Partitions))
			} else {
				add(t.Topic, highestOf(t.Partitions))
			}
		}
	}
	for j, t := range first {
		add(t.Topic, highest[j])
	}
}
