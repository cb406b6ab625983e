package diagnosis

import (
	"fmt"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// fleet is 2,000 groups of 50 partitions that are all alike, and their memories.
func fleet(what func(g *Group)) (groups []*Group, memories []Memory) {
	for range 2000 {
		g := healthy()
		g.Partitions = nil
		for id := range int32(50) {
			g.Partitions = append(g.Partitions, keepsUp(id, id%3))
		}
		what(g)
		groups = append(groups, g)
	}
	return groups, make([]Memory, len(groups))
}

// One operation is a poll of 100,000 partitions.
func BenchmarkObserve(b *testing.B) {
	for _, tt := range []struct {
		name string
		what func(g *Group)
	}{
		{"calm", func(*Group) {}},
		{"one partition stalled", func(g *Group) { g.at(silences, 7) }},
		{"all fall behind", func(g *Group) { g.on(falls(100, 60)) }},
	} {
		b.Run(tt.name, func(b *testing.B) {
			groups, memories := fleet(tt.what)
			limits := Defaults()
			now := begin
			b.ReportAllocs()
			for b.Loop() {
				now += snapshot.Instant(10e9)
				for i, g := range groups {
					g.Now = now
					memories[i].Observe(g, &limits)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/partition")
		})
	}
}

// One operation is a poll of one group with 100 members and many partitions, all of which
// the condition concerns: what is said of them must not cost more than in proportion.
func BenchmarkTell(b *testing.B) {
	for _, tt := range []struct {
		name string
		poll func(g *Group)
	}{
		{"hot", func(g *Group) {
			for i := range g.Partitions {
				if i%3 == 0 { // less than half, so that the median is that of the others
					falls(400, 150)(&g.Partitions[i])
				}
			}
		}},
		{"stalled", func(g *Group) {
			for i := range g.Partitions {
				if i%100 < 30 {
					silences(&g.Partitions[i])
				}
			}
		}},
	} {
		for _, n := range []int{500, 5000} {
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				g := healthy().crowd(100)
				g.Partitions = nil
				for id := range int32(n) {
					g.Partitions = append(g.Partitions, keepsUp(id, id%100))
				}
				members, _ := g.Members.Get()
				for i := range members {
					members[i].Partitions = n / 100
				}
				tt.poll(g)
				limits, m, now := Defaults(), Memory{}, begin
				var d Diagnosis
				for b.Loop() {
					now += snapshot.Instant(10e9)
					g.Now = now
					d = m.Observe(g, &limits)
				}
				if b.N > 3 && len(d.Findings) == 0 {
					b.Error("nothing is said")
				}
			})
		}
	}
}
