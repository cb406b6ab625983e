package integration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/testkafka"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// script is what happens to the members of a group, one change after the other. A
// change is "+a" (a joins), "-a" (a leaves), "=a" (a static member restarts) or
// "+a consumer" (it joins by another protocol than the group's usual one).
type script struct {
	group    string
	protocol testkafka.Protocol // "" is a streams application
	static   bool
	changes  []string
}

// usual is how the members of a group come and go.
var usual = []string{"+a", "+b", "-a", "+c", "-b", "+d", "-c"}

// scripts are what is done to groups of all types at the same time.
var scripts = []script{
	{"own-range", testkafka.ClassicRange, false, usual},
	{"own-cooperative", testkafka.ClassicCooperative, false, usual},
	{"own-consumer", testkafka.Consumer, false, usual},
	{"own-share", testkafka.Share, false, usual},
	{"own-streams", "", false, usual},
	{"own-static-range", testkafka.ClassicRange, true, []string{"+a", "+b", "=b", "=a", "+c", "=c"}},
	{"own-static-consumer", testkafka.Consumer, true, []string{"+a", "+b", "=b", "=a", "+c", "=c"}},
	// To the consumer protocol member by member, and back.
	{"own-moves", testkafka.ClassicRange, false, []string{
		"+a", "+b", "-a", "+c consumer", "-b", "+d consumer", "+e", "-c", "-d", "+f",
	}},
}

const ownedPartitions = 6

// owning is one group whose members come and go, while lagwatch follows it.
type owning struct {
	*kafka
	script
	topic    string
	f        *follower
	since    int               // events before are of other tests
	instance map[string]string // by consumer
	there    map[string]string // the consumer that each member is at present
	starts   int
	last     look        // that was compared with the members
	marks    []time.Time // when everybody knew of a change
}

func (k *kafka) owning(s script, topic string, f *follower) *owning {
	k.t.Helper()
	o := &owning{
		kafka: k, script: s, topic: topic, f: f, since: len(k.Events(0)),
		instance: map[string]string{}, there: map[string]string{},
	}
	k.removed(s.group)
	switch s.protocol {
	case testkafka.Share:
		k.must(k.SetGroupConfig(k.ctx, s.group, map[string]string{"share.auto.offset.reset": "earliest"}))
	case "":
		k.topic(s.group+"-out", 1)
		for _, internal := range testkafka.InternalTopics(s.group) {
			k.cleanup(func(ctx context.Context) error { return k.DeleteTopic(ctx, internal) })
		}
	}
	return o
}

// log is what the members have logged so far.
func (o *owning) log() *clientLog {
	l := &clientLog{instance: o.instance, shared: o.protocol == testkafka.Share}
	for _, e := range o.Events(o.since) {
		if e.Group == o.group {
			l.events = append(l.events, e)
		}
	}
	return l
}

func (o *owning) change(change string) {
	o.t.Helper()
	name, protocol, other := strings.Cut(change[1:], " ")
	if !other {
		protocol = string(o.protocol)
	}
	if change[0] != '+' {
		o.leave(o.there[name])
		delete(o.there, name)
	}
	if change[0] != '-' {
		o.starts++
		o.there[name] = fmt.Sprintf("%s-%s%d", o.group, name, o.starts)
		o.join(o.there[name], name, testkafka.Protocol(protocol))
	}
}

func (o *owning) join(id, name string, protocol testkafka.Protocol) {
	o.t.Helper()
	if protocol == "" {
		o.cleanup(func(ctx context.Context) error { return o.StopStreams(ctx, id) })
		o.must(o.StartStreams(o.ctx, testkafka.StreamsSpec{ID: id, Application: o.group, Input: o.topic, Output: o.group + "-out"}))
		return
	}
	spec := testkafka.ConsumerSpec{ID: id, Group: o.group, Topics: []string{o.topic}, Protocol: protocol}
	if protocol == testkafka.ClassicRange || protocol == testkafka.ClassicCooperative {
		spec.Session = 30 * time.Second
	}
	if o.static {
		spec.InstanceID = name
		o.instance[id] = name
	}
	o.consumer(spec)
}

func (o *owning) leave(id string) {
	o.t.Helper()
	if o.protocol == "" {
		o.must(o.StopStreams(o.ctx, id))
		return
	}
	o.must(o.CloseConsumer(o.ctx, id))
}

// members are the ids that the coordinator gave to who is there, as they log them.
func (o *owning) members(log *clientLog) (list []string) {
	for id := range maps.Values(o.there) {
		if o.protocol == "" {
			id = testkafka.StreamsThreads(id, 1)[0]
		}
		list = append(list, log.member(id))
	}
	slices.Sort(list)
	return list
}

// held is what members and view both tell of a group.
type held struct {
	State   string
	Members []string
	Number  int // the generation or epoch
	Holders holders
}

