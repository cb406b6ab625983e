package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// anything is a group of which every fact may be anything.
func anything(r *rand.Rand, now snapshot.Instant) *Group {
	yes := func() bool { return r.IntN(4) > 0 }
	g := &Group{
		ID: pick(r, "g", "", "-x", "a'b\n", "ü\x1b[31m"), Bootstrap: pick(r, "", "b:9092"),
		Now: now, Interval: pick(r, 10*time.Second, time.Second, 0), Objective: pick(r, time.Minute, 0, -time.Second),
		Expected: !yes(), Missing: r.IntN(20) == 0, Type: snapshot.GroupType(r.IntN(5)), ProtocolType: pick(r, "", "consumer", "connect"),
		State: snapshot.GroupState(r.IntN(9)), MembersRead: yes(), CommitsRead: yes(), Problem: pick(r, "", "refused\nby ACLs"), Assigned: yes(),
		Ownership: ownership.Recent{Known: yes(), Window: 10 * time.Minute, Rounds: r.IntN(9), Moved: r.IntN(50), Unstable: time.Duration(r.IntN(300)) * time.Second},
	}
	g.Failed = !g.MembersRead && !g.CommitsRead
	if yes() {
		g.Ownership.Quiet = snapshot.Known(time.Duration(r.IntN(100)) * time.Second)
	}
	if most := int(now % 6); most < 5 {
		g.Room = snapshot.Known(ownership.Room{Least: int(now/6) % (most + 1), Most: most, Partitions: most + int(now/36)%2})
	}
	members := make([]Member, r.IntN(5))
	for i := range members {
		members[i] = Member{ID: fmt.Sprintf("m%d", i), ClientID: pick(r, "", "c\x07", "c"), Partitions: r.IntN(4)}
	}
	if yes() {
		g.Members = snapshot.Known(members)
	} else {
		members = nil
	}
	blank, tame := r.IntN(6) == 0, r.IntN(3) == 0
	if tame { // one member has trouble and the others have none, and it is known who does what
		g.Type, g.State, g.Assigned, g.CommitsRead = snapshot.TypeClassic, snapshot.StateStable, true, true
		g.Ownership.Quiet = snapshot.Maybe[time.Duration]{}
	}
	hangs := r.IntN(3) == 0
	for i := range r.IntN(4) {
		t := Topic{Name: fmt.Sprintf("t%d", i)}
		if yes() {
			t.Subscribed = snapshot.Known(yes())
		}
		g.Topics = append(g.Topics, t)
		for id := range int32(r.IntN(5)) {
			p := anyPartition(r)
			p.Topic, p.ID, p.Owner = int32(i), id, int32(r.IntN(len(members)+1)-1)
			if tame && p.Owner > 0 {
				p = keepsUp(id, p.Owner)
				p.Topic = int32(i)
			}
			if tame && hangs && p.Owner == 0 {
				silences(&p)
			}
			if blank {
				p.Position = Uncommitted
			}
			g.Partitions = append(g.Partitions, p)
		}
	}
	return g
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func anyPartition(r *rand.Rand) Partition {
	number := func() rates.Value {
		return pick(r, rates.Value{}, rates.Of(0), rates.Of(math.Floor(r.Float64()*400)), rates.Of(r.Float64()*1e6), rates.Of(math.Inf(1)), rates.Of(1e300), rates.Of(1e-9))
	}
	offset := func() snapshot.Maybe[int64] {
		return pick(r, snapshot.Maybe[int64]{}, snapshot.Known(int64(0)), snapshot.Known(int64(1)), snapshot.Known(r.Int64N(1e6)), snapshot.Known(int64(math.MaxInt64)/1000))
	}
	return Partition{
		Position: pick(r, Committed, Committed, Committed, Position(r.IntN(4))), Fresh: r.IntN(4) > 0, Lag: offset(), Available: offset(),
		Lost: pick(r, 0, 0, 0, r.Int64N(1000)), From: offset(), To: offset(), HeldBack: number(),
		Before: rates.Usual{Arrival: number(), Drain: number()},
		Estimate: rates.Estimate{
			Drain: number(), DrainSeconds: number(), DrainLow: number(), DrainHigh: number(), LagAge: number(), CommitAge: number(),
			Processing: number(), Usual: number(), Waiting: number(), KeepsUp: r.IntN(3) == 0, Stopped: r.IntN(4) == 0, Still: r.IntN(4) == 0,
		},
		Arrival: number(), Headroom: number(),
	}
}

// shuffled is the same group with its members, topics and partitions in another order.
func shuffled(r *rand.Rand, g *Group) *Group {
	n := *g
	members, known := g.Members.Get()
	m := r.Perm(len(members))
	again := make([]Member, len(members))
	for i, to := range m {
		again[to] = members[i]
	}
	if known {
		n.Members = snapshot.Known(again)
	}
	topics := r.Perm(len(g.Topics))
	n.Topics = make([]Topic, len(g.Topics))
	for i, to := range topics {
		n.Topics[to] = g.Topics[i]
	}
	n.Partitions = slices.Clone(g.Partitions)
	for i := range n.Partitions {
		p := &n.Partitions[i]
		p.Topic = int32(topics[p.Topic])
		if p.Owner >= 0 {
			p.Owner = int32(m[p.Owner])
		}
	}
	r.Shuffle(len(n.Partitions), func(i, j int) { n.Partitions[i], n.Partitions[j] = n.Partitions[j], n.Partitions[i] })
	return &n
}

// Whatever the facts are, what is said is well-formed, and it does not depend on the order
// of members, topics and partitions.
func TestAnything(t *testing.T) {
	var seen [Conditions]int
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 7))
		limits := Defaults()
		var m, twin Memory
		g := anything(r, 0)
		now := begin
		for range 12 {
			if now += snapshot.Instant(r.Int64N(30e9)); r.IntN(3) == 0 {
				g = anything(r, now)
			}
			g.Now = now
			d, other := m.Observe(g, &limits), twin.Observe(shuffled(r, g), &limits)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			check(t, d, g)
			if s := diff.Diff(near(d), near(other)); s != "" {
				t.Fatalf("seed %d, in another order (-first +second):\n%s", seed, s)
			}
			for c, v := range d.Verdicts {
				if v == Holds {
					seen[c]++
				}
			}
		}
	}
	for c, n := range seen {
		if n == 0 {
			t.Errorf("%s never held", Condition(c))
		}
	}
}

