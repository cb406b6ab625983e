package collector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// The tests of the view tell stories: polls at seconds of an imagined clock,
// each made of a few parts, and what is known after them as text. One poll
// reads members, commits and log ends a tenth of a second apart, in that order.

const (
	testStale     = 30 * time.Second
	testObjective = 5 * time.Minute

	none   = int64(-1) // in on: nothing is committed there
	unread = int64(-2) // in on: the coordinator answered with an error for it
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(sec float64) time.Time { return epoch.Add(time.Duration(sec * float64(time.Second))) }

func tenths(t time.Time, n int) time.Time { return t.Add(time.Duration(n) * 100 * time.Millisecond) }

// part adds something to a snapshot whose times are set.
type part func(s *snapshot.Snapshot)

// poll is a good poll that starts at a second and takes 0.3 s.
func poll(sec float64, parts ...part) *snapshot.Snapshot {
	s := &snapshot.Snapshot{ClusterID: "kraft-1", Started: at(sec), Finished: tenths(at(sec), 3)}
	for _, p := range parts {
		p(s)
	}
	slices.SortFunc(s.Topics, func(a, b snapshot.Topic) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Groups, func(a, b snapshot.Group) int { return cmp.Compare(a.ID, b.ID) })
	return s
}

// ends is a partition's log from its start to its end.
func ends(start, end int64) snapshot.Partition {
	return snapshot.Partition{
		Leader: snapshot.Known(int32(1)),
		Start:  snapshot.Known(snapshot.Reading{Offset: start}),
		End:    snapshot.Known(snapshot.Reading{Offset: end}),
	}
}

// stableTo is a partition's log with an open transaction.
func stableTo(stable int64, p snapshot.Partition) snapshot.Partition {
	p.LastStable = snapshot.Known(snapshot.Reading{Offset: stable})
	return p
}

// leaderless is a partition that exists and cannot be read.
func leaderless() snapshot.Partition { return snapshot.Partition{} }

// logOf lists a topic; id 0 is an unknown id. Without any log its partitions
// are unknown: it could not be read.
func logOf(name string, id byte, logs ...snapshot.Partition) part {
	return func(s *snapshot.Snapshot) {
		t := snapshot.Topic{Name: name, Partitions: slices.Clone(logs)}
		t.ID[0] = id
		read := tenths(s.Started, 2)
		for i := range t.Partitions {
			p := &t.Partitions[i]
			p.ID = int32(i)
			if r, ok := p.Start.Get(); ok {
				p.Start = snapshot.Known(snapshot.Reading{Offset: r.Offset, At: snapshot.InstantOf(read)})
			}
			if r, ok := p.End.Get(); ok {
				p.End = snapshot.Known(snapshot.Reading{Offset: r.Offset, At: snapshot.InstantOf(read)})
			}
			if r, ok := p.LastStable.Get(); ok {
				p.LastStable = snapshot.Known(snapshot.Reading{Offset: r.Offset, At: snapshot.InstantOf(read)})
			}
		}
		s.Topics = append(s.Topics, t)
	}
}

type groupPart func(g *snapshot.Group, s *snapshot.Snapshot)

// groupOf lists a stable classic group; members and commits are unknown unless
// parts say otherwise.
func groupOf(id string, parts ...groupPart) part {
	return func(s *snapshot.Snapshot) {
		g := snapshot.Group{
			ID: id, Type: snapshot.TypeClassic, ProtocolType: "consumer", State: snapshot.StateStable,
			Coordinator: snapshot.Known(int32(1)),
		}
		for _, p := range parts {
			p(&g, s)
		}
		s.Groups = append(s.Groups, g)
	}
}

func change(f func(g *snapshot.Group)) groupPart {
	return func(g *snapshot.Group, _ *snapshot.Snapshot) { f(g) }
}

// nothingKnown is a group that is known to exist while nobody who can be
// reached tells anything of it.
func nothingKnown() groupPart {
	return change(func(g *snapshot.Group) { g.State, g.Coordinator = 0, snapshot.Maybe[int32]{} })
}

func commits(list ...snapshot.TopicCommits) groupPart {
	return func(g *snapshot.Group, s *snapshot.Snapshot) {
		g.Commits = snapshot.Known(snapshot.Commits{At: tenths(s.Started, 1), Topics: list})
	}
}

// on is what is committed on partitions 0, 1, … of a topic.
func on(topic string, offsets ...int64) snapshot.TopicCommits {
	t := snapshot.TopicCommits{Topic: topic}
	for i, o := range offsets {
		switch o {
		case none:
		case unread:
			t.Partitions = append(t.Partitions, snapshot.Commit{Partition: int32(i)})
		default:
			t.Partitions = append(t.Partitions, snapshot.Commit{Partition: int32(i), Offset: snapshot.Known(o)})
		}
	}
	return t
}

func membership(assigned bool, list []snapshot.Member) groupPart {
	return func(g *snapshot.Group, s *snapshot.Snapshot) {
		g.Members = snapshot.Known(snapshot.Members{At: s.Started, List: list, Assigned: assigned})
		if assigned && len(list) > 0 && g.Assignor == "" {
			g.Assignor = "cooperative-sticky"
		}
	}
}

func members(list ...snapshot.Member) groupPart { return membership(true, list) }

// rebalancing is a group whose members are known and whose assignments are not.
func rebalancing(list ...snapshot.Member) groupPart {
	return func(g *snapshot.Group, s *snapshot.Snapshot) {
		g.State = snapshot.StatePreparingRebalance
		membership(false, list)(g, s)
	}
}

func member(id string, owned ...snapshot.TopicPartitions) snapshot.Member {
	m := snapshot.Member{ID: id, ClientID: "app", Host: "10.0.0.7", Assignment: owned}
	for _, t := range owned {
		m.Subscribed = append(m.Subscribed, t.Topic)
	}
	return m
}

func owns(topic string, partitions ...int32) snapshot.TopicPartitions {
	return snapshot.TopicPartitions{Topic: topic, Partitions: partitions}
}

// timeOf is the time of an instant of a story; the zero instant is never.
func timeOf(i snapshot.Instant) time.Time {
	if i == 0 {
		return time.Time{}
	}
	return epoch.Add(i.Sub(snapshot.InstantOf(epoch)))
}

// story is a cluster that is watched.
type story struct {
	v         *View
	rules     rules
	estimates *estimator
}

// testRules are those of a watcher with the defaults.
func testRules() rules { return testRulesWith(Options{}) }

func testRulesWith(o Options) rules { return testWatcher(nil, o).rules }

func testWatcher(p Poller, o Options) *Watcher {
	o.Interval, o.StaleAfter, o.Objective = 10*time.Second, testStale, func(string) Objective {
		return Objective{Age: testObjective, Target: 0.99, Team: "testers"}
	}
	return New(p, o)
}

func firstView(cluster string) *View { return testRules().first(cluster, 10*time.Second) }

func newStory() *story { return newStoryWith(Options{}) }

func newStoryWith(o Options) *story { return storyOf(nil, o) }

// storyOf is one whose poller may be asked for times.
func storyOf(p Poller, o Options) *story {
	w := testWatcher(p, o)
	return &story{w.rules.first("main", 10*time.Second), w.rules, w.estimates}
}

func (w *story) take(s *snapshot.Snapshot, err error) *View {
	next := assemble(w.v, s, err, s.Finished, w.rules)
	w.estimates.stale = w.rules.staleAfter
	w.estimates.estimate(context.Background(), next, s, err)
	next.limit(w.v, w.rules.maxSeries)
	w.v = next
	return w.v
}

func (w *story) poll(sec float64, parts ...part) *View { return w.take(poll(sec, parts...), nil) }

func (w *story) fail(sec float64) *View {
	return w.take(&snapshot.Snapshot{
		Started: at(sec), Finished: tenths(at(sec), 3),
		Problems: []snapshot.Problem{{Stage: snapshot.StageMetadata, Reason: snapshot.ReasonTimeout, Count: 1}},
	}, errors.New("no broker answers"))
}

// tell writes what a view knows of its groups, one line per group and pair.
func tell(v *View) string {
	var b strings.Builder
	for i := range v.Groups {
		g := &v.Groups[i]
		complete := "incomplete"
		if g.Complete {
			complete = "complete"
		}
		fmt.Fprintf(&b, "%s %s%s\n", g.ID, complete, number(" lag=", g.Lag))
		for j := range g.Topics {
			for k := range g.Topics[j].Pairs {
				fmt.Fprintf(&b, "  %s/%s\n", g.Topics[j].Topic, tellPair(g, &g.Topics[j].Pairs[k]))
			}
		}
	}
	return b.String()
}

func tellPair(g *Group, p *Pair) string {
	line := fmt.Sprint(p.Partition, " ", p.State, number(" commit=", p.Committed), number(" lag=", p.Lag),
		number(" start=", p.ShareStart), number(" lost=", p.Lost), number(" available=", p.Available))
	for _, o := range g.Owners(p) {
		line += " owner=" + o.MemberID
	}
	if !p.Fresh {
		line += " old"
	}
	return line
}

func number(name string, m interface{ Get() (int64, bool) }) string {
	if n, ok := m.Get(); ok {
		return fmt.Sprint(name, n)
	}
	return ""
}

// lines joins what tell is expected to write.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func theGroup(t *testing.T, v *View, id string) *Group {
	t.Helper()
	g := previous(v.Groups, id, groupID)
	if g == nil {
		t.Fatalf("group %q is not in the view", id)
	}
	return g
}

