package testkafka

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRealCluster goes through what the package offers on one cluster of three
// brokers; its steps build on each other.
func TestRealCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Kafka")
	}
	r := &realTest{protocols: []Protocol{ClassicRange, ClassicCooperative, Consumer}}
	r.run(t, DefaultVersion, []realStep{
		{"topics", r.topics},
		{"producing", r.producing},
		{"transactions", r.transactions},
		{"membership", r.membership},
		{"commits", r.commits},
		{"poison", r.poison},
		{"abandon", r.abandon},
		{"share", r.share},
		{"groups", r.groups},
		{"group command", r.groupCommand},
		{"requests", r.requests},
		{"broker killed", r.brokerKilled},
		{"broker frozen", r.brokerFrozen},
		{"broker stopped", r.brokerStopped},
		{"driver killed", r.driverKilled},
	})
}

// TestRealClusterWithZooKeeper goes through what there was before KRaft, with
// clients of that time.
func TestRealClusterWithZooKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Kafka")
	}
	r := &realTest{protocols: []Protocol{ClassicRange, ClassicCooperative}}
	r.run(t, "2.8.2", []realStep{
		{"topics", r.topics},
		{"producing", r.producing},
		{"transactions", r.transactions},
		{"membership", r.membership},
		{"groups", r.groups},
		{"group command", r.groupCommand},
		{"requests", r.requests},
		{"broker killed", r.brokerKilled},
		{"broker frozen", r.brokerFrozen},
		{"broker restarted", r.brokerRestarted},
		{"broker stopped", r.brokerStopped},
		{"closed", r.closed},
	})
}

type realTest struct {
	protocols []Protocol
	cluster   *Cluster
	driver    *Driver
	began     time.Time
}

type realStep struct {
	name string
	run  func(*testing.T, context.Context)
}

// run starts a cluster and takes the steps up to the first that fails.
func (r *realTest) run(t *testing.T, version string, steps []realStep) {
	Require(t, version)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	r.began = time.Now()
	c, err := Start(ctx, Options{Version: version, RequestLog: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	r.cluster = c
	r.lap(t, "cluster started")
	if r.driver, err = c.Driver(ctx); err != nil {
		t.Fatal(err)
	}
	r.lap(t, "driver started")
	for _, step := range steps {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, ctx) }) {
			break
		}
		r.lap(t, step.name)
	}
}

func (r *realTest) lap(t *testing.T, what string) {
	t.Logf("%5.1f s: %s", time.Since(r.began).Seconds(), what)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantOffsets(t *testing.T, what string, got, want Offsets) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func (r *realTest) topics(t *testing.T, ctx context.Context) {
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: "orders", Partitions: 3, Replicas: 3}))
	check(t, r.driver.AddPartitions(ctx, "orders", 4))
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: "gone", Partitions: 1}))
	check(t, r.driver.DeleteTopic(ctx, "gone"))
	err := r.driver.CreateTopic(ctx, TopicSpec{Name: "orders", Partitions: 1})
	if err == nil {
		t.Fatal("creating a topic twice succeeded")
	}
	t.Log(err)
	described, err := r.driver.DescribeTopics(ctx, "orders")
	check(t, err)
	if len(described.Value) != 4 || described.Value[0].Leader == nil || len(described.Value[0].Replicas) != 3 {
		t.Errorf("described %+v", described.Value)
	}
	topics, err := r.driver.Topics(ctx)
	check(t, err)
	if !slices.Contains(topics.Value, "orders") {
		t.Errorf("topics are %v", topics.Value)
	}
}

