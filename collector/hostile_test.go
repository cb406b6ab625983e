package collector

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// hostile is chaos in a cluster with the worst of names, where members of a
// share group own the same partitions.
type hostile struct {
	*chaos
	names []string
	used  map[string]string
}

func newHostile(seed uint64) *hostile {
	c := newChaos(seed)
	names := slices.Sorted(maps.Keys(strangeNames))
	c.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return &hostile{c, names, map[string]string{}}
}

// name is always the same for a name of chaos, and no other has it.
func (h *hostile) name(of string) string {
	n, ok := h.used[of]
	if !ok {
		n = h.names[len(h.used)]
		h.used[of] = n
	}
	return n
}

func (h *hostile) next() (*snapshot.Snapshot, error) {
	s, err := h.chaos.next()
	for i := range s.Topics {
		s.Topics[i].Name = h.name(s.Topics[i].Name)
	}
	for i := range s.Groups {
		h.group(&s.Groups[i])
	}
	slices.SortFunc(s.Topics, func(a, b snapshot.Topic) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Groups, func(a, b snapshot.Group) int { return cmp.Compare(a.ID, b.ID) })
	return s, err
}

func (h *hostile) group(g *snapshot.Group) {
	commits, _ := g.Commits.Get()
	for i := range commits.Topics {
		commits.Topics[i].Topic = h.name(commits.Topics[i].Topic)
	}
	slices.SortFunc(commits.Topics, func(a, b snapshot.TopicCommits) int { return cmp.Compare(a.Topic, b.Topic) })
	shares, _ := g.Shares.Get()
	for i := range shares.Topics {
		shares.Topics[i].Topic = h.name(shares.Topics[i].Topic)
	}
	slices.SortFunc(shares.Topics, func(a, b snapshot.TopicShares) int { return cmp.Compare(a.Topic, b.Topic) })
	members, _ := g.Members.Get()
	for i := range members.List {
		h.member(&members.List[i])
		if g.ID == "shared" {
			g.Type = snapshot.TypeShare
			members.List[i].Assignment = members.List[0].Assignment
		}
	}
	g.ID = h.name(g.ID)
}

func (h *hostile) member(m *snapshot.Member) {
	m.ClientID, m.Host = h.names[int(m.ID[1]-'0')], h.names[len(m.ID)]
	for i := range m.Subscribed {
		m.Subscribed[i] = h.name(m.Subscribed[i])
	}
	slices.Sort(m.Subscribed)
	for i := range m.Assignment {
		m.Assignment[i].Topic = h.name(m.Assignment[i].Topic)
	}
	slices.SortFunc(m.Assignment, func(a, b snapshot.TopicPartitions) int { return cmp.Compare(a.Topic, b.Topic) })
}

// allFamilies publishes every family of everything.
func allFamilies(string, string, bool) bool { return true }

// everyWay calls run with the options of every detail, with the default
// families and with all.
func everyWay(t *testing.T, run func(t *testing.T, o Options)) {
	for name, publish := range map[string]publish{"default": nil, "all": allFamilies} {
		for d := DetailGroup; d <= DetailPartition; d++ {
			t.Run(fmt.Sprintf("%s families, detail %s", name, d), func(t *testing.T) {
				run(t, Options{Publish: publish, Detail: func(string) Detail { return d }})
			})
		}
	}
}

// clusters makes random views of one to three hostile clusters, and shows them
// to check after each poll.
func clusters(t *testing.T, seeds, polls int, o Options, check func(t *testing.T, views []*View)) {
	for seed := range uint64(seeds) {
		var feeds []*hostile
		var stories []*story
		for i, name := range []string{"main", "a\"\\\nb", "заказы"}[:1+seed%3] {
			w := newStoryWith(o)
			w.rules.staleAfter = chaosStale
			w.v = w.rules.first(name, interval)
			feeds = append(feeds, newHostile(seed+1000*uint64(i)))
			stories = append(stories, w)
		}
		for n := range polls {
			var views []*View
			for i, w := range stories {
				views = append(views, w.take(feeds[i].next()))
			}
			if check(t, views); t.Failed() {
				t.Fatalf("seed %d, poll %d", seed, n)
			}
		}
	}
}

// The generator makes what it is for, or the tests over it would prove less
// than they say.
func TestHostile(t *testing.T) {
	var quoted, bytes, owners, several bool
	clusters(t, 6, 20, Options{}, func(_ *testing.T, views []*View) {
		several = several || len(views) > 1
		for i := range views[0].Groups {
			g := &views[0].Groups[i]
			quoted = quoted || strings.Contains(g.ID, `"`)
			bytes = bytes || strings.Contains(g.ID, "\xff")
			for j := range g.Topics {
				for k := range g.Topics[j].Pairs {
					list := g.Owners(&g.Topics[j].Pairs[k])
					owners = owners || len(list) > 1 && list[0].ClientID != list[1].ClientID
				}
			}
		}
	})
	if !quoted || !bytes || !owners || !several {
		t.Errorf("quotes %v, bytes that are not UTF-8 %v, several owners %v, several clusters %v", quoted, bytes, owners, several)
	}
}
