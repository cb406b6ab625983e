package apitest

import (
	"math"
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// Group finds a group of a view.
func Group(v *collector.View, id string) *collector.Group {
	i := slices.IndexFunc(v.Groups, func(g collector.Group) bool { return g.ID == id })
	return &v.Groups[i]
}

// fill puts into the view what polls of half an hour would have.
func fill(v *collector.View) {
	for i := range v.Topics {
		v.Topics[i].Arrivals = slices.Clone(v.Topics[i].Arrivals)
		for j := range v.Topics[i].Arrivals {
			v.Topics[i].Arrivals[j] = rates.Of(10)
		}
	}
	v.Topics[2].StableArrivals = slices.Clone(v.Topics[2].Arrivals) // what orders' reader of committed records gets
	v.Topics[2].StableArrivals[2], v.Topics[2].Arrivals[2] = rates.Of(62.5), rates.Of(64)
	v.Topics[1].Recreated, v.Topics[1].Added = 1, 2
	of := rates.Of
	inf := math.Inf(1)
	g := Group(v, "order-fulfilment")
	behind := collector.Estimates{Complete: true, LagAge: of(185.2), Arrival: of(92.5), Drain: of(61), DrainSeconds: of(inf), DrainLow: of(900), DrainHigh: of(inf), Headroom: of(601200)}
	*g = estimated(*g, behind, []collector.PairEstimate{
		{Drain: of(10), DrainSeconds: of(0.9), DrainLow: of(0), DrainHigh: of(11), CommitAge: of(3), Headroom: of(604797)},
		{Drain: of(10), DrainSeconds: of(0), DrainLow: of(0), DrainHigh: of(0), CommitAge: of(3)},
		{Drain: of(31), DrainSeconds: of(inf), DrainLow: of(900), DrainHigh: of(inf), Processing: of(0.0323), CommitAge: of(3), Headroom: of(601200)},
		{Drain: of(10), DrainSeconds: of(240), DrainLow: of(200), DrainHigh: of(300), CommitAge: of(3), Headroom: of(604797)},
	}, []float64{1, 0, 185.2, 2})
	g.MembersNeeded = snapshot.Known(int64(4))
	g.Rewinds, g.Skips = 3, 1
	g.Ownership = ownership.Totals{Rebalances: [ownership.Sources]uint64{ownership.Generation: 3}, Moved: 5, Unstable: 12500 * time.Millisecond}
	g.Rounds = []ownership.Round{
		{At: built.Add(-20 * time.Minute), Source: ownership.Generation, Count: 2, Generation: snapshot.Known(int32(6)), Moved: 4, Joined: 2},
		{At: built.Add(-12 * time.Minute), Source: ownership.Generation, Count: 1, Generation: snapshot.Known(int32(7)), Moved: 1, Left: 1},
	}
	g.LastRound = g.Rounds[1].At
	g.Shifts = []collector.Shift{
		{At: built.Add(-2 * time.Hour), Topic: "orders", Partitions: 1, Offsets: 40, Empty: true},
		{At: built.Add(-12 * time.Minute), Topic: "orders", Back: true, Partitions: 3, Offsets: 1200, NearRound: true},
	}
	g.Diagnosis = Diagnosis(Hot(), Idle())

	g = Group(v, "refunds")
	*g = estimated(*g, collector.Estimates{LagAge: of(75), Arrival: of(20), Drain: of(25), DrainSeconds: of(300), DrainLow: of(240), DrainHigh: of(inf)},
		[]collector.PairEstimate{{Drain: of(15), DrainSeconds: of(300), DrainLow: of(240), DrainHigh: of(inf)}, {}}, []float64{75, 0})

	g = Group(v, "shared")
	*g = estimated(*g, collector.Estimates{LagAge: of(540)}, []collector.PairEstimate{{}, {}, {}, {Lost: g.Topics[0].Pairs[3].Lost}, {}}, []float64{540, -1, -1, -1, -1})
	g.Diagnosis = Diagnosis(NoConsumers())
	g.Diagnosis.Verdicts[diagnosis.SlowDependency] = diagnosis.Unknown

	v.Missing = []collector.MissingGroup{{ID: "nightly-export", Since: built.Add(-150 * time.Second), Diagnosis: Diagnosis(Vanished())}}

	g = Group(v, "audit-tail")
	m, _ := g.Members.Get()
	m.Assigned = false // it rebalances
	g.Members, g.OwnersCurrent = snapshot.Known(m), false
	g.Rounds = []ownership.Round{{At: built.Add(-time.Minute), Source: ownership.Observed, Count: 1}}
}

// Vanished is a finding of an expected group that is not there.
func Vanished() diagnosis.Finding {
	return diagnosis.Finding{
		Condition: diagnosis.CommitsVanished, Sentence: "the group is expected, and the cluster does not have it",
		Next: []diagnosis.Step{{Text: "see whether it is there", Command: "kafka-consumer-groups.sh --bootstrap-server kafka1:9092 --list"}},
	}
}

// estimated is a group that reads one topic, with estimates.
func estimated(g collector.Group, all collector.Estimates, pairs []collector.PairEstimate, ages []float64) collector.Group {
	g.Estimates = all
	g.Topics = slices.Clone(g.Topics)
	t := &g.Topics[0]
	t.Estimates, t.PairEstimates, t.Pairs = all, pairs, slices.Clone(t.Pairs)
	for i := range t.Pairs {
		t.Pairs[i].LagAge = rates.Of(ages[i])
	}
	return g
}

// Diagnosis is that of some findings: of every other condition it is known that it does
// not hold.
func Diagnosis(findings ...diagnosis.Finding) (d diagnosis.Diagnosis) {
	for c := range d.Verdicts {
		d.Verdicts[c] = diagnosis.Clear
	}
	for i := range findings {
		findings[i].Since = snapshot.InstantOf(built.Add(-150 * time.Second))
		d.Verdicts[findings[i].Condition] = diagnosis.Holds
	}
	d.Findings = findings
	return d
}

// Hot is a finding of uneven arrivals.
func Hot() diagnosis.Finding {
	return diagnosis.Finding{
		Condition: diagnosis.HotPartition,
		Sentence:  "partition orders/2 takes 68 % of the arrivals and falls behind by 31.5 offsets/s; its owner client-order-worker-2-81aa keeps up on the others",
		Evidence: []diagnosis.Evidence{
			{Name: "arrival_share", Value: 0.68}, {Name: "arrival", Value: 62.5, Unit: "offsets/second"},
			{Name: "lag", Value: 7800, Unit: "offsets"}, {Name: "drain_time", Value: math.Inf(1), Unit: "seconds"},
		},
		Members:    []string{"order-worker-2-81aa"},
		Partitions: []diagnosis.TopicPartition{{Topic: "orders", Partition: 2}},
		Next: []diagnosis.Step{
			{Text: "look which keys are on the partition; more consumers do not help"},
			{Text: "see who owns what", Command: "kafka-consumer-groups.sh --bootstrap-server kafka1:9092 --describe --group order-fulfilment --members --verbose"},
		},
	}
}

// Idle is a finding of a member without a partition.
func Idle() diagnosis.Finding {
	return diagnosis.Finding{
		Condition: diagnosis.IdleMembers, Sentence: "1 of 3 members has no partition",
		Evidence: []diagnosis.Evidence{{Name: "idle_members", Value: 1, Unit: "members"}},
		Members:  []string{"order-worker-3-d01b"},
		Next:     []diagnosis.Step{{Text: "leave it as a reserve, or add partitions"}},
	}
}

// NoConsumers is a finding of a group that everybody left.
func NoConsumers() diagnosis.Finding {
	return diagnosis.Finding{
		Condition: diagnosis.NoConsumers, Sentence: "nobody is a member, 1,000 offsets wait, and nothing was committed for 9 min",
		Evidence:   []diagnosis.Evidence{{Name: "lag", Value: 1000, Unit: "offsets"}, {Name: "members", Value: 0, Unit: "members"}},
		Partitions: []diagnosis.TopicPartition{{Topic: "orders", Partition: 0}},
		Next: []diagnosis.Step{
			{Text: "start its consumers; the coordinator tells of them", Command: "kafka-consumer-groups.sh --bootstrap-server kafka1:9092 --describe --group shared --state"},
			{Text: "look again", Command: "lagwatch explain shared"},
		},
	}
}