func theTopic(t *testing.T, v *View, name string) *Topic {
	t.Helper()
	p := previous(v.Topics, name, topicName)
	if p == nil {
		t.Fatalf("topic %q is not in the view", name)
	}
	return p
}

// published are a view's samples by name and label values.
func published(v *View) map[string]float64 {
	all := map[string]float64{}
	samples(v, func(m *Metric, value float64, labels []string) {
		all[strings.TrimPrefix(m.Name, Prefix)+" "+strings.Join(labels[1:], " ")] = value
	})
	return all
}

// samples calls f for all that is published of a view.
func samples(v *View, f func(m *Metric, value float64, labels []string)) {
	at := &moment{build: testBuild, views: []*View{v}}
	for _, m := range rows {
		if m.build == nil {
			m.emit(at, sampled(func(value float64, labels []string) { f(m, value, labels) }))
		}
	}
}

// sampled is a sink that calls a function.
type sampled func(value float64, labels []string)

func (f sampled) Sample(of *page.Labels, partition int32, more *page.Labels, value float64) {
	labels := of.Append(nil)
	if partition >= 0 {
		labels = append(labels, itoa(partition))
	}
	if more != nil {
		labels = more.Append(labels)
	}
	f(value, labels)
}

// shownAt is a view as of a later moment.
func shownAt(v *View, now time.Time, r rules) *View { return shownView{v, v.old(now, r)}.at(now, r) }
