//go:build !breaking && !soak

package integration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// countedPolls is over how many polls requests are counted.
const countedPolls = 10

// What the brokers log of each poll is one Metadata request and at most four for
// each broker, for 10 groups as for 500, and one more for each coordinator that
// has groups of the consumer protocol.
func TestRequestsPerPoll(t *testing.T) {
	k := useKafka(t)
	k.topic("requests", 3)
	k.produce("requests", -1, 60)
	commits := testkafka.Offsets{}
	for _, at := range testkafka.Partitions("requests", 3) {
		commits[at] = 5
	}
	brokers := len(k.cluster.Bootstrap())
	most := 4*brokers + 1

	k.manyGroups("requests-a-", 10, commits)
	ten := k.countRequests("10 classic groups", 10)
	ten.check(t, most)

	k.manyGroups("requests-b-", 490, commits)
	many := k.countRequests("500 classic groups", 500)
	many.check(t, most)
	if diff := cmp.Diff(ten.eachPoll(), many.eachPoll()); diff != "" {
		t.Errorf("requests a poll (-10 groups +500 groups):\n%s", diff)
	}

	coordinators := k.consumerGroups("requests", 3)
	k.countRequests(fmt.Sprintf("500 classic groups, and 3 of the consumer protocol on %d coordinators", coordinators), 503).check(t, most+coordinators)
}

// manyGroups makes classic groups without members.
func (k *kafka) manyGroups(prefix string, n int, commits testkafka.Offsets) {
	k.t.Helper()
	names, err := k.CreateGroups(k.ctx, prefix, n, commits)
	k.removed(names...)
	k.must(err)
}

// consumerGroups makes groups of the consumer protocol with one member each and
// returns on how many brokers they are.
func (k *kafka) consumerGroups(topic string, n int) (coordinators int) {
	k.t.Helper()
	var groups []string
	for i := range n {
		group := fmt.Sprintf("%s-consumer-%d", topic, i)
		groups = append(groups, group)
		k.consumer(testkafka.ConsumerSpec{ID: group, Group: group, Topics: []string{topic}, Protocol: testkafka.Consumer})
	}
	k.caughtUp(topic, groups...)
	described, err := k.DescribeGroups(k.ctx, groups...)
	k.must(err)
	on := map[int]bool{}
	for _, g := range described.Value {
		on[g.Coordinator] = true
	}
	return len(on)
}

// counted is what brokers logged of one lagwatch.
type counted struct {
	what   string
	polls  int
	sent   map[string]int // requests of those polls, by API and version
	setUp  map[string]int // what connections needed, from start to end
	missed int            // polls that were not complete, from start to end
}

// countRequests lets a lagwatch poll and reads from the brokers' logs what that
// took. Start offsets are read by the first polls only, which aren't counted.
func (k *kafka) countRequests(what string, groups int) counted {
	k.t.Helper()
	mark, err := k.cluster.Mark(k.ctx)
	k.must(err)
	// Static members of other tests stay until their sessions end, and so do their groups.
	l := k.lagwatch("start_offset_interval: 1h", "groups: {include: [requests-.*]}")
	first, last := k.completePolls(l)
	l.end(k.t)
	if n := len(last.groups()); n != groups {
		k.t.Fatalf("%d groups on the page, not %d: %v", n, groups, last.groups())
	}
	byBroker, _, err := k.cluster.RequestsSince(k.ctx, mark, "lagwatch")
	k.must(err)
	c := counted{
		what: what, polls: last.polls("") - first.polls(""), missed: last.missed(),
		sent: map[string]int{}, setUp: map[string]int{},
	}
	from, _ := first.pollBegan()
	to, _ := last.pollBegan()
	for _, list := range byBroker {
		k.must(onlyReads(list))
		for _, r := range list {
			name := fmt.Sprintf("%s v%d", r.API, r.Version)
			if isSetUp(r) {
				c.setUp[name]++
			} else if !r.At.Before(from) && r.At.Before(to) {
				c.sent[name]++
			}
		}
	}
	return c
}

// completePolls returns the page of a poll, and that of a later one; none that
// was between them missed anything. The requests from the beginning of one to
// the beginning of the other are those of as many polls as are between.
func (k *kafka) completePolls(l *lagwatch) (first, last *page) {
	k.t.Helper()
	missed := 0
	last = l.await(k.t, 90*time.Second, "complete polls in a row", func(p *page) bool {
		if first == nil && p.polls("complete") >= 2 || p.missed() > missed {
			first, missed = p, p.missed()
		}
		return first != nil && p.polls("")-first.polls("") >= countedPolls
	})
	return first, last
}

// check holds the polls to a number of requests each and prints what was
// counted. Where a broker was slow to tell the metadata, another was asked too:
// those requests come on top.
func (c counted) check(t *testing.T, most int) {
	t.Helper()
	second := -c.polls
	for api, n := range c.sent {
		if strings.HasPrefix(api, "METADATA") {
			second += n
		}
	}
	t.Logf("%s: %.2f requests a poll over %d polls (%d of them to a second broker for metadata); at most %d are right",
		c.what, float64(total(c.sent))/float64(c.polls), c.polls, second, most)
	for _, api := range slices.Sorted(maps.Keys(c.sent)) {
		t.Logf("    %-28s %5.2f a poll", api, float64(c.sent[api])/float64(c.polls))
	}
	for _, api := range slices.Sorted(maps.Keys(c.setUp)) {
		t.Logf("    %-28s %5d in all, to set up connections", api, c.setUp[api])
	}
	if second < 0 || second > c.polls/2 || total(c.sent)-second > c.polls*most {
		t.Errorf("%s: %d requests for %d polls", c.what, total(c.sent), c.polls)
	}
	if n := total(c.setUp); n > mostSetUp && c.missed == 0 {
		t.Errorf("%s: connections took %d requests to set up, more than %d", c.what, n, mostSetUp)
	}
}

// eachPoll is how many requests of each API a poll took, but for metadata.
func (c counted) eachPoll() map[string]float64 {
	each := map[string]float64{}
	for api, n := range c.sent {
		if !strings.HasPrefix(api, "METADATA") {
			each[api] = float64(n) / float64(c.polls)
		}
	}
	return each
}

func total(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}
