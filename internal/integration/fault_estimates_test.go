//go:build !breaking && !soak

package integration

import (
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

const (
	drainOf  = "lagwatch_group_partition_drain_offsets_per_second"
	etaOf    = "lagwatch_group_partition_drain_seconds"
	rewinds  = "lagwatch_group_rewinds_total"
	allPairs = "metrics: {include: [group_partition_.*]}"
)

// estimating starts a lagwatch that shows all that it estimates of one group.
func (k *kafka) estimating(group string) *lagwatch {
	k.t.Helper()
	return k.lagwatch("groups: {include: ["+group+"]}", allPairs)
}

// stepping commits one offset after the other, each when the page has the one
// before, as a consumer that commits now and then.
func (k *kafka) stepping(l *lagwatch, group, topic string, offsets ...int64) *page {
	k.t.Helper()
	var p *page
	for _, offset := range offsets {
		k.must(k.AlterOffsets(k.ctx, map[string]testkafka.Offsets{group: {{Topic: topic}: offset}}))
		p = l.await(k.t, 15*time.Second, "a commit", func(p *page) bool {
			return p.shows(float64(offset), committedOf, labels{"group": group})
		})
	}
	return p
}

// Fault 5: the last record is a transaction's marker, and the group has committed
// behind the record before it. The lag is 1 for good, which Kafka's own tools show
// too. It stays 1, the group stays whole, and nobody is said to be needed.
func TestFault05TransactionMarker(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic, records = "marked", 10
	k.topic(topic, 1)
	ends, err := k.ProduceTransaction(k.ctx, topic, testkafka.Commit, testkafka.ProduceSpec{Topic: topic, Records: records})
	k.must(err)
	if ends[testkafka.TopicPartition{Topic: topic}] != records+1 {
		t.Fatalf("the log ends at %v, want one marker", ends)
	}
	k.commit(topic, at(topic, map[int]int64{0: 2}))
	l := k.estimating(topic)
	of := labels{"group": topic}
	last := k.stepping(l, topic, topic, 5, 8, records)
	p := l.await(t, 60*time.Second, "it to stand still", func(p *page) bool {
		if lag, ok := p.value(lagOf, of); !ok || lag != 1 || !p.complete(topic) {
			t.Fatalf("lag %v (%t), complete %t", lag, ok, p.complete(topic))
		}
		return p.polls("") > last.polls("")+15
	})
	eta, known := p.value(etaOf, of)
	age, _ := p.value(lagAgeOf, of)
	t.Logf("after %d polls: lag 1, age %v s, drain time %v (%t)", p.polls(""), age, eta, known)
	if needed, ok := p.value("lagwatch_group_members_needed", of); ok && needed > 0 {
		t.Errorf("%v members are needed for a marker", needed)
	}
}

// Fault 19: an idle topic with a constant lag of 10 and records of an hour ago.
// Nothing drains: the rate is 0, the drain time +Inf, and the age grows in real
// time, from an hour on. Others say that it will be caught up soon.
func TestFault19IdleTopic(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic = "idle"
	k.topic(topic, 1)
	written := time.Now().Truncate(time.Millisecond)
	log := agedLog{timedLog{topic, each(20, time.Hour, 10*time.Second, 5), 0}, 10}
	k.produceBatches(topic, 0, written, log.batches)
	k.commit(topic, at(topic, map[int]int64{0: 2}))
	l := k.estimating(topic)
	of := labels{"group": topic}
	last := k.stepping(l, topic, topic, 4, 7, 10)
	still := func(p *page) bool { return p.shows(math.Inf(1), etaOf, of) && p.shows(0, drainOf, of) }
	first := l.await(t, 60*time.Second, "the drain time to be +Inf, and the rate 0", still)
	l.await(t, 30*time.Second, "ten polls more", func(p *page) bool {
		began, _ := p.pollBegan()
		ended, _ := p.pollEnded()
		age, ok := p.value(lagAgeOf, of)
		if least, most := log.age(written, began).Seconds()-1, log.age(written, ended).Seconds()+1; !ok || age < least || age > most {
			t.Fatalf("an age of %v (%t), want from %v to %v", age, ok, least, most)
		}
		if !still(p) || !p.shows(10, lagOf, of) {
			t.Fatalf("poll %d: drain %v, drain time %v", p.polls(""), p.find(drainOf, of), p.find(etaOf, of))
		}
		return p.polls("") >= first.polls("")+10
	})
	t.Logf("+Inf %d polls after the last commit was seen", first.polls("")-last.polls(""))
}

// Fault 23: an admin resets a group's offsets with Kafka's own tool. That is no
// negative drain, and it is counted.
func TestFault23OffsetsAreReset(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic = "reset"
	k.topic(topic, 1)
	k.produce(topic, 0, 1000)
	k.commit(topic, at(topic, map[int]int64{0: 100}))
	l := k.estimating(topic)
	of := labels{"group": topic}
	stop := l.watch(t, soundEstimates)
	k.stepping(l, topic, topic, 300, 500, 700, 900)
	l.await(t, 15*time.Second, "a drain rate", func(p *page) bool { _, ok := p.value(drainOf, of); return ok && p.shows(0, rewinds, of) })
	out, err := k.cluster.GroupCommand(k.ctx, "--reset-offsets", "--group", topic, "--topic", topic, "--to-offset", "200", "--execute")
	k.must(err)
	p := l.await(t, 30*time.Second, "the reset", func(p *page) bool { return p.shows(200, committedOf, of) })
	if !p.shows(1, rewinds, of) || !p.shows(800, lagOf, of) {
		t.Errorf("rewinds %v, lag %v; the tool said: %s", p.find(rewinds, of), p.find(lagOf, of), out)
	}
	p = k.stepping(l, topic, topic, 400, 600)
	if !p.shows(1, rewinds, of) {
		t.Errorf("rewinds %v after commits that went on", p.find(rewinds, of))
	}
	t.Logf("%d pages", stop())
}
