package diagnosis

import (
	"testing"

	"github.com/lagwatch/lagwatch/rates"
)

// Regression: of a Java consumer that was overloaded, which works on one partition at a
// time, it was said that a record on the others could not be processed.
func TestTurns(t *testing.T) {
	unremembered := func(p *Partition) { p.Before = rates.Usual{} }
	for _, v := range []view{
		{name: "one member is behind and works on one at a time", of: StalledPartition, want: Clear, other: true, headline: SlowMember, poll: func(g *Group, _ int) {
			g.at(falls(100, 80), 0).at(silences, 3)
		}},
		{name: "all are", of: StalledPartition, want: Clear, other: true, headline: UnderCapacity, poll: func(g *Group, _ int) {
			g.at(falls(100, 120), 0, 1, 2).at(silences, 3, 4, 5).on(unremembered)
		}},
		{name: "it drains more than arrives in all", of: StalledPartition, want: Clear, other: true, headline: CatchingUp, poll: func(g *Group, _ int) {
			g.at(shrinks, 0).at(silences, 3)
		}},
		{name: "it drains less than arrives in all", of: CatchingUp, want: Clear, other: true, headline: SlowMember, poll: func(g *Group, _ int) {
			g.at(shrinks, 0).at(silences, 3)
			g.Partitions[0].Estimate.Drain = rates.Of(150)
		}},
		{name: "it keeps up on the other", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) {
			g.at(silences, 3)
		}},
		{name: "it is behind on the other and has not committed there since", of: StalledPartition, want: Unknown, other: true, headline: SlowMember, poll: func(g *Group, _ int) {
			g.at(falls(100, 80), 0).at(silences, 3)
			g.Partitions[0].Estimate.CommitAge = rates.Of(190)
		}},
		{name: "it is behind on the other, and whether it catches up is not known", of: StalledPartition, want: Clear, poll: func(g *Group, _ int) {
			g.at(undecides, 0).at(silences, 3)
		}},
		{name: "it is a bit behind on the other for a moment", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) {
			g.at(falls(100, 80), 0).at(silences, 3)
			g.Partitions[0].Estimate.LagAge = rates.Of(25)
		}},
		{name: "another member is behind, its own keeps up", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) {
			g.at(falls(100, 80), 1).at(silences, 3)
		}},
		{name: "it commits nowhere", of: StalledMember, want: Holds, poll: func(g *Group, _ int) {
			g.at(silences, 0, 3).at(falls(100, 80), 1)
		}},
	} {
		t.Run(v.name, func(t *testing.T) {
			thresholds := Defaults()
			d, last := v.watch(&Memory{}, &thresholds)
			check(t, d, last)
			if d.Verdicts[v.of] != v.want {
				t.Errorf("%s: verdict %d, want %d; %v hold", v.of, d.Verdicts[v.of], v.want, titles(d))
			}
			if v.other && (len(d.Findings) == 0 || d.Findings[0].Condition != v.headline) {
				t.Errorf("the headline of %v is not %s", titles(d), v.headline)
			}
		})
	}
}
