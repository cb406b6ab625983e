package diagnosis

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// healthy is a group of three members with two partitions of orders each, on each of
// which 100 offsets a second arrive and are committed every five seconds.
func healthy() *Group {
	g := &Group{
		ID: "order-service", Bootstrap: "kafka-1:9092", Interval: 10 * time.Second, Objective: time.Minute,
		Type: snapshot.TypeClassic, ProtocolType: "consumer", State: snapshot.StateStable,
		MembersRead: true, CommitsRead: true, Assigned: true,
		Ownership: ownership.Recent{Known: true, Window: 10 * time.Minute},
		Topics:    []Topic{{Name: "orders", Subscribed: snapshot.Known(true)}},
	}
	var members []Member
	for i := range 3 {
		name := fmt.Sprintf("order-worker-%d", i)
		members = append(members, Member{ID: name + "-0a1b", ClientID: name, Host: "/10.0.0." + fmt.Sprint(i), Partitions: 2})
	}
	g.Members = snapshot.Known(members)
	g.Room = snapshot.Known(ownership.Room{Least: 6, Most: 6, Partitions: 6})
	for i := range int32(6) {
		g.Partitions = append(g.Partitions, keepsUp(i, i%3))
	}
	return g
}

func keepsUp(id, owner int32) Partition {
	return Partition{
		ID: id, Owner: owner, Position: Committed, Fresh: true, Lag: snapshot.Known(int64(300)),
		Before: rates.Usual{Arrival: rates.Of(100), Drain: rates.Of(100)},
		Estimate: rates.Estimate{
			Drain: rates.Of(100), DrainSeconds: rates.Of(3), DrainLow: rates.Of(0), DrainHigh: rates.Of(15),
			LagAge: rates.Of(3), CommitAge: rates.Of(0), Usual: rates.Of(10), Waiting: rates.Of(0), KeepsUp: true,
		},
		Arrival: rates.Of(100), Headroom: rates.Of(86_000),
	}
}

// What happens to a partition.

func falls(arrival, drain float64) func(*Partition) {
	return func(p *Partition) {
		never := rates.Of(math.Inf(1))
		p.Arrival, p.Lag = rates.Of(arrival), snapshot.Known(int64(20_000))
		e := &p.Estimate
		e.Drain, e.DrainSeconds, e.DrainLow, e.DrainHigh, e.LagAge, e.KeepsUp = rates.Of(drain), never, never, never, rates.Of(200), false
	}
}

func shrinks(p *Partition) {
	falls(100, 250)(p)
	p.Estimate.DrainSeconds, p.Estimate.DrainLow, p.Estimate.DrainHigh = rates.Of(133), rates.Of(120), rates.Of(150)
}

func silences(p *Partition) {
	falls(100, 0)(p)
	p.Estimate.Stopped, p.Estimate.Waiting, p.Estimate.CommitAge = true, rates.Of(200), rates.Of(200)
}

func undecides(p *Partition) {
	falls(100, 100)(p)
	p.Estimate.DrainSeconds, p.Estimate.DrainLow, p.Estimate.DrainHigh = rates.Value{}, rates.Value{}, rates.Value{}
}

func uncommits(p *Partition) {
	*p = Partition{ID: p.ID, Topic: p.Topic, Owner: p.Owner, Position: Uncommitted, Fresh: true, Available: snapshot.Known(int64(500)), Arrival: p.Arrival}
}

func idles(p *Partition) {
	e := &p.Estimate
	p.Lag, p.Arrival, e.Drain, e.LagAge, e.DrainSeconds, e.CommitAge = snapshot.Known(int64(0)), rates.Of(0), rates.Of(0), rates.Of(0), rates.Of(0), rates.Of(900)
}

// at lets something happen to some partitions, and on to all.
func (g *Group) at(what func(*Partition), ids ...int) *Group {
	for _, i := range ids {
		what(&g.Partitions[i])
	}
	return g
}

