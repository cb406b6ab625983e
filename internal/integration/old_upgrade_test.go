//go:build breaking

package integration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// TestBreakingRollingUpgrade proves that while brokers are upgraded one after
// the other, polls go on, each broker is asked in the versions that it has at
// the moment, and no lag is false: that of groups which stand still is right on
// every page, and that of busy ones lies between two readings of Kafka's.
func TestBreakingRollingUpgrade(t *testing.T) {
	for _, test := range []struct {
		name, from, to string
		settings       map[string]string
	}{
		{"3.9 to 4.4", "3.9.2", "4.4.0", nil},
		{"2.8 to 3.9 with ZooKeeper", "2.8.2", "3.9.2", map[string]string{"inter.broker.protocol.version": "2.8"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rollingUpgrade(t, test.from, test.to, test.settings)
		})
	}
}

// classicGroups are the busy groups of a cluster that knows no others.
var classicGroups = map[string]testkafka.Protocol{
	"eager": testkafka.ClassicRange, "cooperative": testkafka.ClassicCooperative,
}

func rollingUpgrade(t *testing.T, from, to string, settings map[string]string) {
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	load := startOldLoad(t, from, settings)
	placed := placeGroups(t, load)
	// Slower than other tests, so that a busy machine does not look like a
	// broker that is down.
	l := startLagwatch(t, load.cluster.Bootstrap(), "interval: 2s", "request_timeout: 1500ms", "stale_after: 5m")
	whole := l.await(t, time.Minute, "everything on a cluster of one version", placed.wholeOld)
	checkBetween(t, l, load.driver)
	r := record(t, l, 300*time.Millisecond)
	for id := 1; id <= 3; id++ {
		awaitInSync(t, load.driver)
		placed.locate(t, load.driver)
		before, order := l.page(t), time.Now()
		check(t, load.cluster.Upgrade(ctx, id, to))
		served := time.Now()
		p := l.await(t, 2*time.Minute, "everything complete with the upgraded broker", func(p *page) bool {
			return p.polls("") >= before.polls("")+3 && placed.wholeOld(p)
		})
		during := r.between(t, order, time.Now())
		t.Logf("broker %d serves as %s after %s; everything is complete %s later; errors before: %s; now: %s",
			id, to, seconds(served.Sub(order)), seconds(time.Since(served)), errorCounts(before), errorCounts(p))
		checkAnswered(t, during)
		placed.checkUpgrade(t, during, id)
		checkNoneLost(t, during, whole)
		checkBetween(t, l, load.driver)
		checkVersions(t, l, load.cluster)
	}
	t.Logf("of %d polls %d were partial and %d failed", l.page(t).polls(""), l.page(t).polls("partial"), l.page(t).polls("failed"))
}

