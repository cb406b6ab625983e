//go:build !breaking && !soak

package integration

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// groupWithdrawn takes the permission on groups away from a lagwatch that reads
// them, and gives it back. Each is one problem, whether it is still listed or
// not, and however many brokers there are; its values age out, and come back.
func groupWithdrawn(s *secured) {
	groups := []string{"asked-both-classic", "asked-both-consumer", "asked-both-share", askedOther}
	for user, grants := range map[string][]testkafka.ACL{
		"withdrawn-listed":   {theCluster, allGroups, allTopics, allSettings},
		"withdrawn-unlisted": {allGroups, allTopics, allSettings},
	} {
		s.allow(user, grants...)
		w := s.as(user, "start_offset_interval: 2s")
		w.showsContent(s, s.want)
		lines := len(linesOf(w.log, "reason=unauthorized"))
		began := time.Now()
		givenBack := w.withdraw("GROUP", groups...)
		w.await(s.t, 30*time.Second, "the groups to be incomplete", func(p *page) bool {
			for _, group := range groups {
				if !p.shows(0, "lagwatch_group_complete", labels{"group": group}) {
					return false
				}
			}
			return true
		})
		w.eachPoll(map[string]int{"describe_groups": len(groups)})
		awaitEqual(s.t, w.lagwatch, 30*time.Second, "only their values to age out", s.want.without("group", groups...), func(p *page) content {
			if w.shownOf(p, groups) {
				return nil
			}
			return contentOf(p).without("group", groups...)
		})
		aged := time.Since(began)
		var named []string
		for _, group := range groups {
			named = append(named, "group="+group)
		}
		w.checkLogged(lines, named...)
		began = time.Now()
		givenBack()
		w.showsContent(s, s.want)
		s.t.Logf("%s: %d problems a poll for %d groups, whose values were gone after %.1f s; all there %.1f s after the permission was given back",
			user, len(groups), len(groups), aged.Seconds(), time.Since(began).Seconds())
		w.end(s.t)
	}
}

// withdraw forbids the user DESCRIBE on some resources until the function that
// it returns is called.
func (w *watching) withdraw(resource string, names ...string) (giveBack func()) {
	w.t.Helper()
	var denied []testkafka.ACL
	for _, name := range names {
		deny := refuse(resource, name)
		deny.Principal = "User:" + w.user
		denied = append(denied, deny)
	}
	w.must(w.CreateACLs(w.ctx, denied...))
	return func() { w.t.Helper(); w.must(w.DeleteACLs(w.ctx, denied...)) }
}

// shownOf is whether a page has values of any of the groups.
func (w *watching) shownOf(p *page, groups []string) bool {
	for _, group := range groups {
		for _, family := range []string{lagOf, committedOf, ownerOf, "lagwatch_group_lag", "lagwatch_group_members"} {
			if len(p.find(family, labels{"group": group})) > 0 {
				return true
			}
		}
	}
	return false
}
