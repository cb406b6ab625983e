//go:build !breaking && !soak

package integration

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	collector "github.com/lagwatch/lagwatch/collector/kafka"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// batch are the ages of records that are produced as one batch.
type batch []time.Duration

// timedLog is a partition's log by the ages of its records.
type timedLog struct {
	name    string
	batches []batch
	deleted int // as many, from the first on
}

const day = 24 * time.Hour

var timedLogs = []timedLog{
	{"hours with gaps", []batch{{20 * time.Hour}, {20*time.Hour - time.Second}, {12 * time.Hour}, {time.Hour}, {time.Minute}}, 0},
	{"one batch of several hours", []batch{{20 * time.Hour, 15 * time.Hour, 14 * time.Hour, 2 * time.Hour, time.Hour}}, 0},
	{"several batches", []batch{{3 * day, 2 * day, 2 * day}, {20 * time.Hour, 19 * time.Hour}, {19 * time.Hour, time.Hour, time.Minute}}, 0},
	{"empty", nil, 0},
	{"the first are deleted, within a batch", []batch{{20 * time.Hour, 18 * time.Hour, 16 * time.Hour}, {4 * time.Hour}}, 2},
	{"all are deleted", []batch{{20 * time.Hour, 18 * time.Hour}}, 2},
	{"clocks that disagree", []batch{{10 * time.Hour}, {2 * time.Hour, 5 * time.Hour}, {time.Hour}}, 0},
}

// stamps are the times of the records, by offset.
func (l timedLog) stamps(now time.Time) (list []time.Time) {
	for _, age := range slices.Concat(l.batches...) {
		list = append(list, now.Add(-age))
	}
	return list
}

// first is the right answer: it goes through the whole log.
func (l timedLog) first(now, asked time.Time) snapshot.TimeAnswer {
	for offset, stamp := range l.stamps(now) {
		if offset >= l.deleted && !stamp.Before(asked) {
			return snapshot.TimeAnswer{Known: true, Found: true, Offset: int64(offset), Stamp: stamp}
		}
	}
	return snapshot.TimeAnswer{Known: true}
}

// asked are moments around each record and before and after all.
func (l timedLog) asked(now time.Time) []time.Time {
	list := []time.Time{now.Add(-7 * day), now.Add(-6 * time.Hour), now, now.Add(time.Hour)}
	for _, stamp := range l.stamps(now) {
		list = append(list, stamp.Add(-time.Millisecond), stamp, stamp.Add(time.Nanosecond), stamp.Add(time.Millisecond))
	}
	return list
}

// produceBatches writes records with times, batch by batch.
func (k *kafka) produceBatches(topic string, partition int, now time.Time, batches []batch) {
	k.t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(k.cluster.Bootstrap()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ManualFlushing(), kgo.ProducerBatchCompression(kgo.GzipCompression()))
	k.must(err)
	defer cl.Close()
	for _, b := range batches {
		for _, age := range b {
			cl.Produce(k.ctx, &kgo.Record{Topic: topic, Partition: int32(partition), Key: []byte("k"), Value: []byte("v"), Timestamp: now.Add(-age)}, func(_ *kgo.Record, err error) {
				if err != nil {
					k.t.Error(err)
				}
			})
		}
		k.must(cl.Flush(k.ctx))
	}
}

// poller returns a client of the cluster that has polled once, without a problem.
func (k *kafka) poller(o collector.Options) (*collector.Client, *snapshot.Snapshot) {
	k.t.Helper()
	o.Brokers, o.RequestTimeout = k.cluster.Bootstrap(), 20*time.Second
	c, err := collector.New(o)
	k.must(err)
	k.t.Cleanup(c.Close)
	s, err := c.Poll(k.ctx)
	k.must(err)
	for _, p := range s.Problems {
		k.t.Errorf("polling: %s: %s", p.Stage, p.Detail)
	}
	return c, s
}

// Kafka answers for a time as a look through the whole log does: the first record
// from then on, inside its batch, and never one that is deleted.
func TestTimesOfRecords(t *testing.T) { timesOfRecords(useKafka(t), oldKafka{}) }

func timesOfRecords(k *kafka, _ oldKafka) {
	const topic = "times"
	k.topic(topic, len(timedLogs))
	now := time.Now().Truncate(time.Millisecond)
	deleted := testkafka.Offsets{}
	for i, l := range timedLogs {
		k.produceBatches(topic, i, now, l.batches)
		if l.deleted > 0 {
			deleted[testkafka.TopicPartition{Topic: topic, Partition: i}] = int64(l.deleted)
		}
	}
	k.must(k.DeleteRecords(k.ctx, deleted))
	c, _ := k.poller(collector.Options{})
	for i, l := range timedLogs {
		for _, asked := range l.asked(now) { // one partition several times is several requests
			got := c.Times(k.ctx, []snapshot.TimeQuestion{{Topic: topic, Partition: int32(i), Asked: asked}})
			if diff := cmp.Diff([]snapshot.TimeAnswer{l.first(now, asked)}, got); diff != "" {
				k.t.Errorf("%s, %s ago (-want +got):\n%s", l.name, now.Sub(asked), diff)
			}
		}
	}
	if s, err := c.Poll(k.ctx); err != nil || len(s.Problems) > 0 {
		k.t.Errorf("%v, %+v", err, s.Problems)
	}
}

// All partitions of all brokers are answered at once.
func TestTimesOfAllPartitions(t *testing.T) {
	k := useKafka(t)
	const topic, partitions = "times-of-all", 30
	k.topic(topic, partitions)
	now := time.Now().Truncate(time.Millisecond)
	var questions []snapshot.TimeQuestion
	var want []snapshot.TimeAnswer
	for p := range partitions {
		age := time.Duration(p) * time.Hour
		k.produceBatches(topic, p, now, []batch{{age + time.Minute, age}})
		questions = append(questions,
			snapshot.TimeQuestion{Topic: topic, Partition: int32(p), Asked: now.Add(-age)},
			snapshot.TimeQuestion{Topic: topic, Partition: int32(p), Asked: now.Add(time.Minute)})
		want = append(want, snapshot.TimeAnswer{Known: true, Found: true, Offset: 1, Stamp: now.Add(-age)}, snapshot.TimeAnswer{Known: true})
	}
	c, _ := k.poller(collector.Options{})
	if diff := cmp.Diff(want, c.Times(k.ctx, questions)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
