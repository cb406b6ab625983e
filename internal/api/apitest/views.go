// Package apitest has views that stand still, with something of everything that the API
// tells. It is for tests.
package apitest

import (
	"context"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// Now is the moment that the views are of, but for a second.
var Now = time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC)

// built is when the views were made.
var built = Now.Add(-time.Second)

// Fixed is a source of a view that is always the same.
type Fixed struct{ View *collector.View }

// Current returns it.
func (f Fixed) Current() *collector.View { return f.View }

// Views are those of three clusters: one with all kinds of groups, one that has a group
// and a topic of the same name and could not be read of late, and one that never was.
func Views() []Fixed {
	return []Fixed{{Main()}, {other()}, {unread()}}
}

// Main is the view with all kinds of groups.
func Main() *collector.View {
	v := polled("main", &snapshot.Snapshot{
		ClusterID: "kraft-1", Started: built.Add(-40 * time.Millisecond), Finished: built,
		Brokers: []snapshot.Broker{{ID: 1, Addr: "kafka1:9092", Answered: snapshot.Known(true)}, {ID: 2, Addr: "kafka2:9092"}},
		Topics:  []snapshot.Topic{logs("Orders/EU", 100), logs("audit", 12000, 9000), logs("orders", 5000, 5000, 9000, 5000)},
		Groups: slices.Concat([]snapshot.Group{
			{ID: "", Type: snapshot.TypeClassic, State: snapshot.StateEmpty, Members: members(), Commits: commits("audit", 12000, 9000)},
			{ID: "a/b c%2Fd", Type: snapshot.TypeClassic, State: snapshot.StateEmpty, Members: members(), Commits: commits("Orders/EU", 100)},
			{ID: "audit-tail", Type: snapshot.TypeConsumer, State: snapshot.StateReconciling, Generation: snapshot.Known(int32(12)),
				Members: members(member("audit-1", "audit", []int32{0}), member("audit-2", "audit")), Commits: snapshot.Known(snapshot.Commits{At: built})},
			{ID: "bad\xffbyte", Type: snapshot.TypeClassic, State: snapshot.StateEmpty, Members: members(), Commits: commits("audit", 11000)},
			orderFulfilment(),
			{ID: "refunds", Type: snapshot.TypeShare, State: snapshot.StateStable, Members: members(member("r-1", "audit", []int32{0, 1}), member("r-2", "audit", []int32{0})),
				Shares: snapshot.Known(snapshot.Shares{At: built, Topics: []snapshot.TopicShares{{Topic: "audit", Partitions: []snapshot.Share{
					{Partition: 0, Start: snapshot.Known(int64(11900)), Lag: snapshot.Known(int64(80))},
					{Partition: 1, Start: snapshot.Known(int64(9000)), Lag: snapshot.Known(int64(0))},
				}}}})},
			{ID: "shared", Type: snapshot.TypeClassic, State: snapshot.StateEmpty, Members: members(), Commits: commits("orders", 4000, 5001, 9000, 3, 7)},
			{ID: "unread-in-part", Type: snapshot.TypeClassic, State: snapshot.StateEmpty, Members: members(), Commits: snapshot.Known(snapshot.Commits{
				At: built, Topics: []snapshot.TopicCommits{{Topic: "audit", Partitions: []snapshot.Commit{{Partition: 0}, {Partition: 1, Offset: snapshot.Known(int64(9000))}}}},
			})},
			{ID: "unreadable"},
		}),
		Problems: []snapshot.Problem{
			{Stage: snapshot.StageDescribeGroups, Reason: snapshot.ReasonTimeout, Broker: snapshot.Known(int32(2)), Group: "unreadable", Count: 1,
				Detail: "describing groups on broker 2: no answer within 2.5 s; is it overloaded?"},
			{Stage: snapshot.StageDescribeConfigs, Reason: snapshot.ReasonUnauthorized, Topic: "audit", Count: 1, Optional: true, Detail: "allow DESCRIBE_CONFIGS"},
		},
	})
	fill(v)
	return v
}

