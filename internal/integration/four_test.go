//go:build !breaking && !soak

package integration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// fourCheck compares pages with readings.
type fourCheck struct {
	*four
	pages, values, moving, lagged int
	shareWidth                    int64 // of all brackets of share lags
	shareValues                   int
}

func (c *fourCheck) page(p *page, before, after testkafka.Positions) {
	c.t.Helper()
	c.pages++
	ends := p.offsets(endOf, labels{})
	for group, places := range c.committing() {
		committed, lag := p.groupOffsets(committedOf, group), p.groupOffsets(lagOf, group)
		for _, at := range places {
			c.within(group+" committed", at, committed, before.Committed[group][at], after.Committed[group][at])
			c.within(group+" end", at, ends, before.FirstEnds[at], after.LastEnds[at])
			if n, ok := lag[at]; !ok || n != max(0, ends[at]-committed[at]) {
				c.t.Errorf("%s at %v: lag %d (%v), but end %d − committed %d", group, at, n, ok, ends[at], committed[at])
			}
			if lag[at] > 0 {
				c.lagged++
			}
		}
		c.sum(p, group, lag)
	}
	starts, lag := p.groupOffsets(shareStartOf, c.share), p.groupOffsets(lagOf, c.share)
	was, is := before.Share[c.share], after.Share[c.share]
	for _, at := range c.places {
		c.within("share start", at, starts, was.Starts[at], is.Starts[at])
		// What is done, end − lag, only grows. Each reading bounds it by the
		// ends before and after; so it is bounded during the poll.
		least, most := before.FirstEnds[at]-was.Lags[at], after.LastEnds[at]-is.Lags[at]
		low, high := max(0, before.LastEnds[at]-most), after.FirstEnds[at]-least
		c.within("share lag", at, lag, low, high)
		c.shareWidth, c.shareValues = c.shareWidth+high-low, c.shareValues+1
	}
	c.sum(p, c.share, lag)
}

// within checks that a value lies between two readings.
func (c *fourCheck) within(what string, at testkafka.TopicPartition, got testkafka.Offsets, low, high int64) {
	c.t.Helper()
	n, ok := got[at]
	if c.values++; !ok || n < low || n > high {
		c.t.Errorf("%s at %v is %d (known: %v); Kafka allows %d to %d", what, at, n, ok, low, high)
	}
	if low != high {
		c.moving++
	}
}

func (c *fourCheck) sum(p *page, group string, lag testkafka.Offsets) {
	c.t.Helper()
	total := int64(0)
	for _, n := range lag {
		total += n
	}
	if !p.shows(float64(total), "lagwatch_group_lag", labels{"group": group}) {
		c.t.Errorf("%s: group_lag is not the sum %d of its partitions", group, total)
	}
}

func (c *fourCheck) report() {
	c.t.Helper()
	c.t.Logf("%d polls compared, %d values, %d of them moving meanwhile, %d with lag; share lags were known to %.0f offsets",
		c.pages, c.values, c.moving, c.lagged, float64(c.shareWidth)/float64(c.shareValues))
	if c.moving == 0 || c.lagged == 0 {
		c.t.Error("nothing moved: there was no load")
	}
}

// standings is where all groups stand and who owns what.
type standings struct {
	Committed map[string]testkafka.Offsets
	Lag       map[string]testkafka.Offsets
	Start     testkafka.Offsets
	Owners    map[string]map[testkafka.TopicPartition]owner
	Members   map[string]int
}

// quiet waits until Kafka's admin client and a page say the same of everything.
func (f *four) quiet(l *lagwatch, step string) {
	f.t.Helper()
	var want standings
	diff := "no page"
	defer func() {
		if diff != "" {
			f.t.Logf("%s (-Kafka +page):\n%s", step, diff)
		}
	}()
	l.await(f.t, 2*time.Minute, step+": the page to say what Kafka does", func(p *page) bool {
		before := f.positions()
		got := f.shown(l.awaitPoll(f.t, before.After, f.groups()...))
		want = f.told(f.positions().Value)
		diff = cmp.Diff(want, got)
		return diff == ""
	})
	for _, group := range f.groups() {
		f.t.Logf("%s: %-14s %d members, %d owned partitions, lag %v", step, group, want.Members[group], len(want.Owners[group]), want.Lag[group])
	}
}

// shown is what a page says.
func (f *four) shown(p *page) standings {
	s := standings{
		Committed: map[string]testkafka.Offsets{}, Lag: map[string]testkafka.Offsets{},
		Start:  p.groupOffsets(shareStartOf, f.share),
		Owners: map[string]map[testkafka.TopicPartition]owner{}, Members: map[string]int{},
	}
	for _, group := range f.groups() {
		if group != f.share {
			s.Committed[group] = p.groupOffsets(committedOf, group)
		}
		s.Lag[group], s.Owners[group] = p.groupOffsets(lagOf, group), p.owners(group)
		s.Members[group] = shownInt(p, "lagwatch_group_members", labels{"group": group})
	}
	return s
}

// told is what Kafka's admin client says.
func (f *four) told(now testkafka.Positions) standings {
	f.t.Helper()
	s := standings{
		Committed: now.Committed, Start: now.Share[f.share].Starts,
		Lag:    map[string]testkafka.Offsets{f.share: now.Share[f.share].Lags},
		Owners: map[string]map[testkafka.TopicPartition]owner{}, Members: map[string]int{},
	}
	for group, committed := range now.Committed {
		s.Lag[group] = testkafka.Offsets{}
		for at, offset := range committed {
			s.Lag[group][at] = now.LastEnds[at] - offset
		}
	}
	for _, described := range f.describeAll() {
		s.Owners[described.Group], s.Members[described.Group] = ownersOf(described), len(described.Members)
	}
	return s
}

func (f *four) describeAll() []testkafka.GroupDescription {
	f.t.Helper()
	members, err := f.DescribeGroups(f.ctx, f.classic, f.consumer)
	f.must(err)
	share, err := f.DescribeShareGroups(f.ctx, f.share)
	f.must(err)
	streams, err := f.DescribeStreamsGroups(f.ctx, f.streams)
	f.must(err)
	return slices.Concat(slices.Collect(maps.Values(members.Value)), slices.Collect(maps.Values(share.Value)), slices.Collect(maps.Values(streams.Value)))
}

// ownersOf names owners as a page does.
func ownersOf(g testkafka.GroupDescription) map[testkafka.TopicPartition]owner {
	lists := map[testkafka.TopicPartition][]string{}
	for _, m := range g.Members {
		for _, at := range m.Assignment {
			lists[at] = append(lists[at], m.ClientID+"@"+strings.TrimPrefix(m.Host, "/"))
		}
	}
	out := map[testkafka.TopicPartition]owner{}
	for at, list := range lists {
		slices.Sort(list)
		out[at] = owner(strings.Join(list, " "))
	}
	return out
}

// holdOne has a member of the share group hold a record while another one does
// the rest.
func (f *four) holdOne() {
	f.t.Helper()
	for i := range 2 {
		f.must(f.CloseConsumer(f.ctx, fmt.Sprintf("%s-%d", f.share, i)))
	}
	f.sharer(f.share+"-holder", testkafka.HoldOne)
	f.produce(f.topic, 1, 10)
	event, _, err := f.WaitEvent(f.ctx, 0, func(e testkafka.Event) bool { return e.Kind == testkafka.Held })
	f.must(err)
	f.sharer(f.share+"-2", testkafka.Accept)
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
