//go:build !breaking && !soak

package integration

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// four is one group of each type on the same topic. The streams group reads its
// repartition topic too.
type four struct {
	*kafka
	topic                             string
	partitions                        int
	classic, consumer, share, streams string
	places, streamsPlaces             []testkafka.TopicPartition
}

// fourTypes starts a group of each type; its members are there when it returns.
func (k *kafka) fourTypes(topic string, partitions int) *four {
	k.t.Helper()
	f := &four{
		kafka: k, topic: topic, partitions: partitions, classic: topic + "-classic",
		consumer: topic + "-consumer", share: topic + "-share", streams: topic + "-streams",
		places: testkafka.Partitions(topic, partitions),
	}
	f.streamsPlaces = append(slices.Clone(f.places), testkafka.Partitions(testkafka.RepartitionTopic(f.streams), partitions)...)
	k.topic(topic, partitions)
	k.topic(f.output(), 1)
	k.must(k.SetGroupConfig(k.ctx, f.share, map[string]string{
		"share.auto.offset.reset": "earliest", "share.record.lock.duration.ms": "600000",
	}))
	for group, protocol := range map[string]testkafka.Protocol{f.classic: testkafka.ClassicRange, f.consumer: testkafka.Consumer} {
		for i := range 2 {
			k.consumer(testkafka.ConsumerSpec{
				ID: fmt.Sprintf("%s-%d", group, i), Group: group, Topics: []string{topic}, Protocol: protocol,
				Processing: 2 * time.Millisecond, MaxPollRecords: 25,
			})
		}
	}
	for i := range 2 {
		f.sharer(fmt.Sprintf("%s-%d", f.share, i), testkafka.Accept)
	}
	f.startInstance("a", 2)
	for _, group := range []string{f.classic, f.consumer} {
		k.must(k.WaitAssigned(k.ctx, group, testkafka.Spread(2, partitions)))
	}
	k.must(k.WaitAssigned(k.ctx, f.streams, testkafka.Spread(2, 2*partitions)))
	return f
}

func (f *four) output() string { return f.topic + "-counts" }

func (f *four) sharer(id string, say testkafka.Acknowledgement) {
	f.t.Helper()
	f.kafka.consumer(testkafka.ConsumerSpec{
		ID: id, Group: f.share, Topics: []string{f.topic}, Protocol: testkafka.Share,
		Processing: time.Millisecond, MaxPollRecords: 25, Acknowledge: say,
	})
}

// startInstance starts an instance of the streams application, and instance
// makes its name.
func (f *four) startInstance(name string, threads int) {
	f.t.Helper()
	f.removed(f.streams)
	for _, topic := range testkafka.InternalTopics(f.streams) {
		f.cleanup(func(ctx context.Context) error { return f.DeleteTopic(ctx, topic) })
	}
	id := f.instance(name)
	f.cleanup(func(ctx context.Context) error { return f.StopStreams(ctx, id) })
	f.must(f.StartStreams(f.ctx, testkafka.StreamsSpec{
		ID: id, Application: f.streams, Input: f.topic, Output: f.output(), Threads: threads,
	}))
}

func (f *four) instance(name string) string { return f.streams + "-" + name }

// committing are the groups that commit offsets, with what each of them reads.
func (f *four) committing() map[string][]testkafka.TopicPartition {
	return map[string][]testkafka.TopicPartition{f.classic: f.places, f.consumer: f.places, f.streams: f.streamsPlaces}
}

func (f *four) groups() []string { return []string{f.classic, f.consumer, f.share, f.streams} }

func (f *four) positions() testkafka.Reading[testkafka.Positions] {
	f.t.Helper()
	r, err := f.Positions(f.ctx, []string{f.topic, testkafka.RepartitionTopic(f.streams)},
		[]string{f.classic, f.consumer, f.streams}, []string{f.share})
	f.must(err)
	return r
}

// begun is whether a page has a lag for everything that the groups read.
func (f *four) begun(p *page) bool {
	for group, places := range f.committing() {
		if !slices.Equal(placesOf(p.groupOffsets(lagOf, group)), places) {
			return false
		}
	}
	return slices.Equal(placesOf(p.groupOffsets(lagOf, f.share)), f.places)
}

// Groups of all four types at once, under load: every offset and lag on a page
// is one that Kafka had during that poll. When nothing moves, each is equal to
// what Kafka's admin client says; so are the owners, of which a partition of the
// share group has several, and the share group's lag, while one member holds a
// record. While an instance of the streams application joins and leaves, the
// owners are those that its threads report.
func TestFourTypes(t *testing.T) {
	k := useKafka(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute) // this one is long
	defer cancel()
	k.ctx = ctx
	f := k.fourTypes("four", 4)
	k.producer(f.topic, 300)
	l := k.lagwatch("start_offset_interval: 1s", "stale_after: 30s")
	began := l.await(t, 90*time.Second, "all positions of all groups", f.begun)
	for group, kind := range map[string]string{f.classic: "classic", f.consumer: "consumer", f.share: "share", f.streams: "streams"} {
		if list := began.find("lagwatch_group_info", labels{"group": group}); len(list) != 1 || list[0].labels["type"] != kind {
			t.Errorf("%s is said to be %v", group, list)
		}
	}
	check := fourCheck{four: f}
	for range exactPolls {
		before := f.positions()
		p := l.awaitPoll(t, before.After, f.groups()...)
		check.page(p, before.Value, f.positions().Value)
	}
	check.report()
	f.instancesComeAndGo(l)
	_, err := k.StopProducer(k.ctx, f.topic)
	k.must(err)
	f.quiet(l, "quiet")
	f.holdOne()
	f.quiet(l, "one record held")
	p := l.page(t)
	t.Logf("of %d polls %d missed something", p.polls("")-began.polls(""), p.missed()-began.missed())
}

// holdOne has a member of the share group hold a record while others do the rest.
// They are so many that the broker gives each partition to two members; with
// fewer, the partition of the record may be the holder's alone.
func (f *four) holdOne() {
	f.t.Helper()
	for i := range 2 {
		f.must(f.CloseConsumer(f.ctx, fmt.Sprintf("%s-%d", f.share, i)))
	}
	f.sharer(f.share+"-holder", testkafka.HoldOne)
	f.produce(f.topic, 1, 10)
	event, _, err := f.WaitEvent(f.ctx, 0, func(e testkafka.Event) bool { return e.Kind == testkafka.Held })
	f.must(err)
	for i := range 2*f.partitions - 1 {
		f.sharer(fmt.Sprintf("%s-other-%d", f.share, i), testkafka.Accept)
	}
	f.produce(f.topic, 1, 50)
	f.waitUntil("all but the record that is held", func() bool {
		lags := f.positions().Value.Share[f.share].Lags
		for at, lag := range lags {
			_, held := event.Offsets[at]
			if held && lag != 1 || !held && lag != 0 {
				return false
			}
		}
		return len(lags) == f.partitions
	})
	f.t.Logf("held: %v", event.Offsets)
}
