//go:build !breaking && !soak

package integration

import (
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// While members of all three protocols come and go under load, the page's
// owners, members and generation are those that the members report whenever
// they have settled, and on every page in between each partition has exactly one
// lag series and no commit goes back. At last all members are replaced at once
// (fault 9).
func TestOwnersFollowTheMembers(t *testing.T) {
	k := useKafka(t)
	const partitions = 6
	k.topic("owners", partitions)
	k.produce("owners", -1, 60)
	k.producer("owners", 200)
	l := k.lagwatch("stale_after: 30s") // on a busy machine several polls in a row may miss something
	var all []*settling
	steady := steadySeries{want: testkafka.Partitions("owners", partitions)}
	for _, protocol := range []testkafka.Protocol{testkafka.ClassicRange, testkafka.ClassicCooperative, testkafka.Consumer} {
		s := &settling{kafka: k, l: l, group: "owners-" + string(protocol), protocol: protocol, partitions: partitions, fresh: true}
		s.change("a", "")
		all, steady.groups = append(all, s), append(steady.groups, s.group)
	}
	before := l.await(t, 20*time.Second, "commits on every partition", func(p *page) bool {
		return checkSeries(p, steady.groups, steady.want) == nil
	})
	began, stop := time.Now(), l.watch(t, steady.check)
	comeAndGo(all)
	pages, seconds := stop(), time.Since(began).Seconds()
	after := l.page(t)
	polls := func(result string) int { return after.polls(result) - before.polls(result) }
	t.Logf("%d pages checked, %.1f a second; of %d polls %d were partial and %d failed",
		pages, float64(pages)/seconds, polls(""), polls("partial"), polls("failed"))
	for _, e := range after.families["lagwatch_poll_errors_total"] {
		t.Logf("    %.0f × %s at %s", e.value, e.labels["reason"], e.labels["stage"])
	}
	if pages < polls("") {
		t.Error("some polls went unseen: the machine is too busy to tell")
	}
}

// comeAndGo changes the members of all groups step by step, and waits after
// each until they have settled.
func comeAndGo(groups []*settling) {
	settled := func(step string) {
		for _, s := range groups {
			s.settled(step)
		}
	}
	settled("a alone")
	for _, step := range []struct{ join, leave string }{
		{join: "b"}, {leave: "a"}, {join: "c"}, {join: "d"}, {leave: "b"}, {leave: "d"}, {join: "e"},
	} {
		for _, s := range groups {
			s.fresh = false
			s.change(step.join, step.leave)
		}
		if step.join != "" {
			settled(step.join + " joined")
		} else {
			settled(step.leave + " left")
		}
	}
	for _, s := range groups {
		s.change("", "c")
		s.change("", "e")
		s.fresh = true
		s.change("f", "")
		s.change("g", "")
	}
	settled("all replaced")
}
