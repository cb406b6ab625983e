//go:build !breaking && !soak

package integration

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// soundEstimates checks what holds of every estimate on every page.
func soundEstimates(p *page) error {
	for _, family := range []string{
		lagAgeOf, drainOf, etaOf, "lagwatch_partition_arrival_offsets_per_second", "lagwatch_group_drain_seconds",
		"lagwatch_group_drain_low_seconds", "lagwatch_group_drain_high_seconds", "lagwatch_group_lag_age_seconds",
	} {
		for _, s := range p.families[family] {
			if math.IsNaN(s.value) || s.value < 0 {
				return fmt.Errorf("%s%v is %v", family, s.labels, s.value)
			}
		}
	}
	return nil
}

// moment is where a group was on the only partition of its topic in one poll.
type moment struct {
	at             time.Time
	committed, lag float64
	eta            float64 // NaN where it is absent
	rate           float64 // of the last six polls, where it was steady
}

// leastSteady is how many moments there are to judge by, at least.
const leastSteady = 5

// moments collects one moment of each poll.
type moments struct {
	mu   sync.Mutex
	list []moment
	poll int
}

func (m *moments) add(p *page, group string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := labels{"group": group}
	committed, ok := p.value(committedOf, of)
	if began, began1 := p.pollBegan(); ok && began1 && p.polls("") > m.poll && p.complete(group) {
		next := moment{at: began, committed: committed, lag: p.sum(lagOf, of), eta: math.NaN()}
		if eta, ok := p.value(etaOf, of); ok {
			next.eta = eta
		}
		m.list, m.poll = append(m.list, next), p.polls("")
	}
	return soundEstimates(p)
}

// between are the moments after a time and before another, in order.
func (m *moments) between(from, to time.Time) []moment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.list), func(x moment) bool { return x.at.Before(from) || !x.at.Before(to) })
}

// draining are the moments in which one rate of drain has been visible for six
// polls, as far as a few seconds before the lag was gone: a machine that has other
// things to do makes consumers slower and faster.
func draining(list []moment) (steady []moment) {
	const visible, left = 6, 3
	for i, x := range list {
		if x.lag == 0 {
			list = list[:max(0, i-left)]
			break
		}
	}
	for i := visible; i < len(list); i++ {
		whole := rate(list[i-visible], list[i])
		first, second := rate(list[i-visible], list[i-visible/2]), rate(list[i-visible/2], list[i])
		if math.Abs(first-whole) < whole/10 && math.Abs(second-whole) < whole/10 {
			list[i].rate = whole
			steady = append(steady, list[i])
		}
	}
	return steady
}

// rate is how fast the group committed from one moment to another.
func rate(a, b moment) float64 { return (b.committed - a.committed) / b.at.Sub(a.at).Seconds() }

// rated starts a consumer that works through about so many records a second and
// commits each batch.
func (k *kafka) rated(group string, rate int) {
	k.t.Helper()
	k.consumer(testkafka.ConsumerSpec{
		ID: group, Group: group, Topics: []string{group}, Processing: time.Second / time.Duration(rate), MaxPollRecords: 200,
	})
}

func (k *kafka) awaitLag(l *lagwatch, group, what string, ok func(lag float64) bool) *page {
	k.t.Helper()
	return l.await(k.t, 2*time.Minute, what, func(p *page) bool {
		lag, known := p.value(lagOf, labels{"group": group})
		return known && ok(lag)
	})
}

// Fault 20: a group replays a topic from the earliest offset at 1,000/s. The drain
// time is within 20 % of lag / net rate, by what the last seconds did.
func TestFault20Replay(t *testing.T) {
	k := useKafka(t)
	const topic, records = "replayed", 30_000
	k.topic(topic, 1)
	k.produce(topic, 0, records)
	l := k.estimating(topic)
	var m moments
	stop := l.watch(t, func(p *page) error { return m.add(p, topic) })
	k.rated(topic, 1000)
	p := k.awaitLag(l, topic, "the replay to begin", func(lag float64) bool { return lag < records })
	began, _ := p.pollBegan()
	k.awaitLag(l, topic, "the replay to end", func(lag float64) bool { return lag == 0 })
	pages := stop()
	list := m.between(began, time.Now())
	regime := draining(list)
	known, worst := 0, 0.0
	for _, x := range regime {
		if math.IsNaN(x.eta) {
			continue
		}
		known++
		want := x.lag / x.rate
		off := math.Abs(x.eta-want) / want
		worst = max(worst, off)
		if off > 0.2 {
			t.Errorf("with a lag of %v the drain time is %v, want %.1f within 20 %%", x.lag, x.eta, want)
		}
	}
	t.Logf("%d pages; %d polls with a steady drain, in %d of them a drain time, at worst %.0f %% off", pages, len(regime), known, 100*worst)
	if len(regime) < leastSteady || known*100 < len(regime)*95 {
		t.Errorf("a drain time in %d of %d polls", known, len(regime))
	}
}

