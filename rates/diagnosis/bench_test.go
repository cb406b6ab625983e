package diagnosis

import (
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