// settled waits until the view says what the members have logged.
func (o *owning) settled(change string) {
	o.t.Helper()
	began := time.Now()
	var want, got held
	o.await(change, func(l *look, g *collector.Group) bool {
		want, got = o.logged(g), shownOf(g)
		return l.told(g) && len(want.Holders) > 0 && cmp.Equal(want, got)
	}, func() string { return cmp.Diff(want, got) })
	g := o.last.group(o.group)
	o.t.Logf("%-20s %-11s after %4.1f s: %d members, %s, number %v; %s", o.group, change,
		time.Since(began).Seconds(), len(want.Members), g.Type, want.Number, tally(g))
	o.marks = append(o.marks, time.Now())
}

// await waits for a poll of the group that ok accepts, later than the one before.
func (o *owning) await(change string, ok func(*look, *collector.Group) bool, diff func() string) {
	o.t.Helper()
	met := false
	defer func() {
		if !met {
			o.t.Errorf("%s after %s (-members +view):\n%s", o.group, change, diff())
		}
	}()
	await.Until(o.t, 90*time.Second, o.group+" "+change+": the view to say what the members do", func() bool {
		now, some := o.f.last()
		if !some || !now.began.After(o.last.began) {
			return false
		}
		o.last = now
		g := now.group(o.group)
		met = g != nil && ok(&now, g)
		return met
	})
}

// logged is what the members have logged by now. The number is compared where one is
// told.
func (o *owning) logged(g *collector.Group) held {
	l := o.log()
	h := held{State: "stable", Members: o.members(l), Holders: l.owners()}
	if g.Generation.Known() {
		h.Number = l.number(time.Now())
	}
	return h
}

func shownOf(g *collector.Group) held {
	h := held{State: g.State.String(), Holders: holders{}}
	if n, ok := g.Generation.Get(); ok {
		h.Number = int(n)
	}
	if m, ok := g.Members.Get(); ok {
		for i := range m.List {
			h.Members = append(h.Members, m.List[i].ID)
		}
	}
	slices.Sort(h.Members)
	for i := range g.Topics {
		t := &g.Topics[i]
		for j := range t.Pairs {
			p := testkafka.TopicPartition{Topic: t.Topic, Partition: int(t.Pairs[j].Partition)}
			for _, owner := range g.Owners(&t.Pairs[j]) {
				h.Holders[p] = append(h.Holders[p], identityOf(owner))
			}
			slices.Sort(h.Holders[p])
		}
	}
	return h
}

func identityOf(o *collector.Owner) string {
	if o.InstanceID != "" {
		return "instance " + o.InstanceID
	}
	return o.ClientID
}

// rebalances is the sum over all sources.
func rebalances(g *collector.Group) (n int) {
	for _, of := range g.Ownership.Rebalances {
		n += int(of)
	}
	return n
}

func tally(g *collector.Group) string {
	var b strings.Builder
	for s, n := range g.Ownership.Rebalances {
		if n > 0 {
			fmt.Fprintf(&b, "%d by %s, ", n, ownership.Source(s))
		}
	}
	return fmt.Sprintf("%s%d moved, unstable for %.1f s", b.String(), g.Ownership.Moved, g.Ownership.Unstable.Seconds())
}

// play makes the changes of all groups, one of each at a time, and waits after them
// until everybody knows of it. halfway is called once, in between. At the end all
// polls are judged.
func play(groups []*owning, halfway func()) {
	longest := 0
	for _, o := range groups {
		longest = max(longest, len(o.changes))
	}
	for i := range longest {
		for _, o := range groups {
			if i < len(o.changes) {
				o.change(o.changes[i])
			}
		}
		for _, o := range groups {
			if i < len(o.changes) {
				o.step(o.changes[i])
			}
		}
		if i == longest/2 {
			halfway()
		}
	}
	for _, o := range groups {
		o.settled("at the end")
		o.judge()
	}
}

// step waits until a change is over. When a static member comes back, nothing has
// moved by it.
func (o *owning) step(change string) {
	o.t.Helper()
	before := o.last
	o.settled(change)
	if change[0] != '=' {
		return
	}
	was, is := before.group(o.group), o.last.group(o.group)
	if rebalances(is) != rebalances(was) || is.Ownership.Moved != was.Ownership.Moved {
		o.t.Errorf("%s: a static member came back, and there were %s; there are %s", o.group, tally(was), tally(is))
	}
}

// shows is whether a poll could tell that the group is stable and what its number is:
// one that could list it and not describe it says only the former.
func shows(l *look, g *collector.Group) (number int, ok bool) {
	n, known := g.Generation.Get()
	m, _ := g.Members.Get()
	return int(n), known && l.told(g) && m.At.After(l.began) && g.State == snapshot.StateStable
}

// followingOwners is how the groups are watched.
var followingOwners = collector.Options{Cluster: "real", Interval: time.Second, StaleAfter: 30 * time.Second}

// ofOwning is whether a group is one of the scripts'.
func ofOwning(group string) bool { return strings.HasPrefix(group, "own-") }
