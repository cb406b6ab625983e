package collector

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// rules are what a view is assembled by.
type rules struct {
	staleAfter time.Duration
	objective  func(group string) Objective
	publish    publish
	detail     func(group string) Detail
	maxSeries  int // 0 for no limit
	thresholds func(group string) *diagnosis.Thresholds
	expected   []string // groups, sorted
}

// first is the view before anything was polled.
func (r rules) first(cluster string, interval time.Duration) *View {
	return &View{
		Cluster:  cluster,
		Interval: interval,
		name:     page.NewLabels("kafka_cluster", cluster),
		families: r.publish.familiesOf("", false),
	}
}

// newGroup is a group that was just seen for the first time.
func (r rules) newGroup(cluster *page.Labels, id string) *Group {
	objective := r.objective(id)
	return &Group{
		ID:        id,
		Objective: objective,
		owes:      objective.labels(),
		labels:    cluster.With("group", id),
		owned:     nobody,
		following: &following{},
		shown:     shownOf(r.detail(id), r.publish.familiesOf(id, true)),
		reasons:   r.newReasons(id),
	}
}

// fresh tells what may still be shown at a moment.
func (r rules) fresh(now time.Time) freshness {
	return func(at snapshot.Instant) bool { return snapshot.InstantOf(now).Sub(at) <= r.staleAfter }
}

// assemble makes the next view from the one before and what a poll brought, but
// for what is estimated and what follows from that: an [estimator] adds the one,
// and limit the other. It is a pure function of its arguments, changes none of
// them, and reads no clock; the view has the histories of the one before and
// leaves them alone. A failed poll (err) renews nothing: what is known ages, and
// goes when it is too old.
func assemble(prev *View, s *snapshot.Snapshot, err error, now time.Time, r rules) *View {
	v := &View{
		Cluster:      prev.Cluster,
		Interval:     prev.Interval,
		name:         prev.labels(),
		families:     prev.families,
		Built:        now,
		Up:           err == nil,
		Problems:     s.Problems,
		PollDuration: s.Finished.Sub(s.Started),
		LastSuccess:  prev.LastSuccess,
		ClusterID:    prev.ClusterID,
		Counters:     count(prev.Counters, s, err),
	}
	fresh := r.fresh(now)
	if err != nil {
		v.Err = err.Error()
		v.keep(prev, fresh)
		v.deleted = prev.deleted
		return v
	}
	v.LastSuccess = s.Finished
	v.ClusterID = cmp.Or(s.ClusterID, prev.ClusterID)
	v.Brokers = brokers(s.Brokers)
	v.Topics, v.deleted = topics(prev, s, fresh)
	v.Groups = groups(prev, s, fresh, r)
	v.absent = r.absentees(prev, s, fresh)
	return v
}

// keep takes over what was known before and is not too old.
func (v *View) keep(prev *View, fresh freshness) {
	v.Brokers = silenced(prev.Brokers)
	v.Topics = agedTopics(prev.Topics, fresh)
	v.Groups = agedGroups(prev.Groups, fresh)
	v.Missing, v.absent = nil, stillAbsent(prev.absent, nil, fresh)
}

// old tells whether no poll has renewed the view for longer than values may be
// shown, as after the process itself was stopped for a while.
func (v *View) old(now time.Time, r rules) bool {
	return !v.Built.IsZero() && now.Sub(v.Built) > r.staleAfter
}

// at is the view as of a later moment. An old one is no view of anything up, and
// the same at whatever moment it is looked at.
func (v shownView) at(now time.Time, r rules) *View {
	if !v.old {
		return v.View
	}
	old := *v.View
	old.Up = false
	old.keep(v.View, r.fresh(now))
	old.limit(v.View, r.maxSeries)
	return &old
}

// count adds what a poll did to the counters before it.
func count(prev Counters, s *snapshot.Snapshot, err error) Counters {
	c := Counters{
		Polls:    cloneOrNew(prev.Polls),
		Problems: cloneOrNew(prev.Problems),
		Requests: cloneOrNew(prev.Requests),
	}
	switch {
	case err != nil:
		c.Polls[PollFailed]++
	case slices.ContainsFunc(s.Problems, func(p snapshot.Problem) bool { return !p.Optional }):
		c.Polls[PollPartial]++
	default:
		c.Polls[PollComplete]++
	}
	for _, p := range s.Problems {
		c.Problems[ProblemKind{p.Stage, p.Reason}]++
	}
	for api, n := range s.Requests {
		c.Requests[api] += uint64(n)
	}
	return c
}

func cloneOrNew[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

func brokers(list []snapshot.Broker) []Broker {
	out := make([]Broker, len(list))
	for i, b := range list {
		out[i] = Broker{ID: b.ID, Addr: b.Addr, Up: b.Answered.Or(false)}
	}
	return out
}

func silenced(list []Broker) []Broker {
	out := slices.Clone(list)
	for i := range out {
		out[i].Up = false
	}
	return out
}

// previous finds what an earlier view knew of a name; nil if nothing.
func previous[T any](list []T, name string, key func(*T) string) *T {
	if i := search(list, name, key); i >= 0 {
		return &list[i]
	}
	return nil
}

// search finds a name in a sorted list: -1 if it is not there.
func search[T any](list []T, name string, key func(*T) string) int {
	// By index: the elements are large, and BinarySearchFunc would copy each.
	i := sort.Search(len(list), func(i int) bool { return key(&list[i]) >= name })
	if i == len(list) || key(&list[i]) != name {
		return -1
	}
	return i
}

// step walks through a sorted list beside names that are asked for in order.
type step[T any] struct {
	list []T
	key  func(*T) string
}

// at finds a name, which must not be below those asked for before.
func (s *step[T]) at(name string) *T {
	for len(s.list) > 0 && s.key(&s.list[0]) < name {
		s.list = s.list[1:]
	}
	if len(s.list) == 0 || s.key(&s.list[0]) != name {
		return nil
	}
	return &s.list[0]
}

func topicName(t *Topic) string           { return t.Name }
func groupID(g *Group) string             { return g.ID }
func groupTopicName(t *GroupTopic) string { return t.Topic }