func orderFulfilment() snapshot.Group {
	static := member("order-worker-1-6f7c", "orders", []int32{0, 1})
	static.InstanceID = "order-worker-1"
	return snapshot.Group{
		ID: "order-fulfilment", Type: snapshot.TypeClassic, ProtocolType: "consumer", Assignor: "range", State: snapshot.StateStable,
		Coordinator: snapshot.Known(int32(1)), Generation: snapshot.Known(int32(7)), ReadCommitted: true,
		Members: members(static, member("order-worker-2-81aa", "orders", []int32{2, 3}), member("order-worker-3-d01b", "orders")),
		Commits: commits("orders", 4990, 5000, 1200, 4980),
	}
}

func other() *collector.View {
	v := polled("west", &snapshot.Snapshot{
		ClusterID: "kraft-2", Started: built.Add(-40 * time.Millisecond), Finished: built,
		Topics: []snapshot.Topic{logs("audit", 5)},
		Groups: []snapshot.Group{{ID: "shared", Type: snapshot.TypeConsumer, State: snapshot.StateEmpty, Members: members(), Commits: commits("audit", 5)}},
	})
	v.Up, v.Err = false, "reading metadata: kafka3:9092: connection refused; is Kafka running there?"
	return v
}

// unread is a view before the first poll.
func unread() *collector.View {
	return collector.New(pollFunc(nil), collector.Options{Cluster: "east", Interval: 10 * time.Second}).View()
}

type pollFunc func() *snapshot.Snapshot

// Poll implements [collector.Poller].
func (f pollFunc) Poll(context.Context) (*snapshot.Snapshot, error) { return f(), nil }

// polled is the view after one poll, as of another time.
func polled(cluster string, s *snapshot.Snapshot) *collector.View {
	w := collector.New(pollFunc(func() *snapshot.Snapshot { return s }), collector.Options{
		Objective: func(string) collector.Objective {
			o := collector.DefaultObjective()
			o.Team = "orders"
			return o
		},
		Cluster: cluster, Interval: 10 * time.Second, StaleAfter: 1_000_000 * time.Hour, // the poll is as of a time that is long ago, or to come
	})
	w.Poll(context.Background())
	v := *w.View()
	v.Built = built
	v.Groups = slices.Clone(v.Groups)
	for i := range v.Groups {
		v.Groups[i].Diagnosis = diagnosis.Diagnosis{} // what one poll says of a group is no matter of the API
	}
	return &v
}

func logs(topic string, ends ...int64) snapshot.Topic {
	t := snapshot.Topic{Name: topic, ID: snapshot.TopicID{1, 2, 3, byte(len(topic))}}
	at := snapshot.InstantOf(built)
	for i, end := range ends {
		t.Partitions = append(t.Partitions, snapshot.Partition{
			ID: int32(i), Leader: snapshot.Known(int32(1)),
			Start: snapshot.Known(snapshot.Reading{Offset: 10, At: at}), End: snapshot.Known(snapshot.Reading{Offset: end, At: at}),
			LastStable: snapshot.Known(snapshot.Reading{Offset: end, At: at}),
		})
	}
	return t
}

func commits(topic string, offsets ...int64) snapshot.Maybe[snapshot.Commits] {
	t := snapshot.TopicCommits{Topic: topic}
	for i, o := range offsets {
		t.Partitions = append(t.Partitions, snapshot.Commit{Partition: int32(i), Offset: snapshot.Known(o)})
	}
	return snapshot.Known(snapshot.Commits{At: built, Topics: []snapshot.TopicCommits{t}})
}

func members(list ...snapshot.Member) snapshot.Maybe[snapshot.Members] {
	return snapshot.Known(snapshot.Members{At: built, List: list, Assigned: true})
}

// member owns these partitions of a topic that it subscribes to.
func member(id, topic string, partitions ...[]int32) snapshot.Member {
	m := snapshot.Member{ID: id, ClientID: "client-" + id, Host: "10.0.0.7", Subscribed: []string{topic}}
	for _, list := range partitions {
		m.Assignment = append(m.Assignment, snapshot.TopicPartitions{Topic: topic, Partitions: list})
	}
	return m
}
