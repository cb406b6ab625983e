package ownership

import (
	"fmt"
	"strings"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Stories of polls are written one a line:
//
//	[+SECONDS] TYPE STATE [#NUMBER] [MEMBERS]
//
// A poll comes 10 s after the one before unless it says otherwise. Members are
// a:t0,t1 b (b has nothing), /one is a static member's instance, ? stands for members
// that are not known, and ! before them for assignments that are not.

const (
	everyPoll  = 10 * time.Second
	staleAfter = 30 * time.Second
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// told are the sights of a story.
func told(lines ...string) []Sight {
	var list []Sight
	now := snapshot.Instant(1e18)
	for _, line := range lines {
		f := strings.Fields(line)
		step := everyPoll
		if after, ok := strings.CutPrefix(f[0], "+"); ok {
			step = must(time.ParseDuration(after + "s"))
			f = f[1:]
		}
		now += snapshot.Instant(step)
		s := Sight{
			At: begin.Add(time.Duration(now - 1e18)), Now: now, StaleAfter: staleAfter,
			Type: typeOf(f[0]), State: stateOf(f[1]),
		}
		f = f[2:]
		if len(f) > 0 && f[0][0] == '#' {
			var n int32
			fmt.Sscanf(f[0], "#%d", &n)
			s.Generation, f = snapshot.Known(n), f[1:]
		}
		s.Members = membersOf(f)
		list = append(list, s)
	}
	return list
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func typeOf(s string) snapshot.GroupType { return snapshot.ParseGroupType(s) }

func stateOf(s string) snapshot.GroupState {
	for i, name := range snapshot.GroupStates() {
		if name == s || strings.TrimSuffix(name, "_rebalance") == s {
			return snapshot.GroupState(i + 1)
		}
	}
	if s != "unknown" {
		panic(s)
	}
	return snapshot.StateUnknown
}

func membersOf(words []string) snapshot.Maybe[snapshot.Members] {
	m := snapshot.Members{Assigned: true}
	for _, word := range words {
		if word == "?" {
			return snapshot.Maybe[snapshot.Members]{}
		}
		if word == "!" {
			m.Assigned = false
			continue
		}
		id, owned, _ := strings.Cut(word, ":")
		id, instance, _ := strings.Cut(id, "/")
		member := snapshot.Member{ID: id, InstanceID: instance}
		for _, p := range strings.Split(owned, ",") {
			if p == "" {
				continue
			}
			topic, n := p[:1], int32(0)
			fmt.Sscan(p[1:], &n)
			if i := len(member.Assignment) - 1; i >= 0 && member.Assignment[i].Topic == topic {
				member.Assignment[i].Partitions = append(member.Assignment[i].Partitions, n)
			} else {
				member.Assignment = append(member.Assignment, snapshot.TopicPartitions{Topic: topic, Partitions: []int32{n}})
			}
		}
		m.List = append(m.List, member)
	}
	return snapshot.Known(m)
}

// tell writes what was counted.
func tell(t Totals) string {
	var words []string
	for source, n := range t.Rebalances {
		if n > 0 {
			words = append(words, fmt.Sprint(Source(source), " ", n))
		}
	}
	if t.Moved > 0 {
		words = append(words, fmt.Sprint("moved ", t.Moved))
	}
	if t.Unstable > 0 {
		words = append(words, fmt.Sprint("unstable ", t.Unstable))
	}
	return strings.Join(words, ", ")
}

func tellRound(r Round) string {
	line := fmt.Sprint(int(r.At.Sub(begin).Seconds()), " ", r.Source, " ", r.Count)
	if n, ok := r.Generation.Get(); ok {
		line += fmt.Sprint(" #", n)
	}
	for _, of := range []struct {
		name string
		n    int
	}{{"moved", r.Moved}, {"joined", r.Joined}, {"left", r.Left}} {
		if of.n != 0 {
			line += fmt.Sprint(" ", of.name, " ", of.n)
		}
	}
	return line
}

func watch(lines ...string) *Rounds {
	r := &Rounds{}
	for _, s := range told(lines...) {
		r.Observe(s)
	}
	return r
}