func (r *realTest) producing(t *testing.T, ctx context.Context) {
	ends, err := r.driver.Produce(ctx, ProduceSpec{Topic: "orders", Records: 400, ValueBytes: 10})
	check(t, err)
	wantOffsets(t, "produced", ends, evenly("orders", 4, 100))
	_, err = r.driver.Produce(ctx, ProduceSpec{Topic: "orders", Records: 20, Partition: new(0), Time: time.Now().Add(time.Hour)})
	check(t, err)
	check(t, r.driver.DeleteRecords(ctx, Offsets{{"orders", 1}: 30}))

	want := evenly("orders", 4, 100)
	want[TopicPartition{"orders", 0}] = 120
	end, err := r.driver.EndOffsets(ctx, "orders")
	check(t, err)
	wantOffsets(t, "ends", end.Value, want)
	if !end.Before.Before(end.After) {
		t.Errorf("read between %v and %v", end.Before, end.After)
	}
	start, err := r.driver.StartOffsets(ctx, "orders")
	check(t, err)
	want = evenly("orders", 4, 0)
	want[TopicPartition{"orders", 1}] = 30
	wantOffsets(t, "starts", start.Value, want)
	later, err := r.driver.OffsetsAt(ctx, time.Now().Add(time.Minute), "orders")
	check(t, err)
	wantOffsets(t, "offsets at a time", later.Value, Offsets{{"orders", 0}: 100})
}

func evenly(topic string, partitions int, offset int64) Offsets {
	offsets := Offsets{}
	for _, p := range Partitions(topic, partitions) {
		offsets[p] = offset
	}
	return offsets
}

func (r *realTest) transactions(t *testing.T, ctx context.Context) {
	p := TopicPartition{"payments", 0}
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: "payments", Partitions: 1, Replicas: 3}))
	spec := ProduceSpec{Topic: "payments", Records: 10}
	ends, err := r.driver.ProduceTransaction(ctx, "tx-1", Commit, spec)
	check(t, err)
	wantOffsets(t, "committed", ends, Offsets{p: 11})
	ends, err = r.driver.ProduceTransaction(ctx, "tx-1", Abort, spec)
	check(t, err)
	wantOffsets(t, "aborted", ends, Offsets{p: 22})
	_, err = r.driver.BeginTransaction(ctx, "tx-2", 0, spec)
	check(t, err)
	end, err := r.driver.EndOffsets(ctx, "payments")
	check(t, err)
	wantOffsets(t, "high watermark", end.Value, Offsets{p: 32})
	stable, err := r.driver.StableOffsets(ctx, "payments")
	check(t, err)
	wantOffsets(t, "last stable offset", stable.Value, Offsets{p: 22})
	_, err = r.driver.EndTransaction(ctx, "tx-2", Commit)
	check(t, err)
}

// membership has two members of each protocol share the four partitions, and
// one of them leave.
func (r *realTest) membership(t *testing.T, ctx context.Context) {
	for _, protocol := range r.protocols {
		group := "members-" + string(protocol)
		first, second := group+"-a", group+"-b"
		check(t, r.driver.StartConsumer(ctx, ConsumerSpec{
			ID: first, Group: group, Topics: []string{"orders"}, Protocol: protocol, InstanceID: "static-" + first,
		}))
		check(t, r.driver.WaitAssigned(ctx, group, Spread(1, 4)))
		check(t, r.driver.StartConsumer(ctx, ConsumerSpec{ID: second, Group: group, Topics: []string{"orders"}, Protocol: protocol}))
		check(t, r.driver.WaitAssigned(ctx, group, Spread(2, 4)))
		r.compareOwners(t, ctx, group)
		check(t, r.driver.CloseConsumer(ctx, second))
		check(t, r.driver.WaitAssigned(ctx, group, Spread(1, 4)))
		if _, ok := r.driver.State(second); ok {
			t.Errorf("%s is closed and has a state", second)
		}
	}
}

// compareOwners checks that the coordinator says what the consumers say.
func (r *realTest) compareOwners(t *testing.T, ctx context.Context, group string) {
	t.Helper()
	described, err := r.driver.DescribeGroups(ctx, group)
	check(t, err)
	got := map[string][]TopicPartition{}
	for _, m := range described.Value[group].Members {
		slices.SortFunc(m.Assignment, comparePartitions)
		got[m.ClientID] = m.Assignment
		state, ok := r.driver.State(m.ClientID)
		if !ok || state.MemberID != m.MemberID || state.Generation == nil {
			t.Errorf("member %s is %s, reported %+v, %v", m.ClientID, m.MemberID, state, ok)
		}
	}
	if diff := cmp.Diff(r.driver.Owners(group), got); diff != "" {
		t.Errorf("group %s: coordinator (+) and consumers (-) differ:\n%s", group, diff)
	}
}

