package collector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// rules are what a view is assembled by.
type rules struct {
	staleAfter time.Duration
	objective  func(group string) time.Duration
}

// fresh tells what may still be shown at a moment.
func (r rules) fresh(now time.Time) freshness {
	return func(at time.Time) bool { return now.Sub(at) <= r.staleAfter }
}

// assemble makes the next view from the one before and what a poll brought. It
// is a pure function of its arguments, changes none of them, and reads no
// clock. A failed poll (err) renews nothing: what is known ages, and goes when
// it is too old.
func assemble(prev *View, s *snapshot.Snapshot, err error, now time.Time, r rules) *View {
	v := &View{
		Cluster:      prev.Cluster,
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
	v.Topics, v.deleted = topics(prev.Topics, prev.deleted, s, fresh)
	v.Groups = groups(prev.Groups, s, fresh, r.objective)
	return v
}

// keep takes over what was known before and is not too old.
func (v *View) keep(prev *View, fresh freshness) {
	v.Brokers = silenced(prev.Brokers)
	v.Topics = agedTopics(prev.Topics, fresh)
	v.Groups = agedGroups(prev.Groups, fresh)
}

// at is the view as of a later moment. One that no poll has renewed for longer
// than values may be shown, as after the process itself was stopped for a
// while, is no view of anything up.
func (v *View) at(now time.Time, r rules) *View {
	if v.Built.IsZero() || now.Sub(v.Built) <= r.staleAfter {
		return v
	}
	old := *v
	old.Up = false
	old.keep(v, r.fresh(now))
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
	case len(s.Problems) > 0:
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
	i, ok := slices.BinarySearchFunc(list, name, func(t T, n string) int { return cmp.Compare(key(&t), n) })
	if !ok {
		return nil
	}
	return &list[i]
}

func topicName(t *Topic) string           { return t.Name }
func groupID(g *Group) string             { return g.ID }
func groupTopicName(t *GroupTopic) string { return t.Topic }
