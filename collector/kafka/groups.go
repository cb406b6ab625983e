package kafka

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// reading is what one coordinator said of one group.
type reading struct {
	snapshot.Group
	listed bool // a listing names it
	// untyped says that the listing has no types; it is classic, as far as
	// that goes.
	untyped bool
	gone    bool  // its coordinator says that it does not exist
	moved   bool  // the broker says that it no longer coordinates it
	loads   int16 // the code with which the broker says that it is still loading it
	// refused says that lagwatch's user may not describe it. Brokers look at
	// that first, so that all of them say so, and none says whose it is.
	refused bool
}

var errNoCoordinator = fmt.Errorf("%w: no broker that answers says that it coordinates the group", wire.ErrUnavailable)

// readings collects what all coordinators say.
type readings struct {
	mu   sync.Mutex
	byID map[string]*reading
}

// add keeps the better reading where a group is listed twice, as in the moment
// in which its coordinator moves: the whole one, then the one with more in it.
func (rs *readings) add(list []*reading) {
	rank := func(g *reading) int {
		n := 0
		for _, has := range []bool{g.Members.Known(), g.Commits.Known() || g.Shares.Known(), g.listed, !g.gone} {
			if n <<= 1; has {
				n++
			}
		}
		return n
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, g := range list {
		old, ok := rs.byID[g.ID]
		listed := g.listed || ok && old.listed
		if !ok || rank(g) > rank(old) || rank(g) == rank(old) && g.Coordinator.Or(-1) < old.Coordinator.Or(-1) {
			rs.byID[g.ID] = g
		}
		rs.byID[g.ID].listed = listed
	}
}

// leaveTime leaves some of ctx's time to the end offsets, which come after the
// groups: one slow coordinator must not cost those of all brokers.
func (r *round) leaveTime(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	rest := min(r.opts.RequestTimeout, time.Until(end)/3)
	return context.WithDeadlineCause(ctx, end.Add(-rest), wire.ErrTimeout)
}

// readGroups lists the groups at every broker, which is their coordinator if
// it lists them, describes them there and reads their commits. Then it takes a
// second look at those that were known and are listed nowhere, or whose
// coordinator has just moved. The result is sorted and has each group once.
func (r *round) readGroups(ctx context.Context) []snapshot.Group {
	ctx, cancel := r.leaveTime(ctx)
	defer cancel()
	rs := &readings{byID: map[string]*reading{}}
	r.onEachBroker(func(id int32) {
		if list, ok := r.listGroups(ctx, id); ok {
			rs.add(r.readListed(ctx, id, list))
		}
	})
	if suspects := r.suspects(rs); len(suspects) > 0 && ctx.Err() == nil {
		r.onEachBroker(func(id int32) {
			if r.silence(id) == nil {
				rs.add(r.secondLook(ctx, id, clonesOf(suspects)))
			}
		})
	}
	return r.settle(rs)
}

// nobodyListed is an error when no broker has listed its groups: what a
// bootstrap address says of a cluster of which nothing can be reached, as with
// advertised listeners for another network, is no view of it.
func (r *round) nobodyListed() error {
	if len(r.complete) > 0 {
		return nil
	}
	var errs lineErrors
	for _, id := range slices.Sorted(maps.Keys(r.answered)) {
		errs = append(errs, r.answered[id])
	}
	return fmt.Errorf("metadata names %d brokers and none of them answers at the address that it advertises: %w", len(r.brokers), errs)
}

// listGroups lists the groups that a broker coordinates.
func (r *round) listGroups(ctx context.Context, id int32) ([]*reading, bool) {
	at := snapshot.Problem{Stage: snapshot.StageListGroups, Broker: snapshot.Known(id)}
	a, err := r.askBroker(ctx, id, kmsg.NewPtrListGroupsRequest())
	if err != nil {
		r.problem(at, err)
		return nil, false
	}
	resp := a.Body.(*kmsg.ListGroupsResponse)
	if err := wire.CodeError(resp.ErrorCode); err != nil {
		r.problem(at, err) // what it lists all the same is true
	}
	r.listed(id, resp.ErrorCode == 0)
	list := make([]*reading, 0, len(resp.Groups))
	for _, g := range resp.Groups {
		if !r.opts.KeepGroup(g.Group) {
			continue
		}
		list = append(list, &reading{listed: true, untyped: resp.Version < 5, Group: snapshot.Group{
			ID:           g.Group,
			Type:         listedType(resp.Version, g.GroupType),
			ProtocolType: g.ProtocolType,
			State:        snapshot.ParseGroupState(g.GroupState),
		}})
	}
	return list, true
}

// listedType reads the type of a listing. Before version 5 it has none: classic,
// which mistyped corrects for the brokers of Kafka 3.7.
func listedType(version int16, s string) snapshot.GroupType {
	if version < 5 {
		return snapshot.TypeClassic
	}
	return snapshot.ParseGroupType(s)
}

// readListed describes groups, each by the request of its type, and reads
// their positions, at one broker.
func (r *round) readListed(ctx context.Context, id int32, list []*reading) []*reading {
	for _, g := range list {
		g.Coordinator = snapshot.Known(id)
	}
	for kind := snapshot.TypeClassic; kind <= snapshot.TypeStreams; kind++ {
		r.describe(ctx, id, ofType(list, kind), describers[kind])
	}
	r.describe(ctx, id, r.mistyped(id, list), (*round).describeConsumer)
	here := slices.DeleteFunc(slices.Clone(list), func(g *reading) bool { return g.gone || g.moved })
	sharing := ofType(here, snapshot.TypeShare)
	r.fetchCommits(ctx, id, slices.DeleteFunc(here, func(g *reading) bool { return g.Type == snapshot.TypeShare }))
	r.fetchShares(ctx, id, sharing)
	return list
}

// secondLook asks a broker about groups that it may or may not coordinate, and
// returns what it has authority over: those it has, and those it says there
// are none of. The brokers that coordinate none of them refuse.
func (r *round) secondLook(ctx context.Context, id int32, list []*reading) []*reading {
	// Asked about a group of another type than its own, a coordinator says
	// that it has no such group; where the type is not known, that it is gone
	// follows only where the coordinator lists all that it has.
	untyped := ofType(list, snapshot.TypeUnknown)
	if r.listsAll(id) {
		r.describe(ctx, id, untyped, (*round).describeClassic)
	}
	r.readListed(ctx, id, slices.DeleteFunc(slices.Clone(list), func(g *reading) bool { return g.Type == snapshot.TypeUnknown }))
	return slices.DeleteFunc(list, func(g *reading) bool {
		return !g.gone && !g.refused && !g.Members.Known() && !g.Commits.Known() && !g.Shares.Known()
	})
}

// mistyped returns, as consumer groups, those of which the listing of a broker
// told no type, and that are no classic groups: Kafka 3.7 has groups of the
// consumer protocol, and a listing without types.
func (r *round) mistyped(id int32, list []*reading) []*reading {
	var of []*reading
	for _, g := range list {
		if g.untyped && g.gone && r.speaks(id, kmsg.ConsumerGroupDescribe) {
			g.gone, g.Type = false, snapshot.TypeConsumer
			of = append(of, g)
		}
	}
	return of
}

func ofType(list []*reading, kind snapshot.GroupType) []*reading {
	var of []*reading
	for _, g := range list {
		if g.Type == kind {
			of = append(of, g)
		}
	}
	return of
}

// refuse sorts an error code that came with one group. It tells whether there
// was one: the values beside it then mean nothing.
func (r *round) refuse(stage snapshot.Stage, g *reading, code int16) bool {
	switch code {
	case 0:
		return false
	case wire.CodeGroupIDNotFound:
		g.gone = true
	case wire.CodeNotCoordinator:
		g.moved = true
	case wire.CodeCoordinatorLoading, wire.CodeCoordinatorMissing:
		g.loads = code // noted when the second look is over
	case wire.CodeGroupUnauthorized:
		g.refused = true // likewise
	case wire.CodeTopicUnauthorized: // of a description: a member has a topic that lagwatch may not see
		r.problem(snapshot.Problem{Stage: stage, Broker: g.Coordinator, Group: g.ID}, wire.Refuse(snapshot.ReasonUnauthorized,
			"grant DESCRIBE on every topic that the group reads to lagwatch's user", wire.CodeError(code)))
	default:
		r.problem(snapshot.Problem{Stage: stage, Broker: g.Coordinator, Group: g.ID}, wire.CodeError(code))
	}
	return true
}

// suspects are groups to ask every broker about: known from the last poll and
// listed nowhere, or listed by a broker that then said it is not, or no longer,
// their coordinator, knows no such group, or is still loading it. Those that
// all brokers refused to describe are asked about now and then only.
func (r *round) suspects(rs *readings) []*reading {
	var list []*reading
	for id, k := range r.groups {
		if _, ok := rs.byID[id]; !ok && !k.refused(r.started) {
			list = append(list, k.reading(id))
		}
	}
	for _, g := range rs.byID {
		if g.moved || g.gone || g.loads != 0 {
			list = append(list, g)
		}
	}
	return list
}

func clonesOf(list []*reading) []*reading {
	clones := make([]*reading, len(list))
	for i, g := range list {
		clones[i] = knownGroup{kind: g.Type, protocolType: g.ProtocolType}.reading(g.ID)
	}
	return clones
}

// settle decides what each group's reading comes to, and remembers the groups
// for the next poll. Only a group that no broker lists and whose coordinator
// says that it does not exist is left out.
func (r *round) settle(rs *readings) []snapshot.Group {
	for id, k := range r.groups { // nobody who can be reached knows it
		if _, ok := rs.byID[id]; !ok {
			g := k.reading(id)
			g.refused = k.refused(r.started)
			g.moved = !g.refused
			rs.byID[id] = g
		}
	}
	maps.DeleteFunc(rs.byID, func(_ string, g *reading) bool { return g.gone && !g.listed })
	groups := make([]snapshot.Group, 0, len(rs.byID))
	before := r.groups
	r.groups = make(map[string]knownGroup, len(rs.byID))
	for id, g := range rs.byID {
		g.ReadCommitted = r.opts.ReadCommitted(id)
		r.noteHeld(g)
		k := knownGroup{kind: g.Type, protocolType: g.ProtocolType}
		if g.refused && !g.listed {
			if k.recheck = before[id].recheck; !before[id].refused(r.started) {
				k.recheck = r.started.Add(r.opts.StartOffsetInterval)
			}
		}
		r.groups[id] = k
		groups = append(groups, g.Group)
	}
	r.decoded.forget(func(id string) bool { return rs.byID[id] != nil })
	maps.DeleteFunc(r.slow, func(id string, _ bool) bool { return rs.byID[id] == nil })
	slices.SortFunc(groups, func(a, b snapshot.Group) int { return cmp.Compare(a.ID, b.ID) })
	return groups
}

// noteHeld notes, once for the group, what kept it from being read.
func (r *round) noteHeld(g *reading) {
	if g.moved || g.gone || g.refused && !g.listed {
		g.Coordinator = snapshot.Maybe[int32]{}
	}
	at := snapshot.Problem{Stage: snapshot.StageDescribeGroups, Broker: g.Coordinator, Group: g.ID}
	if g.Members.Known() {
		at.Stage = snapshot.StageFetchOffsets
	}
	switch {
	case g.moved, g.gone:
		at.Stage = snapshot.StageDescribeGroups
		r.problem(at, errNoCoordinator)
	case g.refused:
		r.problem(at, wire.CodeError(wire.CodeGroupUnauthorized))
	}
	if g.loads != 0 {
		r.problem(at, wire.CodeError(g.loads))
	}
}
