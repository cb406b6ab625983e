package diagnosis

import (
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// stands makes a partition stand still for so many seconds, with a record that arrived
// when it began to.
func stands(seconds float64) func(*Partition) {
	return func(p *Partition) {
		silences(p)
		p.Estimate.Waiting, p.Estimate.CommitAge, p.Estimate.LagAge = rates.Of(seconds), rates.Of(seconds), rates.Of(seconds)
	}
}

// said is how one condition is, and the number that proves for how long.
func said(t *testing.T, c Condition, poll func(g *Group, poll int)) (sentence string, silent float64) {
	t.Helper()
	limits := Defaults()
	d, g := view{poll: poll}.watch(&Memory{}, &limits)
	check(t, d, g)
	for _, f := range d.Findings {
		if f.Condition != c {
			continue
		}
		for _, e := range f.Evidence {
			if e.Name == "silent" {
				silent = e.Value
			}
		}
		return f.Sentence, silent
	}
	t.Fatalf("%s does not hold: %v", c, titles(d))
	return "", 0
}

// Regression: where partitions stop one after the other, an outage of 40 minutes was
// said to have lasted for a minute, as on the last of them.
func TestForHowLong(t *testing.T) {
	for name, tt := range map[string]struct {
		of     Condition
		poll   func(g *Group, poll int)
		want   float64
		phrase string
	}{
		"a group": {StalledGroup, func(g *Group, _ int) {
			g.at(stands(2400), 0, 1, 2, 3).at(stands(65), 4, 5).on(func(p *Partition) { p.Estimate.CommitAge = rates.Of(2400) })
		}, 2400, "6 partitions with unread records for 40 min,"},
		"a group that commits for the last time somewhat later": {StalledGroup, func(g *Group, _ int) {
			g.at(stands(2400), 0, 1, 2, 3).at(stands(65), 4, 5)
			g.Partitions[0].Estimate.CommitAge, g.Partitions[4].Estimate.CommitAge = rates.Of(2390), rates.Of(2390)
			g.Partitions[5].Estimate.CommitAge = rates.Of(7200)
		}, 2390, "for 39 min 50 s,"},
		"a group that had nothing to do for long": {StalledGroup, func(g *Group, _ int) {
			g.on(stands(300)).on(func(p *Partition) { p.Estimate.CommitAge = rates.Of(7200) })
		}, 300, "for 5 min,"},
		"a group that was never seen to commit": {StalledGroup, func(g *Group, _ int) {
			g.on(stands(300)).on(func(p *Partition) { p.Estimate.CommitAge = rates.Value{} })
		}, 300, "for 5 min,"},
		"a member": {StalledMember, func(g *Group, _ int) {
			g.at(stands(2400), 1).at(stands(65), 4)
			g.Partitions[4].Estimate.CommitAge = rates.Of(7200)
		}, 2400, "2 partitions with unread records for 40 min,"},
		"a partition": {StalledPartition, func(g *Group, _ int) { g.at(stands(2400), 3).at(stands(65), 1) },
			2400, "on orders/3 for 40 min and on 1 partition more for 1 min 5 s at least,"},
	} {
		t.Run(name, func(t *testing.T) {
			sentence, silent := said(t, tt.of, tt.poll)
			if !strings.Contains(sentence, tt.phrase) || silent != tt.want {
				t.Errorf("silent for %g s, want %g: %q, want it to say %q", silent, tt.want, sentence, tt.phrase)
			}
		})
	}
}

// Regression: of several partitions the sentence said the same, though the owner of one
// of them had nothing to read elsewhere.
func TestOwnersOfStopped(t *testing.T) {
	for name, tt := range map[string]struct {
		poll func(g *Group, poll int)
		want string
	}{
		"both go on": {func(g *Group, _ int) { g.at(stands(300), 3).at(stands(200), 1) },
			"nothing has been committed on orders/3 for 5 min and on 1 partition more for 3 min 20 s at least, while their owners go on with other partitions: a record on each that cannot be processed"},
		"one has nothing else to read": {func(g *Group, _ int) { g.at(stands(300), 3).at(stands(200), 1).at(idles, 0) },
			"nothing has been committed on orders/1 for 3 min 20 s, while the owner goes on with other partitions: a record that cannot be processed; nor on 1 partition for 5 min at least, of which the owner has nothing to read elsewhere that would show whether it works"},
		"none has": {func(g *Group, _ int) { g.at(stands(300), 3).at(stands(200), 1).at(idles, 0, 4) },
			"nothing has been committed on orders/3 for 5 min and on 1 partition more for 3 min 20 s at least; their owners have nothing to read elsewhere that would show whether they work"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := said(t, StalledPartition, tt.poll); got != tt.want {
				t.Errorf("said\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// Regression: of a share group, where several read one partition, the first of them was
// said to hang, or to be slow.
func TestShareGroupsBlameNobody(t *testing.T) {
	share := func(g *Group) *Group { return g.retype(snapshot.TypeShare) }
	for _, v := range []view{
		{name: "two that the first one reads", of: StalledPartition, want: Holds, poll: func(g *Group, _ int) { share(g).at(silences, 0, 3) }},
		{name: "all", of: StalledGroup, want: Holds, poll: func(g *Group, _ int) { share(g).on(silences) }},
		{name: "two are slow that one reads", of: SlowDependency, want: Holds, poll: func(g *Group, _ int) { share(g).at(falls(100, 40), 1, 4) }},
		{name: "all are slow", of: SlowDependency, want: Holds, poll: func(g *Group, _ int) { slower(share(g), 0) }},
		{name: "one is hot", of: HotPartition, want: Holds, poll: func(g *Group, _ int) { share(g).at(falls(400, 150), 3) }},
	} {
		t.Run(v.name, func(t *testing.T) {
			limits := Defaults()
			d, g := v.watch(&Memory{}, &limits)
			check(t, d, g)
			if len(d.Findings) != 1 || d.Findings[0].Condition != v.of || len(d.Findings[0].Members) > 0 || strings.Contains(d.Findings[0].Sentence, "owner") {
				t.Errorf("%v of %v, want %s and nobody to blame", titles(d), d.Findings, v.of)
			}
		})
	}
}

// commitsEachMinute is a partition that usually leaves a minute between commits, and has
// been silent for so many seconds.
func commitsEachMinute(waiting float64) func(*Partition) {
	return func(p *Partition) {
		stands(waiting)(p)
		p.Estimate.Usual = rates.Of(60)
	}
}

// redeployed is a group that was left for nine polls, half a minute after its last commit,
// came back and has not committed since.
func redeployed(g *Group, poll int) {
	g.on(commitsEachMinute(30 + 10*float64(poll)))
	if poll < 9 {
		g.leave()
	} else {
		g.Ownership.Quiet = snapshot.Known(time.Duration(poll-9) * g.Interval)
	}
}

// Regression: after a redeploy of a group that commits each minute, or an eager rebalance
// that took long, the time without owners counted as silence: all had stopped, it was said.
func TestSilenceWithoutOwners(t *testing.T) {
	minute := func(from float64, what func(g *Group, poll int)) func(g *Group, poll int) {
		return func(g *Group, poll int) {
			g.on(commitsEachMinute(from + 10*float64(poll)))
			what(g, poll)
		}
	}
	quiet := func(since time.Duration) func(g *Group, poll int) {
		return func(g *Group, poll int) { g.Ownership.Quiet = snapshot.Known(since + time.Duration(poll)*g.Interval) }
	}
	unstable := func(polls int) func(g *Group, poll int) {
		return func(g *Group, poll int) {
			if poll < polls {
				g.State = snapshot.StatePreparingRebalance
			}
		}
	}
	for _, v := range []view{
		{name: "members are back", of: StalledGroup, want: Clear, polls: 18, poll: redeployed},
		{name: "members are back for longer than they leave between commits", of: StalledGroup, want: Holds, polls: 20, poll: redeployed},
		{name: "a round was seen", of: StalledGroup, want: Clear, polls: 9, poll: minute(30, quiet(0))},
		{name: "a round was seen long ago", of: StalledGroup, want: Holds, polls: 11, poll: minute(30, quiet(0))},
		{name: "an eager rebalance of 90 s", of: StalledGroup, want: Clear, polls: 17, poll: minute(30, unstable(9))},
		{name: "nobody could read it for 90 s", of: StalledGroup, want: Clear, polls: 17, poll: minute(30, func(g *Group, poll int) { g.CommitsRead = poll >= 9 })},
		{name: "it had stopped before", of: StalledGroup, want: Holds, polls: 3, poll: minute(200, quiet(0))},
		{name: "members come and go for a record that throws them out", of: StalledPartition, want: Holds, polls: 20, poll: func(g *Group, poll int) {
			g.at(stands(10*float64(poll)), 3)
			g.Ownership.Quiet = snapshot.Known(time.Duration(poll%3) * g.Interval)
		}},
	} {
		t.Run(v.name, func(t *testing.T) {
			limits := Defaults()
			d, g := v.watch(&Memory{}, &limits)
			check(t, d, g)
			if d.Verdicts[v.of] != v.want {
				t.Errorf("%s: verdict %d, want %d; %v", v.of, d.Verdicts[v.of], v.want, titles(d))
			}
		})
	}
}

// Regression: what arrived on topics to which nobody subscribes counted as what members
// must do, and while something was unread there it was never learned how many they were.
func TestTopicsThatNobodyReads(t *testing.T) {
	limits := Defaults()
	var m Memory
	d, g := view{fresh: true, polls: 16, poll: func(g *Group, poll int) {
		if poll > 12 {
			g.at(falls(150, 100), 0, 1)
		}
		g.leaves(silences, 5)
	}}.watch(&m, &limits)
	check(t, d, g)
	if m.past.members != 3 {
		t.Errorf("%g members were usual", m.past.members)
	}
	for _, f := range d.Findings {
		for _, e := range f.Evidence {
			if f.Condition == UnderCapacity && e.Name == "arrival" && e.Value == 2*150+3*100 {
				return
			}
		}
	}
	t.Errorf("%v, %v", titles(d), d.Findings)
}

// Regression: at each poll, a job that commits without members was taken for a group
// whose owners have just changed, and what it lets stand counted as falling behind.
func TestNobodyIsNoChange(t *testing.T) {
	limits := Defaults()
	var m Memory
	view{polls: 10, fresh: true, poll: func(g *Group, _ int) {
		g.leave().ProtocolType = ""
		g.on(moves).at(silences, 3)
	}}.watch(&m, &limits)
	if m.past.settled > begin+snapshot.Instant(30*time.Second) {
		t.Errorf("owners changed %v after the beginning", m.past.settled.Sub(begin))
	}
}
