package collector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// factsOn are those of a group in a view, as it was diagnosed by them.
func (w *story) factsOn(t *testing.T, id string) *diagnosis.Group {
	t.Helper()
	g := *theGroup(t, w.v, id)
	reasons := *g.reasons
	g.reasons = &reasons
	now := snapshot.InstantOf(w.v.Built)
	r := reckoner{v: w.v, clock: w.estimates.clock, now: now, stale: w.rules.staleAfter}
	r.facts = &facts{view: w.v, now: now, obstacles: obstaclesOf(w.v)}
	r.group(&g)
	return &r.facts.group
}

// tellFacts writes facts of a group, one line for it, each topic and each partition.
func tellFacts(g *diagnosis.Group) string {
	var b strings.Builder
	members, known := g.Members.Get()
	fmt.Fprintf(&b, "%s %s", g.ID, g.State)
	switch {
	case !known:
		b.WriteString(" members=?")
	case !g.Assigned:
		fmt.Fprintf(&b, " members=%d owning=?", len(members))
	default:
		fmt.Fprintf(&b, " members=%d owning=", len(members))
		for _, m := range members {
			fmt.Fprintf(&b, "%d,", m.Partitions)
		}
	}
	if !g.MembersRead {
		b.WriteString(" members-unread")
	}
	if !g.CommitsRead {
		b.WriteString(" commits-unread")
	}
	if g.Problem != "" {
		fmt.Fprintf(&b, " problem=%q", g.Problem)
	}
	b.WriteString("\n")
	for i, t := range g.Topics {
		subscribed, known := t.Subscribed.Get()
		fmt.Fprintf(&b, " %s subscribed=%s\n", t.Name, map[bool]string{true: fmt.Sprint(subscribed), false: "?"}[known])
		for j := range g.Partitions {
			if p := &g.Partitions[j]; int(p.Topic) == i {
				fmt.Fprintf(&b, "  %s\n", tellPartition(members, p))
			}
		}
	}
	return b.String()
}

func tellPartition(members []diagnosis.Member, p *diagnosis.Partition) string {
	line := fmt.Sprint(p.ID, " ", [...]string{"unread", "committed", "uncommitted", "elsewhere"}[p.Position],
		number(" lag=", p.Lag), number(" available=", p.Available))
	if p.Owner >= 0 {
		line += " owner=" + members[p.Owner].ID
	}
	if from, ok := p.From.Get(); ok {
		line += fmt.Sprintf(" %d→%d", from, p.To.Or(-1))
	}
	if p.Lost > 0 {
		line += fmt.Sprint(" lost=", p.Lost)
	}
	if held, ok := p.HeldBack.Get(); ok {
		line += fmt.Sprint(" held=", held)
	}
	if !p.Fresh {
		line += " old"
	}
	return line
}

// named is a member that subscribes to topics beside what it is assigned.
func named(m snapshot.Member, topics ...string) snapshot.Member {
	m.Subscribed = topics
	return m
}

func problems(list ...snapshot.Problem) part {
	return func(s *snapshot.Snapshot) { s.Problems = append(s.Problems, list...) }
}

func onBroker(id int32, stage snapshot.Stage, detail string) snapshot.Problem {
	return snapshot.Problem{Stage: stage, Reason: snapshot.ReasonTimeout, Broker: snapshot.Known(id), Count: 1, Detail: detail}
}

func ofType(t snapshot.GroupType) groupPart { return change(func(g *snapshot.Group) { g.Type = t }) }

