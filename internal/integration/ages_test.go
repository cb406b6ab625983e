//go:build !breaking && !soak

package integration

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

const lagAgeOf = "lagwatch_group_partition_lag_age_seconds"

// agedLog is a log by the ages of its records, and where a group is on it.
type agedLog struct {
	timedLog
	committed int
}

// each are n records, the first of that age, the others later by step, in batches.
func each(n int, first, step time.Duration, size int) (batches []batch) {
	var ages batch
	for i := range n {
		ages = append(ages, first-time.Duration(i)*step)
	}
	for b := range slices.Chunk(ages, size) {
		batches = append(batches, b)
	}
	return batches
}

var agedLogs = []agedLog{
	{timedLog{"one a minute for 30 hours", each(1800, 30*time.Hour, time.Minute, 20), 0}, 600},
	{timedLog{"one each seven seconds for a day", each(12_000, 24*time.Hour, 7*time.Second, 500), 0}, 2057},
	{timedLog{"a burst, then nothing", []batch{slices.Repeat(batch{20 * time.Hour}, 300), {time.Minute}}, 0}, 120},
	{timedLog{"bursts, hours apart", slices.Concat(each(200, 26*time.Hour, time.Millisecond, 50), each(200, 20*time.Hour, time.Millisecond, 50), each(200, time.Hour, time.Millisecond, 50)), 0}, 250},
	{timedLog{"one batch of many hours", []batch{{25 * time.Hour, 20 * time.Hour, 11 * time.Hour, time.Hour}}, 0}, 1},
	{timedLog{"the last record", []batch{{22 * time.Hour}, {20 * time.Hour}}, 0}, 1},
	{timedLog{"what was committed is deleted", each(600, 30*time.Hour, 3*time.Minute, 10), 200}, 100},
	{timedLog{"an hour old", each(3600, 2*time.Hour, 2*time.Second, 100), 0}, 1800},
	{timedLog{"caught up", each(10, 20*time.Hour, time.Hour, 1), 0}, 10},
}

// age is how long the record at the group's position had been waiting at a
// moment: 0 where there is none.
func (l agedLog) age(written, now time.Time) time.Duration {
	stamps := l.stamps(written)
	if at := max(l.committed, l.deleted); at < len(stamps) {
		return now.Sub(stamps[at])
	}
	return 0
}

// One poll after a start, lag ages are right within one interval, however old the
// record at a commit is: its time comes from the broker. A monitor that knows
// only what it saw says nothing, or begins at 0.
func TestLagAgeAfterARestart(t *testing.T) {
	k := useKafka(t)
	const topic = "aged"
	k.topic(topic, len(agedLogs))
	written := time.Now().Truncate(time.Millisecond)
	commits, deleted := testkafka.Offsets{}, testkafka.Offsets{}
	for i, l := range agedLogs {
		at := testkafka.TopicPartition{Topic: topic, Partition: i}
		k.produceBatches(topic, i, written, l.batches)
		if commits[at] = int64(l.committed); l.deleted > 0 {
			deleted[at] = int64(l.deleted)
		}
	}
	k.commit(topic, commits)
	k.must(k.DeleteRecords(k.ctx, deleted))
	for range 2 {
		l := k.lagwatch("groups: {include: [aged]}")
		p := l.await(t, 30*time.Second, "a poll", func(p *page) bool { return p.polls("complete") > 0 })
		checkAges(t, p, written)
		later := l.await(t, 30*time.Second, "more polls", func(p *page) bool { return p.polls("complete") > 3 })
		checkAges(t, later, written)
		of := labels{"api": "ListOffsets"}
		t.Logf("right after %d poll; in %d polls %v requests for offsets and times", p.polls(""), later.polls(""), later.sum("lagwatch_kafka_requests_total", of))
		l.end(t)
	}
}

// checkAges checks the ages that a page has, by the beginning and the end of its
// poll, within one interval.
func checkAges(t *testing.T, p *page, written time.Time) {
	t.Helper()
	const interval = time.Second
	began, _ := p.pollBegan()
	ended, _ := p.pollEnded()
	for i, log := range agedLogs {
		least, most := log.age(written, began)-interval, log.age(written, ended)+interval
		if log.age(written, ended) == 0 {
			least, most = 0, 0
		}
		seconds, ok := p.value(lagAgeOf, labels{"group": "aged", "partition": fmt.Sprint(i)})
		if age := time.Duration(seconds * float64(time.Second)); !ok || age < least || age > most {
			t.Errorf("poll %d, %s: %v (%t), want from %v to %v", p.polls(""), log.name, age, ok, least, most)
		}
	}
}
