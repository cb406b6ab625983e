//go:build !breaking && !soak

package integration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sessionsSeen is over how many sessions a lagwatch is watched.
const sessionsSeen = 5

// sessions is fault 26: Kafka ends each session after a while, and then the
// password is another one. Nothing of that is on the page.
func sessions(s *secured) {
	s.scramUser("rotated")
	login := func(password string) string { return s.saslSetting("SCRAM-SHA-512", "rotated", password) }
	l := s.on(onSession, login(passwordOf("rotated")), "stale_after: 60s")
	l.showsContent(s, s.want)
	stop := l.watch(s.t, s.whole)
	steady := s.overSessions(l)

	before := l.page(s.t)
	s.must(s.SetPassword(s.ctx, "rotated", "rotated-new-secret"))
	login("rotated-new-secret")
	// Brokers learn of it in their own time: a session that ends meanwhile
	// costs a poll.
	rotating := l.awaitPoll(s.t, time.Now().Add(sessionTime))
	after := s.overSessions(l)
	s.t.Logf("%s; rotated within %d polls, %d not complete; then %s; %d pages had every value", steady,
		rotating.polls("")-before.polls(""), rotating.missed()-before.missed(), after, stop())
	l.end(s.t)
}

// flags are the families that tell of the last poll.
var flags = []string{"lagwatch_up", "lagwatch_broker_up", "lagwatch_group_complete", "lagwatch_group_coordinator"}

// whole checks that a page has every value there is, and that none has changed,
// but for the flags of a poll that the machine was too busy for.
func (s *secured) whole(p *page) error {
	values := func(c content) content {
		c = maps.Clone(c)
		maps.DeleteFunc(c, func(series string, _ float64) bool {
			family, _, _ := strings.Cut(series, "map[")
			return slices.Contains(flags, family)
		})
		return c
	}
	if diff := cmp.Diff(values(s.want), values(contentOf(p))); diff != "" {
		return fmt.Errorf("(-want +page):\n%s", diff)
	}
	return nil
}

// overSessions watches over several sessions that not one poll misses anything
// for their sake, and tells what it saw.
func (s *secured) overSessions(l *lagwatch) string {
	s.t.Helper()
	first, began := l.page(s.t), time.Now()
	logins, _, err := s.cluster.Logins(sessionTime)
	s.must(err)
	last := l.await(s.t, time.Minute, "sessions to end", func(p *page) bool { return time.Since(began) > sessionsSeen*sessionTime })
	now, _, err := s.cluster.Logins(sessionTime)
	s.must(err)
	missed, busy := last.missed()-first.missed(), 0
	for _, e := range last.families["lagwatch_poll_errors_total"] {
		n := int(e.value - first.sum("lagwatch_poll_errors_total", e.labels))
		if e.labels["reason"] == "timeout" {
			busy += n
		} else if n > 0 && e.labels["reason"] != "unavailable" {
			s.t.Errorf("%d errors %v", n, e.labels)
		}
	}
	what := fmt.Sprintf("%d polls over %.0f s and %d logins, %d not complete", last.polls("")-first.polls(""), time.Since(began).Seconds(), now-logins, missed)
	if missed > 0 && busy == 0 || now-logins < sessionsSeen {
		s.t.Error(what)
	}
	return what
}