// commits has a consumer of each kind commit everything.
func (r *realTest) commits(t *testing.T, ctx context.Context) {
	end, err := r.driver.EndOffsets(ctx, "payments")
	check(t, err)
	specs := []ConsumerSpec{
		{ID: "batch", Topics: []string{"payments"}},
		{ID: "auto", Topics: []string{"payments"}, Protocol: Consumer, Commit: CommitAuto, AutoCommitInterval: 100 * time.Millisecond},
		{ID: "alone", Assign: Partitions("payments", 1)},
	}
	for _, spec := range specs {
		spec.Group, spec.ReportCommits = "commits-"+spec.ID, true
		check(t, r.driver.StartConsumer(ctx, spec))
		_, _, err := r.driver.WaitEvent(ctx, 0, func(e Event) bool {
			return e.Kind == Committed && e.Consumer == spec.ID && cmp.Equal(e.Offsets, end.Value)
		})
		if err != nil {
			t.Fatalf("commit of %s: %v; events %+v", spec.ID, err, r.driver.Events(0))
		}
		check(t, r.driver.CloseConsumer(ctx, spec.ID))
		committed, err := r.driver.CommittedOffsets(ctx, spec.Group)
		check(t, err)
		wantOffsets(t, spec.ID, committed.Value[spec.Group], end.Value)
	}
}

// poison checks that a consumer which can process no record of one partition goes on
// with the other.
func (r *realTest) poison(t *testing.T, ctx context.Context) {
	const group, topic = "poisoned", "poison"
	check(t, r.driver.CreateTopic(ctx, TopicSpec{Name: topic, Partitions: 2}))
	bad, good := TopicPartition{topic, 0}, TopicPartition{topic, 1}
	check(t, r.driver.StartConsumer(ctx, ConsumerSpec{ID: group, Group: group, Topics: []string{topic}, ReportCommits: true}))
	produce := func(records int, want Offsets) {
		_, err := r.driver.Produce(ctx, ProduceSpec{Topic: topic, Records: records})
		check(t, err)
		got := Offsets{}
		_, _, err = r.driver.WaitEvent(ctx, 0, func(e Event) bool {
			if e.Kind == Committed && e.Group == group {
				maps.Copy(got, e.Offsets)
			}
			return cmp.Equal(got, want)
		})
		check(t, err)
	}
	produce(10, Offsets{bad: 5, good: 5})
	check(t, r.driver.PoisonConsumer(ctx, group, bad))
	produce(10, Offsets{bad: 5, good: 10})
	check(t, r.driver.CloseConsumer(ctx, group))
	committed, err := r.driver.CommittedOffsets(ctx, group)
	check(t, err)
	wantOffsets(t, group, committed.Value[group], Offsets{bad: 5, good: 10})
	check(t, r.driver.DeleteGroups(ctx, group))
	check(t, r.driver.DeleteTopic(ctx, topic))
}

// abandon checks that a consumer which goes silently stays a member until its
// session times out.
func (r *realTest) abandon(t *testing.T, ctx context.Context) {
	const group = "abandoned"
	spec := ConsumerSpec{ID: "quitter", Group: group, Topics: []string{"payments"}, Session: 2 * time.Second}
	check(t, r.driver.StartConsumer(ctx, spec))
	check(t, r.driver.WaitAssigned(ctx, group, Spread(1, 1)))
	check(t, r.driver.AbandonConsumer(ctx, spec.ID))
	described, err := r.driver.DescribeGroups(ctx, group)
	check(t, err)
	if members := described.Value[group].Members; len(members) != 1 {
		t.Errorf("after it went silently, the members are %+v", members)
	}
	spec.ID = "successor"
	check(t, r.driver.StartConsumer(ctx, spec))
	check(t, r.driver.WaitAssigned(ctx, group, Spread(1, 1)))
	check(t, r.driver.CloseConsumer(ctx, spec.ID))
}

