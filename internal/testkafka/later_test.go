package testkafka

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/await"
)

// TestShareAndStreams goes through what the driver does with share and streams
// groups, on one broker.
func TestShareAndStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Kafka")
	}
	Require(t, DefaultVersion)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	c, err := Start(ctx, Options{Brokers: 1})
	check(t, err)
	t.Cleanup(func() { check(t, c.Close()) })
	r := &realTest{cluster: c, began: time.Now()}
	r.driver, err = c.Driver(ctx)
	check(t, err)
	t.Run("share", func(t *testing.T) { r.heldRecord(t, ctx) })
	r.lap(t, "share")
	t.Run("streams", func(t *testing.T) { r.streams(t, ctx) })
	r.lap(t, "streams")
	t.Run("leader", func(t *testing.T) {
		check(t, r.driver.MoveLeader(ctx, TopicPartition{"words", 1}, 1))
		if err := r.driver.MoveLeader(ctx, TopicPartition{"words", 1}, 2); err == nil {
			t.Error("a broker without a replica leads")
		}
	})
}

// heldRecord checks that one record which a consumer holds pins the start offset
// of its share group, while another consumer goes on.
func (r *realTest) heldRecord(t *testing.T, ctx context.Context) {
	const group, topic = "queue", "jobs"
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: topic, Partitions: 1}))
	check(t, r.driver.SetGroupConfig(ctx, group, map[string]string{
		"share.auto.offset.reset": "earliest", "share.record.lock.duration.ms": "600000",
	}))
	spec := ConsumerSpec{ID: "holder", Group: group, Topics: []string{topic}, Protocol: Share, Acknowledge: HoldOne}
	check(t, r.driver.StartConsumer(ctx, spec))
	_, err := r.driver.Produce(ctx, ProduceSpec{Topic: topic, Records: 100})
	check(t, err)
	event, _, err := r.driver.WaitEvent(ctx, 0, func(e Event) bool { return e.Kind == Held })
	check(t, err)
	at := TopicPartition{topic, 0}
	wantOffsets(t, "held", event.Offsets, Offsets{at: 0})
	r.logs(t, ctx, "holder", LoggedEpoch)
	if e := r.logs(t, ctx, "holder", LoggedAssignment); !slices.Equal(e.Assignment, []TopicPartition{at}) {
		t.Errorf("the client logs that it is assigned %v", e.Assignment)
	}

	check(t, r.driver.StartConsumer(ctx, ConsumerSpec{ID: "worker", Group: group, Topics: []string{topic}, Protocol: Share}))
	_, err = r.driver.Produce(ctx, ProduceSpec{Topic: topic, Records: 200})
	check(t, err)
	r.awaitShare(t, ctx, group, at, func(start, lag int64) bool { return start == 0 && lag == 1 })
	described, err := r.driver.DescribeShareGroups(ctx, group)
	check(t, err)
	g := described.Value[group]
	if g.State != "Stable" || g.Type != "Share" || g.Epoch == nil || len(g.Members) != 2 {
		t.Errorf("described %+v", g)
	}
	for _, m := range g.Members {
		if !slices.Equal(m.Assignment, []TopicPartition{at}) {
			t.Errorf("%s is assigned %v", m.ClientID, m.Assignment)
		}
	}
	check(t, r.driver.CloseConsumer(ctx, "holder"))
	r.awaitShare(t, ctx, group, at, func(_, lag int64) bool { return lag == 0 })
	// The start offset is stored with what follows.
	_, err = r.driver.Produce(ctx, ProduceSpec{Topic: topic, Records: 1})
	check(t, err)
	r.awaitShare(t, ctx, group, at, func(start, lag int64) bool { return start >= 300 && lag == 0 })
	check(t, r.driver.CloseConsumer(ctx, "worker"))
	check(t, r.driver.DeleteGroups(ctx, group))
}