// near is a diagnosis whose sums do not depend on the order of what was added up.
func near(d Diagnosis) Diagnosis {
	d.Findings = slices.Clone(d.Findings)
	for i := range d.Findings {
		f := &d.Findings[i]
		f.Evidence = slices.Clone(f.Evidence)
		for j := range f.Evidence {
			f.Evidence[j].Value = float64(float32(f.Evidence[j].Value))
		}
	}
	return d
}

func FuzzObserve(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, 1+seed, int64(10e9))
	}
	f.Fuzz(func(t *testing.T, a, b uint64, every int64) {
		r := rand.New(rand.NewPCG(a, b))
		limits := Defaults()
		for _, k := range Keys() {
			if r.IntN(3) > 0 {
				continue
			}
			switch at := k.Of(&limits).(type) {
			case *time.Duration:
				*at = time.Duration(r.Int64N(int64(time.Hour)))
			case *float64:
				*at = 3 * r.Float64()
			case *int:
				*at = r.IntN(400)
			}
		}
		var m Memory
		now := begin
		for range 8 {
			now += snapshot.Instant(every)
			g := anything(r, now)
			d := m.Observe(g, &limits)
			if g.Now = max(m.last, now); now > begin {
				check(t, d, g)
			}
		}
	})
}

func TestOrderOfPartitions(t *testing.T) {
	a, b := TopicPartition{"a", 9}, TopicPartition{"a", 10}
	if a.compare(b) >= 0 || cmp.Compare(a.String(), b.String()) <= 0 {
		t.Error("partition 9 comes before 10, by number")
	}
}
