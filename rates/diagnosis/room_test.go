package diagnosis

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// eagerly is what a memory that has just taken in a poll says of a condition, told anew
// where nothing was told before and no line made; nil if it does not hold in this poll.
func eagerly(m *Memory, g *Group, limits *Thresholds, c Condition) *Finding {
	anew := *m
	anew.trouble = &trouble{since: m.trouble.since}
	l := new(room).enter(g, limits, &anew)
	l.begin()
	p := l.judge(c)
	if p.verdict != Holds {
		return nil
	}
	f := &Finding{Condition: c, Since: m.trouble.since[c]}
	p.tell(&telling{f, l})
	return f
}

// Findings were made anew in every poll, each list and word of them; then lines to paste
// that had become stale would have been seen by no test. What is shared with
// the poll before, or told where another group was told of, is the same.
func TestToldAsIfAnew(t *testing.T) {
	limits := Defaults()
	told, stood := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		var m Memory
		g, now := anything(r, 0), begin
		var before, was []Diagnosis // as they are, and as they were when they were returned
		for range 12 {
			if now += snapshot.Instant(1 + r.Int64N(30e9)); r.IntN(3) == 0 {
				g = anything(r, now)
			}
			g.Now, g.Secured, g.Cluster = now, r.IntN(4) == 0, pick(r, "", "", "east")
			if r.IntN(4) == 0 {
				g.Bootstrap = pick(r, "b:9092", "c:9092")
			}
			d := m.Observe(g, &limits)
			for _, f := range d.Findings {
				want := eagerly(&m, g, &limits, f.Condition)
				if want == nil {
					stood++
					continue
				}
				told++
				if diff := cmp.Diff(*want, f, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("seed %d, %s (-anew +told):\n%s", seed, f.Condition, diff)
				}
			}
			before, was = append(before, d), append(was, deep(d))
		}
		if diff := cmp.Diff(was, before); diff != "" {
			t.Fatalf("seed %d: what was returned has changed (-was +is):\n%s", seed, diff)
		}
	}
	if told < 1000 || stood < 100 {
		t.Errorf("%d findings were told, %d stood", told, stood)
	}
}

// deep is a copy of all of a diagnosis.
func deep(d Diagnosis) Diagnosis {
	d.Findings = slices.Clone(d.Findings)
	for i := range d.Findings {
		f := &d.Findings[i]
		f.Evidence, f.Members = slices.Clone(f.Evidence), slices.Clone(f.Members)
		f.Partitions, f.Next = slices.Clone(f.Partitions), slices.Clone(f.Next)
	}
	return d
}

// The partitions that matter most are those that sorting all of them puts first.
func TestWorstPartitions(t *testing.T) {
	limits := Defaults()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := &Group{Topics: []Topic{{Name: "b"}, {Name: "a"}}}
		for id := range int32(r.IntN(30)) {
			g.Partitions = append(g.Partitions, Partition{Topic: id % 2, ID: id, Lost: r.Int64N(8)})
		}
		r.Shuffle(len(g.Partitions), func(i, j int) { g.Partitions[i], g.Partitions[j] = g.Partitions[j], g.Partitions[i] })
		w := &telling{&Finding{}, new(room).enter(g, &limits, &Memory{})}
		w.partitions(func(_ int, p *Partition) bool { return p.Lost > 0 }, func(p *Partition) float64 { return float64(p.Lost) })
		all := slices.DeleteFunc(slices.Clone(g.Partitions), func(p Partition) bool { return p.Lost == 0 })
		slices.SortFunc(all, func(a, b Partition) int {
			if a.Lost != b.Lost {
				return int(b.Lost - a.Lost)
			}
			return w.name(&a).compare(w.name(&b))
		})
		var want []TopicPartition
		for i := range all[:min(len(all), most)] {
			want = append(want, w.name(&all[i]))
		}
		if diff := cmp.Diff(want, w.Partitions); diff != "" {
			t.Fatalf("seed %d (-sorted +told):\n%s", seed, diff)
		}
	}
}
