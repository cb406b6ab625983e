//go:build !breaking && !soak

package integration

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/testkafka"
)

// Fault 25: on a cluster with an authorizer, lagwatch needs what
// docs/permissions.md asks for and nothing more, and a missing permission costs
// what it covers. The cluster ends with the test.
func TestLeastPrivilege(t *testing.T) {
	s := startSecured(t, 2)
	t.Run("empty", func(t *testing.T) { emptyStaysEmpty(s.in(t)) }) // before there is anything
	s.askedData()
	s.want = s.reference()
	for name, test := range map[string]func(*secured){
		"documented":      documentedPermissions,
		"refused":         refused,
		"group withdrawn": groupWithdrawn,
		"topic withdrawn": topicWithdrawn,
		"answers":         kafkaAnswers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(s.in(t))
		})
	}
}

// watching is a lagwatch of a user's, and what the authorizers decide about
// that user from then on.
type watching struct {
	*lagwatch
	*secured
	user string
	mark testkafka.Mark
}

// as starts a lagwatch that logs in as a user.
func (s *secured) as(user string, settings ...string) *watching {
	s.t.Helper()
	_, mark, err := s.cluster.Authorizations(testkafka.Mark{}, "nobody")
	s.must(err)
	l := s.on(onSASL, append(settings, s.saslSetting("PLAIN", user, passwordOf(user)))...)
	return &watching{l, s, user, mark}
}

// needed is what each request of lagwatch's needs, by "request on resource":
// the table in docs/permissions.md.
var needed = map[string]string{
	"Metadata on Topic":                  "DESCRIBE",
	"ListGroups on Cluster":              "DESCRIBE",
	"ListGroups on Group":                "DESCRIBE",
	"DescribeGroups on Group":            "DESCRIBE",
	"ConsumerGroupDescribe on Group":     "DESCRIBE",
	"ConsumerGroupDescribe on Topic":     "DESCRIBE",
	"ShareGroupDescribe on Group":        "DESCRIBE",
	"ShareGroupDescribe on Topic":        "DESCRIBE",
	"StreamsGroupDescribe on Group":      "DESCRIBE",
	"StreamsGroupDescribe on Topic":      "DESCRIBE",
	"OffsetFetch on Group":               "DESCRIBE",
	"OffsetFetch on Topic":               "DESCRIBE",
	"DescribeShareGroupOffsets on Group": "DESCRIBE",
	"DescribeShareGroupOffsets on Topic": "DESCRIBE",
	"ListOffsets on Topic":               "DESCRIBE",
	"DescribeConfigs on Topic":           "DESCRIBE_CONFIGS",
}

// decided counts how often the user's requests needed something, by "request on
// resource", and lists what was refused. It fails the test where one needed
// more than lagwatch may ever need.
func (w *watching) decided() (times map[string]int, refused []string) {
	w.t.Helper()
	byBroker, _, err := w.cluster.Authorizations(w.mark, "User:"+w.user)
	w.must(err)
	times = map[string]int{}
	for _, list := range byBroker {
		for _, a := range list {
			what := a.Request + " on " + a.Resource
			if needed[what] != a.Operation {
				w.t.Errorf("lagwatch asked for more than it may need: %v", a)
			}
			times[what]++
			if !a.Allowed {
				refused = append(refused, fmt.Sprintf("%s %s", what, a.Name))
			}
		}
	}
	slices.Sort(refused)
	return times, slices.Compact(refused)
}

// emptyStaysEmpty is fault 17 with the authorizer's word for it: on a cluster
// that nobody has used, though its brokers create topics that clients ask for,
// lagwatch creates nothing and needs no permission to.
func emptyStaysEmpty(s *secured) {
	s.allow("nobody-yet", documented()...)
	w := s.as("nobody-yet", "start_offset_interval: 1s")
	p := w.await(s.t, 60*time.Second, "polls", func(p *page) bool { return p.polls("complete") >= keptPolls })
	if list := s.topics(); len(list) > 0 {
		s.t.Errorf("after %d polls the cluster has topics %v", p.polls(""), list)
	}
	times, refused := w.decided()
	if len(refused) > 0 || times["ListGroups on Cluster"] == 0 {
		s.t.Errorf("refused %v of %v", refused, times)
	}
	s.t.Logf("%d polls, and the cluster is empty; needed %v", p.polls(""), times)
}

// documentedPermissions shows that with what is documented, and with the two
// permissions without which nothing works, the page is a super user's.
func documentedPermissions(s *secured) {
	for user, test := range map[string]struct {
		grants  []testkafka.ACL
		part    func(content) content
		refused []string
	}{
		"lagwatch": {nil, maps.Clone[content], nil}, // as the page has it
		"fewest": {[]testkafka.ACL{allGroups, allTopics}, content.withoutSettings, []string{
			"DescribeConfigs on Topic " + askedHidden, "DescribeConfigs on Topic " + askedSeen, "ListGroups on Cluster kafka-cluster",
		}},
	} {
		s.allow(user, test.grants...)
		if user == "lagwatch" {
			s.runDocumented()
		}
		w := s.as(user)
		p := awaitEqual(s.t, w.lagwatch, 30*time.Second, "the page to be right", test.part(s.want), func(p *page) content { return test.part(contentOf(p)) })
		times, refused := w.decided()
		if !slices.Equal(refused, test.refused) {
			s.t.Errorf("%s: refused %v, not %v", user, refused, test.refused)
		}
		if user == "lagwatch" {
			checkNeeded(s, times)
		}
		s.t.Logf("%s: %d series of %d groups are a super user's; needed %s; refused: %s",
			user, len(test.part(s.want)), len(p.groups()), strings.Join(slices.Sorted(maps.Keys(times)), ", "), strings.Join(refused, ", "))
		w.end(s.t)
	}
}

// runDocumented runs the commands that docs/permissions.md gives to paste.
func (s *secured) runDocumented() {
	s.t.Helper()
	text, err := os.ReadFile("../../docs/permissions.md")
	s.must(err)
	commands := 0
	for line := range strings.Lines(string(text)) {
		if args, ok := strings.CutPrefix(strings.TrimSpace(line), "$acls "); ok {
			s.must(s.cluster.ACLCommand(s.ctx, strings.Fields(strings.ReplaceAll(args, "'", ""))...))
			commands++
		}
	}
	if want := len(documented()); commands != want {
		s.t.Errorf("the page has %d commands, not %d", commands, want)
	}
	s.awaitACLs("lagwatch", commands)
}

// checkNeeded checks that every row of the table was seen, so that none is
// there for nothing. Listing asks about groups only where the cluster is refused.
func checkNeeded(s *secured, times map[string]int) {
	s.t.Helper()
	var unseen []string
	for what := range needed {
		if times[what] == 0 && what != "ListGroups on Group" {
			unseen = append(unseen, what)
		}
	}
	if diff := cmp.Diff([]string(nil), unseen); diff != "" {
		s.t.Errorf("never needed:\n%s", diff)
	}
}
