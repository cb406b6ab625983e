//go:build !breaking && !soak

package integration

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// exactPolls is how many polls are compared with Kafka's own readings.
const exactPolls = 16

// around is what Kafka's admin client reads, before a poll or after it.
type around struct {
	starts, ends testkafka.Offsets
	committed    map[string]testkafka.Offsets
	until        time.Time // the last answer was in by then
}

func (k *kafka) around(topic string, groups []string) around {
	k.t.Helper()
	committed := k.committed(groups...)
	ends := k.ends(topic)
	starts := k.starts(topic)
	return around{starts.Value, ends.Value, committed.Value, starts.After}
}

// Under load every offset on a page is one that Kafka had during that poll, and
// the lag is the difference of those on the page, for all three protocols.
func TestExactUnderLoad(t *testing.T) {
	k := useKafka(t)
	const topic, partitions = "exact", 6
	k.topic(topic, partitions)
	k.producer(topic, 400)
	groups := k.loadedGroups(topic, 2, partitions)
	l := k.lagwatch("start_offset_interval: 1s")
	began := l.await(t, 20*time.Second, "commits on every partition", func(p *page) bool {
		return len(p.offsets(endOf, labels{"topic": topic})) == partitions &&
			!slices.ContainsFunc(groups, func(g string) bool { return len(p.groupOffsets(lagOf, g)) != partitions })
	})
	check := exactCheck{t: t, topic: topic, groups: groups, want: testkafka.Partitions(topic, partitions)}
	for range exactPolls {
		before := k.around(topic, groups)
		p := l.awaitPoll(t, before.until, groups...)
		check.page(p, before, k.around(topic, groups))
	}
	check.report()
	p := l.page(t)
	t.Logf("of %d polls %d missed something and were left out", p.polls("")-began.polls(""), p.missed()-began.missed())
}

// loadedGroups starts a group for each protocol (for all three, if none is
// given) whose members commit each batch.
// Those of the first are close behind the producers; the others work for a
// moment on each record, so that there is some lag.
func (k *kafka) loadedGroups(topic string, members, partitions int, protocols ...testkafka.Protocol) []string {
	k.t.Helper()
	if protocols == nil {
		protocols = []testkafka.Protocol{testkafka.ClassicRange, testkafka.ClassicCooperative, testkafka.Consumer}
	}
	var groups []string
	for _, protocol := range protocols {
		group := topic + "-" + string(protocol)
		work := 3 * time.Millisecond
		if len(groups) == 0 {
			work = 0
		}
		groups = append(groups, group)
		for i := range members {
			k.consumer(testkafka.ConsumerSpec{
				ID: fmt.Sprintf("%s-%d", group, i), Group: group, Topics: []string{topic}, Protocol: protocol,
				Processing: work, MaxPollRecords: 25,
			})
		}
	}
	for _, group := range groups {
		k.must(k.WaitAssigned(k.ctx, group, testkafka.Spread(members, partitions)))
	}
	return groups
}

// exactCheck compares pages with readings, and remembers how far apart they
// were.
type exactCheck struct {
	t      *testing.T
	topic  string
	groups []string
	want   []testkafka.TopicPartition

	pages, values int
	between       int // those that moved from one reading to the other
	lagged        int // pairs with lag
	first, last   *page
}

func (c *exactCheck) page(p *page, before, after around) {
	c.t.Helper()
	ends := p.offsets(endOf, labels{"topic": c.topic})
	c.within("end offset", ends, before.ends, after.ends)
	c.within("start offset", p.offsets(startOf, labels{"topic": c.topic}), before.starts, after.starts)
	for _, group := range c.groups {
		committed, lag := p.groupOffsets(committedOf, group), p.groupOffsets(lagOf, group)
		c.within(group+" committed offset", committed, before.committed[group], after.committed[group])
		c.everyPartition(group+" lag", lag)
		total := int64(0)
		for _, at := range c.want {
			if total += lag[at]; lag[at] < 0 || lag[at] != ends[at]-committed[at] {
				c.t.Errorf("%s at %v: lag %d, but end %d − committed %d", group, at, lag[at], ends[at], committed[at])
			}
			if lag[at] > 0 {
				c.lagged++
			}
		}
		if !p.shows(float64(total), "lagwatch_group_lag", labels{"group": group}) {
			c.t.Errorf("%s: group_lag is not the sum %d of its partitions", group, total)
		}
	}
	if c.pages++; c.first == nil {
		c.first = p
	}
	c.last = p
}

// within checks that every value lies between two readings.
func (c *exactCheck) within(what string, got, low, high testkafka.Offsets) {
	c.t.Helper()
	c.everyPartition(what, got)
	for _, at := range c.want {
		if c.values++; got[at] < low[at] || got[at] > high[at] {
			c.t.Errorf("%s at %v is %d; Kafka had %d before and %d after", what, at, got[at], low[at], high[at])
		}
		if low[at] != high[at] {
			c.between++
		}
	}
}

func (c *exactCheck) everyPartition(what string, got testkafka.Offsets) {
	c.t.Helper()
	for _, at := range c.want {
		if _, ok := got[at]; !ok {
			c.t.Errorf("%s at %v is not on the page", what, at)
		}
	}
	if len(got) != len(c.want) {
		c.t.Errorf("%s: %d series for %d partitions: %v", what, len(got), len(c.want), slices.Collect(maps.Keys(got)))
	}
}

// report tells what was seen, and fails if there was no load to see.
func (c *exactCheck) report() {
	c.t.Helper()
	moved := func(name string, match labels) float64 { return c.last.sum(name, match) - c.first.sum(name, match) }
	c.t.Logf("%d polls compared, %d values; %d of them were moving meanwhile", c.pages, c.values, c.between)
	c.t.Logf("%d of %d pairs had lag; the log grew by %.0f offsets", c.lagged, c.pages*len(c.groups)*len(c.want), moved(endOf, labels{"topic": c.topic}))
	for _, group := range c.groups {
		drained := moved(committedOf, labels{"group": group})
		c.t.Logf("%-20s committed %.0f offsets", group, drained)
		if drained == 0 {
			c.t.Errorf("%s committed nothing: there was no load", group)
		}
	}
	if c.lagged == 0 || c.between == 0 {
		c.t.Error("nothing moved: there was no load")
	}
}
