package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/testkafka"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// quickly are thresholds for polls that are a second apart: what takes minutes in
// production takes seconds here. Ratios are as they are by default.
func quickly() *diagnosis.Thresholds {
	t := diagnosis.Defaults()
	t.Behind, t.HeldBack, t.Unstable = 8*time.Second, 8*time.Second, 8*time.Second
	t.Gone, t.UnstableWindow, t.NeverCommitted = 5*time.Second, 30*time.Second, 20*time.Second
	t.Stalled, t.Settle = 5*time.Second, 15*time.Second
	return &t
}

// followingTroubles is how groups in trouble are watched.
func followingTroubles() collector.Options {
	t := quickly()
	return collector.Options{
		Cluster: "real", Interval: time.Second, StaleAfter: 30 * time.Second,
		Thresholds: func(string) *diagnosis.Thresholds { return t },
	}
}

// trouble is a group in which one thing goes wrong on purpose.
type trouble struct {
	want diagnosis.Condition
	calm bool // nothing goes wrong: nothing is wanted
	// partitions are those of its topic, rate is what arrives there each second, and hot
	// which part of that goes to one of them.
	partitions int
	rate, hot  float64
	members    []testkafka.ConsumerSpec
	// cause is what goes wrong, once all work as usual; nil where they begin so.
	cause func(g *troubled)
}

// name is that of the group, of its topic and of its producer.
func (t *trouble) name() string {
	if t.calm {
		return "trouble-none"
	}
	return "trouble-" + strings.ReplaceAll(t.want.String(), "_", "-")
}

// ofTrouble is whether a group is one of those.
func ofTrouble(group string) bool { return strings.HasPrefix(group, "trouble-") }

// readsCommitted is whether members of a group read committed records only.
func readsCommitted(group string) bool { return group == "trouble-open-transaction" }

// works is a member that works so long on each record, and commits after ten at most.
func works(each time.Duration) testkafka.ConsumerSpec {
	return testkafka.ConsumerSpec{Processing: each, MaxPollRecords: 10}
}

// light is work that a member with a fraction of a processor does in time.
const light = time.Millisecond

// troubles are all that only members, transactions and rebalances of a real Kafka bring
// about.
var troubles = []trouble{
	{
		want: diagnosis.NoConsumers, partitions: 4, rate: 20,
		members: []testkafka.ConsumerSpec{works(light), works(light)},
		cause: func(g *troubled) {
			g.must(g.CloseConsumer(g.ctx, g.member(0)))
			g.must(g.CloseConsumer(g.ctx, g.member(1)))
		},
	},
	{
		want: diagnosis.StalledPartition, partitions: 4, rate: 20,
		members: []testkafka.ConsumerSpec{works(light), works(light)},
		cause: func(g *troubled) {
			poison := g.Owners(g.name())[g.member(0)][0]
			g.must(g.PoisonConsumer(g.ctx, g.member(0), poison))
		},
	},
	{
		want: diagnosis.HotPartition, partitions: 6, rate: 90, hot: 0.7,
		members: []testkafka.ConsumerSpec{works(25 * time.Millisecond), works(25 * time.Millisecond), works(25 * time.Millisecond)},
	},
	{
		want: diagnosis.SlowMember, partitions: 6, rate: 40,
		members: []testkafka.ConsumerSpec{works(light), works(light), works(light)},
		cause:   func(g *troubled) { g.must(g.SlowConsumer(g.ctx, g.member(1), 200*time.Millisecond)) },
	},
	{
		want: diagnosis.UnderCapacity, partitions: 4, rate: 80,
		members: []testkafka.ConsumerSpec{works(40 * time.Millisecond), works(40 * time.Millisecond)},
	},
	{
		want: diagnosis.Rebalancing, partitions: 4, rate: 15,
		members: []testkafka.ConsumerSpec{works(light)},
		cause: func(g *troubled) { // a member that works on a record for an hour does not join the next round
			g.must(g.SlowConsumer(g.ctx, g.member(0), time.Hour))
			g.start(1, works(light))
		},
	},
	{
		want: diagnosis.OpenTransaction, partitions: 3, rate: 15,
		members: []testkafka.ConsumerSpec{{
			Processing: light, MaxPollRecords: 10, Config: map[string]string{"isolation.level": "read_committed"},
		}},
		cause: func(g *troubled) {
			const id = "trouble"
			g.cleanup(func(ctx context.Context) error { _, err := g.EndTransaction(ctx, id, testkafka.Abort); return err })
			partition := 1
			_, err := g.BeginTransaction(g.ctx, id, 10*time.Minute, testkafka.ProduceSpec{Topic: g.name(), Records: 5, Partition: &partition})
			g.must(err)
		},
	},
	{
		want: diagnosis.Standalone, partitions: 2, rate: 10,
		members: []testkafka.ConsumerSpec{{
			Processing: light, MaxPollRecords: 10, Assign: testkafka.Partitions("trouble-standalone", 2),
		}},
	},
	{
		calm: true, partitions: 4, rate: 20,
		members: []testkafka.ConsumerSpec{works(light), works(light)},
	},
}