func (g *Group) on(what func(*Partition)) *Group {
	for i := range g.Partitions {
		what(&g.Partitions[i])
	}
	return g
}

// leave makes all members leave.
func (g *Group) leave() *Group {
	g.Members, g.State = snapshot.Known([]Member{}), snapshot.StateEmpty
	return g.on(func(p *Partition) { p.Owner = -1 })
}

func (g *Group) retype(t snapshot.GroupType) *Group { g.Type = t; return g }

// moves makes a position move on in this poll.
func moves(p *Partition) {
	p.From, p.To = snapshot.Known(int64(100)), snapshot.Known(int64(200))
	p.Estimate.CommitAge, p.Estimate.Waiting = rates.Of(0), rates.Of(0)
}

// view is a group as some polls see it, and what is to be said of one condition.
type view struct {
	name string
	of   Condition
	want Verdict
	poll func(g *Group, poll int)
	// polls is how many there are, 4 if it is 0; before is how many saw the healthy
	// group before, fresh that none did.
	polls, before int
	fresh         bool
	// headline is another than that condition.
	headline Condition
	other    bool
}

const begin = snapshot.Instant(1e18)

// watch shows the views to a memory and returns what it says at the end.
func (v view) watch(m *Memory, t *Thresholds) (d Diagnosis, last *Group) {
	before, polls := v.before, v.polls
	if before == 0 && !v.fresh {
		before = 12
	}
	if polls == 0 {
		polls = 4
	}
	now := begin
	for i := range before + polls {
		g := healthy()
		if i >= before {
			v.poll(g, i-before)
		}
		now += snapshot.Instant(g.Interval)
		g.Now = now
		d, last = m.Observe(g, t), g
	}
	return d, last
}

func TestViews(t *testing.T) {
	if n := len(views); n < 60 {
		t.Errorf("%d views", n)
	}
	limits := Defaults()
	for _, v := range views {
		t.Run(v.of.String()+"/"+v.name, func(t *testing.T) {
			d, g := v.watch(&Memory{}, &limits)
			if d.Verdicts[v.of] != v.want {
				t.Errorf("verdict %d, want %d; %s", d.Verdicts[v.of], v.want, titles(d))
			}
			want := v.of
			if v.other {
				want = v.headline
			}
			if (v.want == Holds || v.other) && (len(d.Findings) == 0 || d.Findings[0].Condition != want) {
				t.Errorf("headline is not %s: %s", want, titles(d))
			}
			check(t, d, g)
		})
	}
}

func titles(d Diagnosis) (list []string) {
	for _, f := range d.Findings {
		list = append(list, f.Condition.String()+": "+f.Sentence)
	}
	return list
}

// The healthy group shows nothing, and all of it can be evaluated, as its last stable
// offsets are read.
func TestHealthy(t *testing.T) {
	limits := Defaults()
	d, _ := view{poll: func(g *Group, _ int) { g.on(func(p *Partition) { p.HeldBack = rates.Of(0) }) }}.watch(&Memory{}, &limits)
	for c, v := range d.Verdicts {
		if v != Clear {
			t.Errorf("%s is %d", Condition(c), v)
		}
	}
}

// What is true of every diagnosis.
func check(t *testing.T, d Diagnosis, g *Group) {
	t.Helper()
	var held [Conditions]bool
	for i, f := range d.Findings {
		held[f.Condition] = true
		if i > 0 && f.Condition <= d.Findings[i-1].Condition {
			t.Errorf("%s comes after %s", f.Condition, d.Findings[i-1].Condition)
		}
		checkFinding(t, &f, g)
	}
	for c, v := range d.Verdicts {
		if held[c] != (v == Holds) {
			t.Errorf("%s: verdict %d, and a finding is there: %v", Condition(c), v, held[c])
		}
	}
	for _, family := range families {
		n := 0
		for c := family[0]; c <= family[1]; c++ {
			if held[c] {
				n++
			}
		}
		if n > 1 {
			t.Errorf("%d of %s to %s hold", n, family[0], family[1])
		}
	}
}