// startOldLoad is startLoad on a cluster of some version. Leaders stay where a
// restart has put them, so that a test knows where they are.
func startOldLoad(t *testing.T, version string, settings map[string]string) *load {
	t.Helper()
	testkafka.Require(t, version)
	properties := map[string]string{"auto.leader.rebalance.enable": "false"}
	maps.Copy(properties, settings)
	c, err := testkafka.Start(t.Context(), testkafka.Options{Version: version, Properties: properties, RequestLog: true})
	check(t, err)
	t.Cleanup(func() { check(t, c.Close()) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	d, err := c.Driver(ctx)
	check(t, err)
	l := &load{c, d}
	check(t, d.CreateTopic(ctx, testkafka.TopicSpec{Name: busyTopic, Partitions: busyPartitions, Replicas: 3}))
	check(t, l.standStill(ctx))
	check(t, d.StartProducer(ctx, testkafka.ProducerSpec{ID: "till", Topic: busyTopic, Rate: 60}))
	for group, protocol := range classicGroups {
		for _, id := range []string{group + "-1", group + "-2"} {
			check(t, d.StartConsumer(ctx, busyConsumer(id, group, protocol)))
		}
		check(t, d.WaitAssigned(ctx, group, testkafka.Spread(2, busyPartitions)))
	}
	return l
}

// wholeOld tells whether all brokers are up and all groups read wholly, with
// the lag that those which stand still have.
func (pl placement) wholeOld(p *page) bool {
	for group := range classicGroups {
		if !settled(p, group) || len(p.groupOffsets(lagOf, group)) != busyPartitions || !p.complete(group) {
			return false
		}
	}
	return len(p.families["lagwatch_broker_up"]) == 3 && p.all(1, "lagwatch_broker_up", nil) &&
		p.complete(standingGroup) && standsStill(p) == nil && pl.complete(p)
}

// awaitInSync returns when every replica has caught up: a broker that others
// wait for may not be stopped.
func awaitInSync(t *testing.T, d *testkafka.Driver) {
	t.Helper()
	await.Until(t, time.Minute, "replicas in sync", func() bool {
		topics, err := d.Topics(t.Context())
		check(t, err)
		all, err := d.DescribeTopics(t.Context(), topics.Value...)
		check(t, err)
		return !slices.ContainsFunc(all.Value, func(p testkafka.PartitionDescription) bool {
			return p.Leader == nil || len(p.InSync) < len(p.Replicas)
		})
	})
}

// locate finds out anew where groups and leaders are.
func (pl placement) locate(t *testing.T, d *testkafka.Driver) {
	t.Helper()
	groups, err := d.DescribeGroups(t.Context(), slices.Collect(maps.Keys(pl))...)
	check(t, err)
	committed, err := d.CommittedOffsets(t.Context(), slices.Collect(maps.Keys(pl))...)
	check(t, err)
	for group := range pl {
		for place := range committed.Value[group] {
			topic, err := d.DescribeTopics(t.Context(), place.Topic)
			check(t, err)
			pl[group] = struct{ coordinator, leader int }{groups.Value[group].Coordinator, *topic.Value[0].Leader}
		}
	}
}

// checkUpgrade checks the pages of the time in which a broker restarted: groups
// that stand still show their lag on all of them, no poll failed, the other
// brokers are up, and only groups that needed the restarted one are ever
// incomplete, but for moments in which the machine was too busy for the others
// as well.
func (pl placement) checkUpgrade(t *testing.T, during []scrape, id int) {
	t.Helper()
	busy := slowMoments(t, during)
	needed, marked := 0, map[string]bool{}
	for group, at := range pl {
		needs := at.coordinator == id || at.leader == id
		if needs {
			needed++
		}
		for i, s := range during {
			if lag, ok := s.value(lagOf, labels{"group": group}); !ok || lag != placedRecords-placedCommit {
				t.Errorf("at %s the lag of %s is %v (known: %v)", clock(s.asked), group, lag, ok)
			}
			complete := s.complete(group)
			if marked[group] = marked[group] || !complete; !complete && !needs && !busy[i] {
				t.Errorf("at %s %s is incomplete, of broker %d on a topic that %d leads", clock(s.asked), group, at.coordinator, at.leader)
			}
		}
	}
	for i, s := range during {
		if err := standsStill(s.page); err != nil {
			t.Errorf("at %s: %v", clock(s.asked), err)
		}
		if i > 0 && s.polls("failed") > during[i-1].polls("failed") && !busy[i] {
			t.Errorf("at %s a poll has failed", clock(s.asked))
		}
		for _, b := range s.find("lagwatch_broker_up", nil) {
			if b.value != 1 && b.labels["broker"] != strconv.Itoa(id) && !busy[i] {
				t.Errorf("at %s broker %s is shown as down", clock(s.asked), b.labels["broker"])
			}
		}
	}
	incomplete := 0
	for _, m := range marked {
		if m {
			incomplete++
		}
	}
	t.Logf("%d of %d groups that stand still needed the broker, %d were incomplete for a time", needed, len(pl), incomplete)
}

// slowMoments finds the pages on which living brokers may have been too slow,
// because the machine was: a broker that restarts refuses at once, it does not
// let anyone wait.
func slowMoments(t *testing.T, list []scrape) map[int]bool {
	t.Helper()
	slow := map[int]bool{}
	for i := range list {
		starved, timeouts := within(list, i, 10*time.Second) // a good two polls
		if timeouts > 0 || starved > 2*time.Second {
			slow[i] = true
		}
	}
	t.Logf("on %d of %d pages the machine had been too busy for brokers to answer in time", len(slow), len(list))
	return slow
}

// checkBetween checks that on a page all offsets of the busy groups lie between
// two readings of Kafka's admin client, and that lag is their difference.
func checkBetween(t *testing.T, l *lagwatch, d *testkafka.Driver) {
	t.Helper()
	groups := slices.Collect(maps.Keys(classicGroups))
	read := func() (committed map[string]testkafka.Offsets, ends testkafka.Offsets, until time.Time) {
		c, err := d.CommittedOffsets(t.Context(), groups...)
		check(t, err)
		e, err := d.EndOffsets(t.Context(), busyTopic)
		check(t, err)
		return c.Value, e.Value, e.After
	}
	values := 0
	for range 3 {
		low, lowEnds, until := read()
		p := l.awaitPoll(t, until, groups...)
		high, highEnds, _ := read()
		ends := p.offsets(endOf, labels{"topic": busyTopic})
		for _, group := range groups {
			committed, lag := p.groupOffsets(committedOf, group), p.groupOffsets(lagOf, group)
			for _, at := range testkafka.Partitions(busyTopic, busyPartitions) {
				values++
				got := fmt.Sprintf("%s at %v: committed %d (%d to %d), end %d (%d to %d), lag %d", group, at,
					committed[at], low[group][at], high[group][at], ends[at], lowEnds[at], highEnds[at], lag[at])
				if committed[at] < low[group][at] || committed[at] > high[group][at] ||
					ends[at] < lowEnds[at] || ends[at] > highEnds[at] || lag[at] != ends[at]-committed[at] {
					t.Errorf("not between Kafka's own readings: %s", got)
				}
			}
		}
	}
	t.Logf("%d lags of busy groups lie between two readings of Kafka's", values)
}

// checkVersions checks that each broker is now asked in the highest versions
// that it has.
func checkVersions(t *testing.T, l *lagwatch, c *testkafka.Cluster) {
	t.Helper()
	mark, err := c.Mark(t.Context())
	check(t, err)
	p := l.page(t)
	l.await(t, time.Minute, "two polls", func(q *page) bool { return q.polls("") >= p.polls("")+2 })
	byBroker, _, err := c.RequestsSince(t.Context(), mark, "lagwatch")
	check(t, err)
	for id, list := range byBroker {
		version := c.Broker(id).Version()
		for _, r := range list {
			if want, ok := speaks[version][r.API]; ok && r.Version != want {
				t.Errorf("broker %d of %s is asked %s v%d, want v%d", id, version, r.API, r.Version, want)
			}
		}
		if len(list) == 0 {
			t.Errorf("broker %d was not asked anything", id)
		}
		t.Logf("broker %d of %s: %v", id, version, spoken(list))
	}
}

// spoken counts requests by name and version.
func spoken(list []testkafka.Request) map[string]int {
	counts := map[string]int{}
	for _, r := range list {
		counts[fmt.Sprintf("%s v%d", r.API, r.Version)]++
	}
	return counts
}