// logs waits until a client has logged an epoch, or an assignment that is not empty.
func (r *realTest) logs(t *testing.T, ctx context.Context, client string, kind EventKind) Event {
	t.Helper()
	e, _, err := r.driver.WaitEvent(ctx, 0, func(e Event) bool {
		return e.Kind == kind && e.Consumer == client && (e.Generation != nil && e.MemberID != "" || len(e.Assignment) > 0)
	})
	check(t, err)
	return e
}

func (r *realTest) awaitShare(t *testing.T, ctx context.Context, group string, at TopicPartition, stands func(start, lag int64) bool) {
	t.Helper()
	var got SharePositions
	defer func() { t.Logf("%s stands at %v", group, got) }()
	await.Until(t, time.Minute, "the share group to stand elsewhere", func() bool {
		reading, err := r.driver.Positions(ctx, []string{at.Topic}, nil, []string{group})
		check(t, err)
		got = reading.Value.Share[group]
		start, started := got.Starts[at]
		lag, known := got.Lags[at]
		return started && known && stands(start, lag)
	})
}

// streams checks that the threads of two instances share the tasks of both
// subtopologies, as the coordinator says too, and that the records come through.
func (r *realTest) streams(t *testing.T, ctx context.Context) {
	const app, partitions = "wordcount", 3
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: "words", Partitions: partitions}))
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: "counts", Partitions: 1}))
	_, err := r.driver.Produce(ctx, ProduceSpec{Topic: "words", Records: 300})
	check(t, err)
	spec := StreamsSpec{ID: "first", Application: app, Input: "words", Output: "counts", Threads: 2}
	check(t, r.driver.StartStreams(ctx, spec))
	check(t, r.driver.WaitAssigned(ctx, app, Spread(2, 2*partitions)))
	r.compareTasks(t, ctx, app)
	check(t, r.driver.StartStreams(ctx, StreamsSpec{ID: "second", Application: app, Input: "words", Output: "counts"}))
	check(t, r.driver.WaitAssigned(ctx, app, Spread(3, 2*partitions)))
	r.compareTasks(t, ctx, app)
	for _, id := range append(StreamsThreads("first", 2), StreamsThreads("second", 1)...) {
		if _, ok := r.driver.State(id); !ok {
			t.Errorf("thread %s reports nothing", id)
		}
		r.logs(t, ctx, id, LoggedEpoch)
	}
	check(t, r.driver.StopStreams(ctx, "first"))
	check(t, r.driver.WaitAssigned(ctx, app, Spread(1, 2*partitions)))
	r.compareTasks(t, ctx, app)
	repartition := RepartitionTopic(app)
	await.Until(t, time.Minute, "all records to be counted and committed", func() bool {
		p, err := r.driver.Positions(ctx, []string{"words", repartition, "counts"}, []string{app}, nil)
		check(t, err)
		read := p.Value.LastEnds
		counted := read[TopicPartition{"counts", 0}]
		delete(read, TopicPartition{"counts", 0})
		return counted == 300 && cmp.Equal(read, p.Value.Committed[app])
	})
	check(t, r.driver.StopStreams(ctx, "second"))
	if owners := r.driver.Owners(app); len(owners) != 0 {
		t.Errorf("after its end the owners are %v", owners)
	}
	check(t, r.driver.DeleteGroups(ctx, app))
}

// compareTasks waits until the coordinator says what the threads say: one of
// them may have given up a task that the other does not have yet.
func (r *realTest) compareTasks(t *testing.T, ctx context.Context, app string) {
	t.Helper()
	var diff string
	defer func() {
		if diff != "" {
			t.Logf("threads (-) and coordinator (+) differ:\n%s", diff)
		}
	}()
	await.Until(t, time.Minute, "the coordinator to say what the threads do", func() bool {
		described, err := r.driver.DescribeStreamsGroups(ctx, app)
		check(t, err)
		got := map[string][]TopicPartition{}
		for _, m := range described.Value[app].Members {
			slices.SortFunc(m.Assignment, comparePartitions)
			got[m.ClientID] = m.Assignment
		}
		diff = cmp.Diff(r.driver.Owners(app), got)
		return diff == ""
	})
}