// Each fact of a group, from the polls that tell it; nil is a failed poll.
func TestFacts(t *testing.T) {
	log, two := logOf("t", 1, ends(0, 100)), logOf("t", 1, ends(0, 100), ends(0, 50))
	mine := groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 90)))
	refused := snapshot.Problem{Stage: snapshot.StageFetchOffsets, Reason: snapshot.ReasonUnauthorized, Group: "g", Count: 1, Detail: "may not be read"}
	for _, tt := range []struct {
		name  string
		polls [][]part
		want  []string
	}{
		{"a position, and who owns it", [][]part{parts(log, mine)}, []string{
			"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=10 owner=m"}},
		{"positions that move", [][]part{
			parts(log, mine), parts(log, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 95)))),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=5 owner=m 90→95"}},
		{"one that moves back", [][]part{
			parts(log, mine), parts(log, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 7)))),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=93 owner=m 90→7"}},
		{"one that stays, and what it did before is over", [][]part{
			parts(log, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 80)))), parts(log, mine), parts(log, mine),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=10 owner=m"}},
		{"a topic that is created anew has no position before", [][]part{
			parts(log, mine), parts(logOf("t", 2, ends(0, 30)), groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 20)))),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=10 owner=m"}},
		{"nothing is committed", [][]part{parts(two, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", none, 60))))}, []string{
			"g stable members=1 owning=1,", " t subscribed=true", "  0 uncommitted available=100 owner=m", "  1 elsewhere lag=0"}},
		{"a partition that is gone", [][]part{parts(log, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 90, 7))))}, []string{
			"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=10 owner=m", "  1 elsewhere"}},
		{"nobody is a member", [][]part{parts(log, groupOf("g", members(), commits(on("t", 90))))}, []string{
			"g stable members=0 owning=", " t subscribed=false", "  0 committed lag=10"}},
		{"nobody subscribes to the topic", [][]part{parts(log, logOf("u", 2, ends(0, 5)), groupOf("g", members(member("m", owns("u", 0))), commits(on("t", 90), on("u", 5))))}, []string{
			"g stable members=1 owning=1,", " t subscribed=false", "  0 committed lag=10", " u subscribed=true", "  0 committed lag=0 owner=m"}},
		{"somebody subscribes to it and is assigned nothing of it", [][]part{parts(log, groupOf("g", members(named(member("m"), "t")), commits(on("t", 90))))}, []string{
			"g stable members=1 owning=0,", " t subscribed=true", "  0 committed lag=10"}},
		{"somebody subscribes by a pattern", [][]part{parts(log, logOf("u", 2, ends(0, 5)), groupOf("g", ofType(snapshot.TypeConsumer),
			members(named(member("m", owns("u", 0)))), commits(on("t", 90), on("u", 5))))}, []string{
			"g stable members=1 owning=1,", " t subscribed=?", "  0 committed lag=10", " u subscribed=true", "  0 committed lag=0 owner=m"}},
		{"one of two by a pattern", [][]part{parts(log, groupOf("g", members(named(member("a")), named(member("b"), "u")), commits(on("t", 90))))}, []string{
			"g stable members=2 owning=0,0,", " t subscribed=?", "  0 committed lag=10"}},
		{"a rebalance hides who owns what and who subscribes", [][]part{parts(log, mine), parts(log, groupOf("g", rebalancing(named(member("m"))), commits(on("t", 90))))}, []string{
			"g preparing_rebalance members=1 owning=?", " t subscribed=?", "  0 committed lag=10"}},
		{"several owners in a share group", [][]part{parts(two, groupOf("g", ofType(snapshot.TypeShare),
			members(member("a", owns("t", 1)), member("b", owns("t", 0, 1)), member("c", owns("t", 0, 1))),
			shares(sharedOn("t", 1, position(90, 10), position(40, 10)))))}, []string{
			"g stable members=3 owning=1,2,2,", " t subscribed=true", "  0 committed lag=10 owner=b", "  1 committed lag=10 owner=a"}},
		{"a share group that comes on", [][]part{
			parts(log, groupOf("g", ofType(snapshot.TypeShare), members(member("a", owns("t", 0))), shares(sharedOn("t", 1, position(50, 50))))),
			parts(log, groupOf("g", ofType(snapshot.TypeShare), members(member("a", owns("t", 0))), shares(sharedOn("t", 1, position(70, 30))))),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=30 owner=a 50→70"}},
		{"commits that cannot be read", [][]part{parts(log, mine), parts(log, groupOf("g", members(member("m", owns("t", 0)))), problems(refused))}, []string{
			`g stable members=1 owning=1, commits-unread problem="may not be read"`, " t subscribed=true", "  0 committed lag=10 owner=m old"}},
		{"members that cannot be read stay as they were", [][]part{parts(log, mine), parts(log, groupOf("g", commits(on("t", 95))))}, []string{
			"g stable members=1 owning=1, members-unread", " t subscribed=true", "  0 committed lag=5 owner=m 90→95"}},
		{"until they are too old", [][]part{parts(log, mine), parts(log, groupOf("g", commits(on("t", 90)))), nil, nil, parts(log, groupOf("g", commits(on("t", 90))))}, []string{
			"g stable members=? members-unread", " t subscribed=?", "  0 committed lag=10"}},
		{"a coordinator that does not answer", [][]part{parts(log, mine), parts(log, groupOf("g", nothingKnown()),
			problems(onBroker(2, snapshot.StageListGroups, "another"), onBroker(1, snapshot.StageListOffsets, "of logs"), onBroker(1, snapshot.StageListGroups, "no answer")))}, []string{
			`g stable members=1 owning=1, members-unread commits-unread problem="no answer"`, " t subscribed=true", "  0 committed lag=10 owner=m old"}},
		{"trouble of others is no problem", [][]part{parts(log, mine, problems(onBroker(1, snapshot.StageFetchOffsets, "another group's")))}, []string{
			"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=10 owner=m"}},
		{"a failed poll", [][]part{parts(log, mine), nil}, []string{
			`g stable members=1 owning=1, members-unread commits-unread problem="no broker answers"`, " t subscribed=true", "  0 committed lag=10 owner=m old"}},
		{"one and a good one", [][]part{parts(log, mine), nil, parts(log, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 92))))}, []string{
			"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=8 owner=m 90→92"}},
		{"failed polls until all is too old", [][]part{parts(log, mine), nil, nil, nil, nil}, []string{
			`g unknown members=? members-unread commits-unread problem="no broker answers"`, " t subscribed=?", "  0 unread old"}},
		{"an open transaction", [][]part{
			parts(logOf("t", 1, stableTo(90, ends(0, 90))), groupOf("g", readCommitted(), members(member("m", owns("t", 0))), commits(on("t", 90)))),
			parts(logOf("t", 1, stableTo(90, ends(0, 95))), groupOf("g", readCommitted(), members(member("m", owns("t", 0))), commits(on("t", 90)))),
			parts(logOf("t", 1, stableTo(90, ends(0, 99))), groupOf("g", readCommitted(), members(member("m", owns("t", 0))), commits(on("t", 90)))),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=0 owner=m held=10"}},
		{"which others do not wait for", [][]part{
			parts(logOf("t", 1, stableTo(90, ends(0, 95))), mine), parts(logOf("t", 1, stableTo(90, ends(0, 95))), mine),
		}, []string{"g stable members=1 owning=1,", " t subscribed=true", "  0 committed lag=5 owner=m"}},
		{"which nobody can see any more", [][]part{
			parts(logOf("t", 1, stableTo(90, ends(0, 95))), groupOf("g", readCommitted(), members(), commits(on("t", 90)))), nil, nil, nil, nil,
		}, []string{`g unknown members=? members-unread commits-unread problem="no broker answers"`, " t subscribed=?", "  0 unread old"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newStory()
			for i, p := range tt.polls {
				if sec := float64(10 * i); p == nil {
					w.fail(sec)
				} else {
					w.poll(sec, p...)
				}
			}
			if diff := cmp.Diff(lines(tt.want...), tellFacts(w.factsOn(t, "g"))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What was lost is told once, in the poll that proves it.
func TestFactsOfALoss(t *testing.T) {
	w := newStory()
	lossy := func(sec float64, start, committed int64) int64 {
		w.poll(sec, logOf("t", 1, ends(start, 1000)), kept("t"), groupOf("g", members(member("m", owns("t", 0))), commits(on("t", committed))))
		return w.factsOn(t, "g").Partitions[0].Lost
	}
	var got []int64
	for _, p := range [][2]int64{{0, 100}, {300, 100}, {300, 100}, {300, 100}, {300, 400}} {
		got = append(got, lossy(float64(10*len(got)), p[0], p[1]))
	}
	if diff := cmp.Diff([]int64{0, 0, 200, 0, 0}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	lossy(50, 700, 400)
	if lossy(60, 700, 400) != 300 {
		t.Fatal("no second loss")
	}
	w.fail(70)
	if p := w.factsOn(t, "g").Partitions[0]; p.Lost != 0 || p.From.Known() || p.Fresh {
		t.Errorf("a failed poll says %+v", p)
	}
}

// What a diagnosis needs of the group and its cluster.
func TestFactsOfTheCluster(t *testing.T) {
	w := newStoryWith(Options{Expected: []string{"h", "g"}})
	brokers := func(list ...snapshot.Broker) part { return func(s *snapshot.Snapshot) { s.Brokers = list } }
	down := snapshot.Broker{ID: 1, Addr: "a:9092", Answered: snapshot.Known(false)}
	up := snapshot.Broker{ID: 2, Addr: "b:9092", Answered: snapshot.Known(true)}
	static := member("m", owns("t", 0, 1))
	static.InstanceID = "i"
	w.poll(0, brokers(down, up), logOf("t", 1, ends(0, 9), ends(0, 9)), groupOf("g", members(static), commits()), groupOf("G", members(), commits()))
	g := w.factsOn(t, "g")
	if g.Bootstrap != "b:9092" || g.Interval != w.v.Interval || g.Objective != testObjective || g.Now != snapshot.InstantOf(w.v.Built) ||
		!g.Expected || g.Missing || g.Type != snapshot.TypeClassic || g.ProtocolType != "consumer" || !g.Ownership.Known {
		t.Errorf("%+v", g)
	}
	seen, _ := g.Members.Get()
	if diff := cmp.Diff([]diagnosis.Member{{ID: "m", InstanceID: "i", ClientID: "app", Host: "10.0.0.7", Partitions: 2}}, seen); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	if w.factsOn(t, "G").Expected {
		t.Error("upper and lower case are one")
	}
	w.fail(10)
	if g := w.factsOn(t, "g"); g.Bootstrap != "a:9092" {
		t.Errorf("bootstrap %q while no broker answers", g.Bootstrap)
	}
	w.poll(20)
	w.poll(30, groupOf("g", members(), commits()))
	if g := w.factsOn(t, "g"); g.Bootstrap != "" {
		t.Errorf("bootstrap %q without a broker", g.Bootstrap)
	}
}

// Facts agree with the view that they are of.
func TestFactsAgreeWithTheView(t *testing.T) {
	for seed := range uint64(20) {
		feed, w := newHostile(seed), newStory()
		w.rules.staleAfter = chaosStale
		for range 40 {
			w.take(feed.next())
			for i := range w.v.Groups {
				g := &w.v.Groups[i]
				if g.factsDiffer(t, w.factsOn(t, g.ID)); t.Failed() {
					t.Fatalf("seed %d, %s", seed, g.ID)
				}
			}
		}
	}
}

func (g *Group) factsDiffer(t *testing.T, f *diagnosis.Group) {
	t.Helper()
	n, lag := 0, snapshot.Maybe[int64]{}
	for i := range g.Topics {
		if f.Topics[i].Name != g.Topics[i].Topic {
			t.Errorf("topic %q is %q", g.Topics[i].Topic, f.Topics[i].Name)
		}
		for j := range g.Topics[i].Pairs {
			p, of := &g.Topics[i].Pairs[j], &f.Partitions[n]
			n++
			if int(of.Topic) != i || of.ID != p.Partition || of.Fresh != p.Fresh || of.Lag != p.Lag.maybe() || of.Estimate.LagAge != p.LagAge {
				t.Errorf("%+v of %s", of, tellPair(g, p))
			}
			lag = plus(lag, of.Lag)
			g.ownerDiffers(t, f, p, of)
		}
	}
	if n != len(f.Partitions) || len(g.Topics) != len(f.Topics) || lag != g.Lag {
		t.Errorf("%d of %d partitions, %d of %d topics, lag %v of %v", n, len(f.Partitions), len(g.Topics), len(f.Topics), lag, g.Lag)
	}
	if m, known := g.Members.Get(); f.Members.Known() != known || f.Assigned != (known && m.Assigned) {
		t.Errorf("members %+v, assigned %v", f.Members, f.Assigned)
	}
	if g.Complete && (!f.MembersRead || !f.CommitsRead || f.Problem != "") {
		t.Errorf("complete, and %+v", f)
	}
}

func (g *Group) ownerDiffers(t *testing.T, f *diagnosis.Group, p *Pair, of *diagnosis.Partition) {
	t.Helper()
	owners, members := g.Owners(p), f.Members.Or(nil)
	switch {
	case !f.Assigned || len(owners) == 0:
		if of.Owner != -1 {
			t.Errorf("owner %d, assigned %v", of.Owner, f.Assigned)
		}
	case of.Owner < 0 || members[of.Owner].ID != owners[0].MemberID:
		t.Errorf("owner %d of %v, want %q", of.Owner, members, owners[0].MemberID)
	}
}

// An estimate that is not renewed ages in the facts as it does in the view.
func TestFactsAge(t *testing.T) {
	w := newStory()
	w.every(0, 300, func(sec float64) []part { return reads("g", "t", sec, flow{120, 150, 18_000}) })
	pair := func() rates.Value { return w.v.Groups[0].Topics[0].Pairs[0].LagAge }
	before := w.factsOn(t, "g").Partitions[0]
	if headroom, _ := before.Headroom.Get(); before.Estimate.LagAge != pair() || before.Arrival != rates.Of(120) || int(headroom) != 86400-75 {
		t.Errorf("%+v", before)
	}
	w.fail(310)
	p := w.factsOn(t, "g").Partitions[0]
	was, _ := before.Estimate.LagAge.Get()
	if now, _ := p.Estimate.LagAge.Get(); p.Estimate.LagAge != pair() || now < was+10 || p.Arrival != before.Arrival || p.Fresh {
		t.Errorf("after a failed poll %+v", p)
	}
}

// A group on a topic whose records nothing deletes was said not to be at risk for want of
// a headroom, and so was one on a topic of which nobody may know that.
func TestUnlimitedTopics(t *testing.T) {
	config := func(c snapshot.TopicConfig) part {
		return func(s *snapshot.Snapshot) { s.Topics[0].Config = snapshot.Known(c) }
	}
	for name, tt := range map[string]struct {
		config part
		want   bool
	}{
		"not known": {func(*snapshot.Snapshot) {}, false},
		"by age":    {config(snapshot.TopicConfig{Delete: true, RetentionTime: snapshot.Known(time.Hour)}), false},
		"by size":   {config(snapshot.TopicConfig{Delete: true, RetentionBytes: true}), false},
		"for ever":  {config(snapshot.TopicConfig{Delete: true}), true},
		"compacted": {config(snapshot.TopicConfig{}), true},
	} {
		w := newStory()
		w.poll(0, logOf("t", 1, ends(0, 100)), tt.config, groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 90))))
		if got := w.factsOn(t, "g").Topics[0].Unlimited; got != tt.want {
			t.Errorf("%s: unlimited is %v", name, got)
		}
	}
}