// troubled is a trouble under way.
type troubled struct {
	*kafka
	trouble
	f *follower
}

// member is the id of a member.
func (g *troubled) member(n int) string { return fmt.Sprintf("%s-%d", g.name(), n) }

// begin starts the members, and what they read.
func (g *troubled) begin() {
	g.t.Helper()
	g.topic(g.name(), g.partitions)
	for n, spec := range g.members {
		g.start(n, spec)
	}
}

func (g *troubled) start(n int, spec testkafka.ConsumerSpec) {
	g.t.Helper()
	if spec.ID, spec.Group = g.member(n), g.name(); len(spec.Assign) == 0 {
		spec.Topics = []string{g.name()}
	}
	g.consumer(spec)
}

// feed starts what arrives, once everybody is there.
func (g *troubled) feed() {
	g.t.Helper()
	g.must(g.WaitAssigned(g.ctx, g.name(), testkafka.Spread(len(g.members), g.partitions)))
	g.cleanup(func(ctx context.Context) error { _, err := g.StopProducer(ctx, g.name()); return err })
	g.must(g.StartProducer(g.ctx, testkafka.ProducerSpec{
		ID: g.name(), Topic: g.name(), Rate: g.rate, HotShare: g.hot, Keys: 1000, ValueBytes: 20,
	}))
}

// usual waits until the group has committed everywhere in several polls, so that it is
// known what is usual.
func (g *troubled) usual() {
	g.t.Helper()
	seen := map[int32]int{}
	defer func() {
		if g.t.Failed() {
			g.t.Logf("%s: commits on each partition: %v", g.name(), seen)
		}
	}()
	await.Until(g.t, time.Minute, g.name()+": commits in every poll", func() bool {
		clear(seen)
		last := map[int32]int64{}
		for _, l := range g.f.looks() {
			for p, at := range l.committed(g.name()) {
				if before, ok := last[p]; ok && at > before {
					seen[p]++
				}
				last[p] = at
			}
		}
		few := func(n int) bool { return n < 6 }
		return len(seen) == g.partitions && !slices.ContainsFunc(values(seen), few)
	})
}

func values[K comparable, V any](m map[K]V) (list []V) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// committed is where a group with one topic is, by partition.
func (l *look) committed(group string) map[int32]int64 {
	out := map[int32]int64{}
	g := l.group(group)
	if g == nil {
		return out
	}
	for i := range g.Topics {
		for j := range g.Topics[i].Pairs {
			p := &g.Topics[i].Pairs[j]
			if at, ok := p.Committed.Get(); ok && p.State == collector.PairCommitted {
				out[p.Partition] = at
			}
		}
	}
	return out
}

// headlines are the first condition that holds in each poll that could read the group;
// nil where none does. On a machine without a free processor brokers may not answer in
// time: then the group is unreadable, which is true, and said for some polls more.
func (g *troubled) headlines() (polls []look, first []*diagnosis.Finding) {
	troubled := quickly().Leave + 1 // polls since one that could not read everything
	for _, l := range g.f.looks() {
		if troubled++; len(l.view.Problems) > 0 {
			troubled = 0
		}
		at := l.group(g.name())
		if at == nil {
			continue
		}
		var f *diagnosis.Finding
		if len(at.Diagnosis.Findings) > 0 {
			f = &at.Diagnosis.Findings[0]
		}
		if f != nil && f.Condition == diagnosis.Unreadable && troubled <= quickly().Leave {
			continue
		}
		polls, first = append(polls, l), append(first, f)
	}
	return polls, first
}

// recognised waits until the headline has been the one that is wanted in five polls in
// succession.
func (g *troubled) recognised(caused time.Time) {
	g.t.Helper()
	const enough = 5
	await.Until(g.t, 90*time.Second, g.name()+" to be recognised", func() bool {
		_, list := g.headlines()
		if len(list) < enough {
			return false
		}
		return !slices.ContainsFunc(list[len(list)-enough:], func(f *diagnosis.Finding) bool { return f == nil || f.Condition != g.want })
	})
	polls, list := g.headlines()
	for i, f := range list {
		if f != nil && f.Condition == g.want {
			g.t.Logf("%-17s after %4.1f s: %s", g.want, polls[i].ended.Sub(caused).Seconds(), f.Sentence)
			return
		}
	}
}

// nothingElse checks that no poll had another headline.
func (g *troubled) nothingElse() {
	g.t.Helper()
	var others [diagnosis.Conditions]int
	polls, list := g.headlines()
	for i, f := range list {
		if f == nil || !g.calm && f.Condition == g.want {
			continue
		}
		if others[f.Condition]++; others[f.Condition] == 1 {
			g.t.Errorf("%s: at %s the headline is %s: %s", g.name(), stamp(polls[i].began), f.Condition, f.Sentence)
		}
	}
	for c, n := range others {
		if n > 0 {
			g.t.Errorf("%s: %s in %d polls of %d", g.name(), diagnosis.Condition(c), n, len(polls))
		}
	}
}