func (r *realTest) share(t *testing.T, ctx context.Context) {
	check(t, r.driver.SetGroupConfig(ctx, "sharing", map[string]string{"share.auto.offset.reset": "earliest"}))
	check(t, r.driver.StartConsumer(ctx, ConsumerSpec{ID: "sharer", Group: "sharing", Topics: []string{"orders"}, Protocol: Share, ReportCommits: true}))
	_, _, err := r.driver.WaitEvent(ctx, 0, func(e Event) bool { return e.Kind == Processed && e.Consumer == "sharer" })
	check(t, err)
	check(t, r.driver.CloseConsumer(ctx, "sharer"))
}

func (r *realTest) groups(t *testing.T, ctx context.Context) {
	began := time.Now()
	names, err := r.driver.CreateGroups(ctx, "bulk-", 500, evenly("orders", 4, 7))
	check(t, err)
	t.Logf("500 groups in %v", time.Since(began))
	check(t, r.driver.AlterOffsets(ctx, map[string]Offsets{names[0]: {{"orders", 2}: 9}, names[1]: {{"orders", 3}: 8}}))
	check(t, r.driver.DeleteOffsets(ctx, names[1], TopicPartition{"orders", 0}))
	check(t, r.driver.DeleteGroups(ctx, names[2]))
	committed, err := r.driver.CommittedOffsets(ctx, names...)
	check(t, err)
	want := map[string]Offsets{}
	for _, name := range names {
		want[name] = evenly("orders", 4, 7)
	}
	want[names[0]][TopicPartition{"orders", 2}] = 9
	want[names[1]][TopicPartition{"orders", 3}] = 8
	delete(want[names[1]], TopicPartition{"orders", 0})
	want[names[2]] = Offsets{}
	if diff := cmp.Diff(want, committed.Value); diff != "" {
		t.Errorf("committed (-want +got):\n%s", diff)
	}
}

func (r *realTest) groupCommand(t *testing.T, ctx context.Context) {
	out, err := r.cluster.GroupCommand(ctx, "--describe", "--group", "members-range", "--group", "bulk-00001")
	check(t, err)
	rows, err := ParseGroupDescribe(out)
	check(t, err)
	seen := map[string]string{}
	for _, row := range rows {
		if row.Partition == nil {
			t.Errorf("row %+v has no partition", row)
			continue
		}
		lag := "-"
		if row.Lag != nil {
			lag = fmt.Sprint(*row.Lag)
		}
		seen[fmt.Sprintf("%s %s/%d", row.Group, row.Topic, *row.Partition)] = lag + " " + row.ClientID
	}
	want := map[string]string{
		"members-range orders/0": "0 members-range-a", "members-range orders/1": "0 members-range-a",
		"members-range orders/2": "0 members-range-a", "members-range orders/3": "0 members-range-a",
		"bulk-00001 orders/1": "93 ", "bulk-00001 orders/2": "93 ", "bulk-00001 orders/3": "92 ",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("rows (-want +got):\n%s\nof:\n%s", diff, out)
	}
}

// requests checks that what the broker counts is what the client sent.
func (r *realTest) requests(t *testing.T, ctx context.Context) {
	mark, err := r.cluster.Mark(ctx)
	check(t, err)
	const clientID = "counted"
	for range 3 {
		_, err := askBrokers(ctx, r.cluster.Broker(2).Addr(), clientID)
		check(t, err)
	}
	got, next, err := r.cluster.RequestsSince(ctx, mark, clientID)
	check(t, err)
	if len(got[1]) != 0 || len(got[2]) != 3 || len(got[3]) != 0 {
		t.Fatalf("counted %+v", got)
	}
	first := got[2][0]
	if first.API != "METADATA" || first.Version != metadataVersion || first.Listener != "PLAINTEXT" || time.Since(first.At).Abs() > time.Minute {
		t.Errorf("request %+v", first)
	}
	got, _, err = r.cluster.RequestsSince(ctx, next, clientID)
	check(t, err)
	if len(got[2]) != 0 {
		t.Errorf("counted again: %+v", got)
	}
	all, err := r.cluster.Requests(ctx, 2, clientID)
	check(t, err)
	if len(all) != 3 {
		t.Errorf("counted %d in all", len(all))
	}
}

