package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// Regression: where a group reads committed records only and the config does not say so,
// no step of a stall led to the open transaction that looks like one.
func TestStallsAsOfAnOpenTransaction(t *testing.T) {
	for name, tt := range map[string]struct {
		poll func(g *Group, poll int)
		want bool
	}{
		"not known":       {func(g *Group, _ int) { g.on(silences) }, true},
		"reads them":      {func(g *Group, _ int) { g.on(silences).on(func(p *Partition) { p.HeldBack = rates.Of(0) }) }, false},
		"a share group":   {func(g *Group, _ int) { g.retype(snapshot.TypeShare).on(silences) }, false},
		"one partition":   {func(g *Group, _ int) { g.at(silences, 3) }, true},
		"without members": {job(10, 200), true},
	} {
		t.Run(name, func(t *testing.T) {
			limits := Defaults()
			d, _ := view{fresh: true, polls: 5, poll: tt.poll}.watch(&Memory{}, &limits)
			if len(d.Findings) == 0 {
				t.Fatal("no condition holds")
			}
			leads := slices.ContainsFunc(d.Findings[0].Next, func(s Step) bool { return strings.Contains(s.Command, "describe-producers") })
			if leads != tt.want {
				t.Errorf("%s leads to transactions: %t", d.Findings[0].Condition, leads)
			}
		})
	}
}

// job is a group that commits without members on all of its partitions but the last, which
// stands for so many seconds. It usually leaves usual seconds between commits.
func job(usual, stands float64) func(g *Group, poll int) {
	return func(g *Group, _ int) {
		g.leave().ProtocolType = ""
		g.on(func(p *Partition) { moves(p); p.Estimate.Usual = rates.Of(usual) }).at(silences, 5)
		g.Partitions[5].Estimate.Waiting, g.Partitions[5].Estimate.CommitAge = rates.Of(stands), rates.Of(stands)
	}
}

// Regression: of a job that commits without members and could not process a record, as one
// of Flink, it was said that there is no outage, and nothing else.
func TestJobsThatStandStill(t *testing.T) {
	alone := func(g *Group, poll int) {
		job(10, 200)(g, poll)
		g.Topics = append(g.Topics, Topic{Name: "dropped"})
		g.Partitions[5].Topic = int32(len(g.Topics) - 1)
	}
	for name, tt := range map[string]struct {
		poll   func(g *Group, poll int)
		want   string
		outage bool
	}{
		"one partition": {job(10, 200), "nothing has been committed on orders/5 for 3 min 20 s, while the job goes on with others: a record that cannot be processed, or who reads it is gone", true},
		"one partition, which the next checkpoint may take in": {job(180, 300), "", false},
		"a topic that it may have dropped":                     {alone, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			limits := Defaults()
			d, g := view{fresh: true, polls: 5, poll: tt.poll}.watch(&Memory{}, &limits)
			check(t, d, g)
			said := map[Condition]string{}
			for _, f := range d.Findings {
				said[f.Condition] = f.Sentence
			}
			if said[StalledPartition] != tt.want || said[Standalone] == "" || strings.Contains(said[Standalone], "no outage") == tt.outage {
				t.Errorf("said %q, want %q; %q", said[StalledPartition], tt.want, said[Standalone])
			}
		})
	}
}
