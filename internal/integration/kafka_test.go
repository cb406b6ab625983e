package integration

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// kafka is a cluster as one test uses it. Its methods fail the test when Kafka
// does, and clean up behind it: a later test meets none of its topics, groups,
// consumers and producers.
type kafka struct {
	*testkafka.Driver
	cluster *testkafka.Cluster
	t       *testing.T
	ctx     context.Context
}

func driving(t *testing.T, c *testkafka.Cluster) *kafka {
	t.Helper()
	driver, err := c.Driver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return (&kafka{Driver: driver, cluster: c}).in(t)
}

// in is the same for a subtest.
func (k *kafka) in(t *testing.T) *kafka {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	return &kafka{Driver: k.Driver, cluster: k.cluster, t: t, ctx: ctx}
}

// lagwatch starts a lagwatch that watches the cluster. Brokers that share two
// cores with their clients may be slow: they get most of the interval to answer.
func (k *kafka) lagwatch(settings ...string) *lagwatch {
	k.t.Helper()
	return startLagwatch(k.t, k.cluster.Bootstrap(), append(settings, "request_timeout: 800ms")...)
}

func (k *kafka) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// cleanup runs f when the test ends, the last first. Errors don't count: the
// test may have done it already.
func (k *kafka) cleanup(f func(context.Context) error) {
	k.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = f(ctx)
	})
}

// topic creates a topic on all brokers. The driver's producer may have brought
// back one of that name from an earlier run.
func (k *kafka) topic(name string, partitions int) {
	k.t.Helper()
	if slices.Contains(k.topics(), name) {
		k.must(k.DeleteTopic(k.ctx, name))
	}
	k.cleanup(func(ctx context.Context) error { return k.DeleteTopic(ctx, name) })
	k.must(k.CreateTopic(k.ctx, testkafka.TopicSpec{Name: name, Partitions: partitions, Replicas: len(k.cluster.Bootstrap())}))
}

// topics lists all topics.
func (k *kafka) topics() []string {
	k.t.Helper()
	r, err := k.Topics(k.ctx)
	k.must(err)
	return r.Value
}

// produce writes records to one partition, or to all in turn if it is −1.
func (k *kafka) produce(topic string, partition, records int) {
	k.t.Helper()
	spec := testkafka.ProduceSpec{Topic: topic, Records: records, ValueBytes: 20}
	if partition >= 0 {
		spec.Partition = &partition
	}
	_, err := k.Produce(k.ctx, spec)
	k.must(err)
}

// producer starts a producer with the topic's name as its id.
func (k *kafka) producer(topic string, rate float64) {
	k.t.Helper()
	k.cleanup(func(ctx context.Context) error { _, err := k.StopProducer(ctx, topic); return err })
	k.must(k.StartProducer(k.ctx, testkafka.ProducerSpec{ID: topic, Topic: topic, Rate: rate, Keys: 1000, ValueBytes: 20}))
}

// consumer starts a consumer.
func (k *kafka) consumer(spec testkafka.ConsumerSpec) {
	k.t.Helper()
	k.removed(spec.Group)
	k.cleanup(func(ctx context.Context) error { return k.CloseConsumer(ctx, spec.ID) })
	k.must(k.StartConsumer(k.ctx, spec))
}

// commit commits for a group without members.
func (k *kafka) commit(group string, offsets testkafka.Offsets) {
	k.t.Helper()
	k.removed(group)
	k.must(k.AlterOffsets(k.ctx, map[string]testkafka.Offsets{group: offsets}))
}

// removed has groups removed at the end.
func (k *kafka) removed(groups ...string) {
	k.cleanup(func(ctx context.Context) error { return k.DeleteGroups(ctx, groups...) })
}

// ends, starts and committed are what Kafka's admin client reads.
func (k *kafka) ends(topic string) testkafka.Reading[testkafka.Offsets] {
	k.t.Helper()
	r, err := k.EndOffsets(k.ctx, topic)
	k.must(err)
	return r
}

func (k *kafka) starts(topic string) testkafka.Reading[testkafka.Offsets] {
	k.t.Helper()
	r, err := k.StartOffsets(k.ctx, topic)
	k.must(err)
	return r
}

func (k *kafka) committed(groups ...string) testkafka.Reading[map[string]testkafka.Offsets] {
	k.t.Helper()
	r, err := k.CommittedOffsets(k.ctx, groups...)
	k.must(err)
	return r
}

// waitUntil waits for a condition of Kafka's.
func (k *kafka) waitUntil(what string, ok func() bool) {
	k.t.Helper()
	await.Until(k.t, 30*time.Second, what, ok)
}

// placesOf lists the partitions that a map has something for, sorted.
func placesOf[V any, M ~map[testkafka.TopicPartition]V](m M) []testkafka.TopicPartition {
	return slices.SortedFunc(maps.Keys(m), func(a, b testkafka.TopicPartition) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
}