// brokerKilled checks that a broker comes back on its port while producers that
// have just begun go on. They used to wait two minutes now and then for a batch
// that was out of order.
func (r *realTest) brokerKilled(t *testing.T, ctx context.Context) {
	producers := []string{"steady-0", "steady-1", "steady-2", "steady-3"}
	for _, id := range producers {
		check(t, r.driver.StartProducer(ctx, ProducerSpec{ID: id, Topic: "orders", Rate: 50, HotShare: 0.5}))
	}
	check(t, r.cluster.Kill(3))
	if _, err := askBrokers(ctx, r.cluster.Broker(3).Addr(), "dead?"); err == nil {
		t.Error("a killed broker answers")
	}
	if err := r.cluster.Freeze(3); err == nil {
		t.Error("a killed broker can be frozen")
	}
	check(t, r.cluster.StartBroker(ctx, 3))
	if err := r.cluster.StartBroker(ctx, 3); err == nil {
		t.Error("a running broker was started")
	}
	_, err := askBrokers(ctx, r.cluster.Broker(3).Addr(), "back?")
	check(t, err)
	for _, id := range producers {
		counts, err := r.driver.StopProducer(ctx, id)
		check(t, err)
		if len(counts) != 4 {
			t.Errorf("%s produced %v", id, counts)
		}
	}
	log, err := os.ReadFile(r.cluster.Log(3))
	check(t, err)
	if !strings.Contains(string(log), "Completed request") {
		t.Error("the log holds no requests")
	}
}

func (r *realTest) brokerFrozen(t *testing.T, ctx context.Context) {
	check(t, r.cluster.Freeze(2))
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := askBrokers(short, r.cluster.Broker(2).Addr(), "frozen?"); err == nil {
		t.Error("a frozen broker answers")
	}
	if _, err := r.cluster.Requests(ctx, 2, "frozen?"); err != nil {
		t.Error(err)
	}
	check(t, r.cluster.Thaw(2))
	_, err := askBrokers(ctx, r.cluster.Broker(2).Addr(), "thawed?")
	check(t, err)
}

func (r *realTest) brokerRestarted(t *testing.T, ctx context.Context) {
	check(t, r.cluster.Restart(ctx, 2))
	known, err := askBrokers(ctx, r.cluster.Broker(1).Addr(), "all?")
	check(t, err)
	if slices.Sort(known); !slices.Equal(known, []int{1, 2, 3}) {
		t.Errorf("after a restart the brokers are %v", known)
	}
}

func (r *realTest) brokerStopped(t *testing.T, ctx context.Context) {
	check(t, r.cluster.Stop(ctx, 1))
	check(t, r.cluster.Stop(ctx, 1))
	if running, _ := r.cluster.Broker(1).up(); running {
		t.Error("a stopped broker runs")
	}
	if _, err := r.cluster.Requests(ctx, 1, "any"); err != nil {
		t.Error(err)
	}
}

// driverKilled checks that calls don't hang when the driver is gone, and that
// another one can be had.
func (r *realTest) driverKilled(t *testing.T, ctx context.Context) {
	r.driver.Kill()
	if _, err := r.driver.Topics(ctx); err == nil {
		t.Error("a killed driver answers")
	} else {
		t.Log(err)
	}
	if err := r.driver.WaitAssigned(ctx, "x", Spread(1, 1)); err == nil {
		t.Error("a killed driver has owners")
	}
	next, err := r.cluster.Driver(ctx)
	check(t, err)
	if next == r.driver {
		t.Error("the dead driver was returned")
	}
}

// closed checks that nothing is left of a closed cluster.
func (r *realTest) closed(t *testing.T, _ context.Context) {
	check(t, r.cluster.Close())
	var left []string
	for _, b := range r.cluster.brokers {
		if running, _ := b.up(); running {
			left = append(left, fmt.Sprintf("broker %d", b.id))
		}
	}
	if !r.cluster.keeper.proc.exited() {
		left = append(left, "ZooKeeper")
	}
	if found, err := exists(r.cluster.dir); found || err != nil {
		left = append(left, fmt.Sprintf("its folder (%v)", err))
	}
	if left != nil {
		t.Errorf("a closed cluster left %v", left)
	}
}