// Fault 21: a burst on top of steady traffic, then the drain. The drain time falls
// steadily, and to 0.
func TestFault21Burst(t *testing.T) {
	k := useKafka(t)
	const topic, burst = "burst", 20_000
	k.topic(topic, 1)
	k.producer(topic, 100)
	k.rated(topic, 1000)
	l := k.estimating(topic)
	var m moments
	stop := l.watch(t, func(p *page) error { return m.add(p, topic) })
	k.awaitLag(l, topic, "the group to keep up", func(lag float64) bool { return lag < 200 })
	k.produce(topic, 0, burst)
	p := k.awaitLag(l, topic, "the burst", func(lag float64) bool { return lag > burst/2 })
	began, _ := p.pollBegan()
	k.awaitLag(l, topic, "the burst to be over", func(lag float64) bool { return lag < 200 })
	pages := stop()
	list := m.between(began, time.Now())
	for i := range list {
		if list[i].lag < 200 {
			list[i].lag = 0
		}
	}
	regime := draining(list)
	last, known := math.Inf(1), 0
	for _, x := range regime {
		if math.IsNaN(x.eta) {
			continue
		}
		if known++; x.eta > 1.1*last+1 {
			t.Errorf("with a lag of %v the drain time is %v, after it was %v", x.lag, x.eta, last)
		}
		last = x.eta
	}
	t.Logf("%d pages; %d polls with a steady drain, in %d of them a drain time, at last %v s", pages, len(regime), known, last)
	if len(regime) < leastSteady || known*100 < len(regime)*95 {
		t.Errorf("a drain time in %d of %d polls", known, len(regime))
	}
	if over := list[len(list)-1]; !(over.eta < 10) {
		t.Errorf("when the burst is over the drain time is %v", over.eta)
	}
}

// Fault 22: lagwatch is restarted while a group works. Nothing spikes: the age is
// right at once, the drain rate absent until it is known, the drain time never
// wild.
func TestFault22Restart(t *testing.T) {
	t.Parallel()
	k := useKafka(t)
	const topic, rate = "restarted", 200
	k.topic(topic, 1)
	k.producer(topic, rate)
	k.consumer(testkafka.ConsumerSpec{ID: topic, Group: topic, Topics: []string{topic}, Commit: testkafka.CommitAuto, AutoCommitInterval: 2 * time.Second})
	of := labels{"group": topic}
	rated := func(p *page) bool { n, ok := p.value(drainOf, of); return ok && n > 0.75*rate && n < 1.25*rate }
	for range 2 {
		l := k.estimating(topic)
		first := true
		stop := l.watch(t, func(p *page) error {
			if p.polls("complete") == 0 {
				return nil
			}
			if _, ok := p.value(drainOf, of); ok && first {
				return fmt.Errorf("after %d polls there is a drain rate", p.polls(""))
			}
			first = false
			if p.polls("") > p.polls("complete") {
				return soundEstimates(p) // a busy machine: what was missed is older
			}
			return calm(p, topic)
		})
		l.await(t, 60*time.Second, "the drain rate", rated)
		p := l.await(t, 60*time.Second, "twelve polls", func(p *page) bool { return p.polls("") >= 12 })
		if !p.shows(0, rewinds, of) {
			t.Errorf("rewinds %v", p.find(rewinds, of))
		}
		t.Logf("%d pages of %d polls", stop(), p.polls(""))
		l.end(t)
	}
}

// calm checks a page of a group that keeps up: what it has not read is younger
// than two commits and a poll, and soon read.
func calm(p *page, group string) error {
	of := labels{"group": group}
	age, _ := p.value(lagAgeOf, of)
	eta, _ := p.value(etaOf, of)
	if lag, _ := p.value(lagOf, of); age > 6 || eta > 10 || lag > 1500 {
		return fmt.Errorf("poll %d: lag %v, age %v, drain time %v", p.polls(""), lag, age, eta)
	}
	return soundEstimates(p)
}
