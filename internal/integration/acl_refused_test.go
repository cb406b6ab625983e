//go:build !breaking && !soak

package integration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// refusal is what one missing permission costs.
type refusal struct {
	user   string
	grants []testkafka.ACL
	// hidden are the topics of which the page has nothing.
	hidden []string
	// complete is lagwatch_group_complete of each group on the page. Of those
	// that are complete, and of all topics that aren't hidden, the page shows
	// what a super user's does, but for those that are short.
	complete map[string]float64
	// short are groups that look whole and are not: Kafka leaves out what it
	// hides, and nothing else names it.
	short []string
	// errors are counted in each poll, by stage; all are "unauthorized".
	errors map[string]int
	// settings is how often refused settings are counted, in all polls together.
	settings int
	// logged is what the log names, once.
	logged []string
}

var refusals = []refusal{
	{
		user:   "refused-group",
		grants: []testkafka.ACL{theCluster, allGroups, allTopics, allSettings, refuse("GROUP", "asked-both-classic"), refuse("GROUP", "asked-both-share")},
		complete: map[string]float64{
			"asked-both-classic": 0, "asked-both-consumer": 1, "asked-both-share": 0, "asked-both-streams": 1, askedOther: 1, askedOnly: 1,
		},
		errors: map[string]int{"describe_groups": 2},
		logged: []string{"group=asked-both-classic", "group=asked-both-share"},
	},
	{
		user:   "refused-topic",
		grants: []testkafka.ACL{theCluster, allGroups, allTopics, allSettings, refuse("TOPIC", askedHidden)},
		hidden: []string{askedHidden},
		complete: map[string]float64{
			"asked-both-classic": 0, "asked-both-consumer": 0, "asked-both-share": 0, "asked-both-streams": 0, askedOther: 1, askedOnly: 1,
		},
		short:  []string{askedOther},
		errors: map[string]int{"metadata": 1, "describe_groups": 3},
		logged: []string{"topic=asked-hidden", "group=asked-both-consumer", "group=asked-both-share", "group=asked-both-streams"},
	},
	{
		user:     "refused-listing",
		grants:   []testkafka.ACL{describe("GROUP", askedOther), allTopics, allSettings},
		complete: map[string]float64{askedOther: 1},
	},
	{
		user:   "refused-settings",
		grants: []testkafka.ACL{theCluster, allGroups, allTopics},
		complete: map[string]float64{
			"asked-both-classic": 1, "asked-both-consumer": 1, "asked-both-share": 1, "asked-both-streams": 1, askedOther: 1, askedOnly: 1,
		},
		settings: 1,
		logged:   []string{"stage=describe_configs"},
	},
	{
		user:   "refused-all",
		hidden: []string{askedSeen, askedHidden},
	},
}

// refused takes one permission after the other away. What it doesn't cover is as
// it would be with it; what it does is counted where Kafka tells it.
func refused(s *secured) {
	for _, r := range refusals {
		s.allow(r.user, r.grants...)
		w := s.as(r.user)
		var wrong error
		w.await(s.t, 30*time.Second, "polls", func(p *page) bool {
			wrong = r.check(p, s.want)
			return p.polls("") > 0 && (wrong == nil || p.polls("") >= 20)
		})
		if wrong != nil {
			s.t.Errorf("%s: %v", r.user, wrong)
		}
		w.eachPoll(r.errors)
		if n := w.page(s.t).sum("lagwatch_poll_errors_total", labels{"stage": "describe_configs"}); int(n) != r.settings {
			s.t.Errorf("%s: refused settings are counted %v times, not %d", r.user, n, r.settings)
		}
		w.end(s.t)
		w.checkLogged(0, r.logged...)
		if n := len(linesOf(w.log, "shows no topics or no groups")); n != 1 && len(r.complete) == 0 {
			s.t.Errorf("%s: %d lines say that nothing is seen, not 1", r.user, n)
		}
		_, list := w.decided()
		s.t.Logf("%s: group_complete %v, %v unauthorized a poll; refused: %s", r.user, r.complete, r.errors, strings.Join(list, ", "))
	}
}

func (r refusal) check(p *page, want content) error {
	complete := map[string]float64{}
	for _, s := range p.families["lagwatch_group_complete"] {
		complete[s.labels["group"]] = s.value
	}
	if !maps.Equal(complete, r.complete) {
		return fmt.Errorf("group_complete is %v, not %v", complete, r.complete)
	}
	for _, family := range []string{startOf, endOf, "lagwatch_topic_partitions", lagOf} {
		for _, topic := range r.hidden {
			if list := p.find(family, labels{"topic": topic}); len(list) > 0 {
				return fmt.Errorf("%s is there: %v", family, list)
			}
		}
	}
	var apart []string
	for group := range r.groups(want) {
		if r.complete[group] != 1 || slices.Contains(r.short, group) {
			apart = append(apart, group)
		}
	}
	rest := func(c content) content {
		if r.settings > 0 {
			c = c.withoutSettings()
		}
		return c.without("group", apart...).without("topic", r.hidden...)
	}
	for family, list := range p.families {
		if r.settings > 0 && len(list) > 0 && strings.HasSuffix(family, headrooms) {
			return fmt.Errorf("%s is there: %v", family, list)
		}
	}
	if diff := cmp.Diff(rest(want), rest(contentOf(p))); diff != "" {
		return fmt.Errorf("what is not concerned (-super user +page):\n%s", diff)
	}
	return nil
}

// groups are all groups of the content.
func (r refusal) groups(c content) map[string]bool {
	set := map[string]bool{}
	for series := range c {
		if _, rest, ok := strings.Cut(series, "lagwatch_group_completemap[group:"); ok {
			name, _, _ := strings.Cut(rest, " ")
			set[name] = true
		}
	}
	return set
}
