package collector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// chaosStale lies between three and four of chaos's polls, whatever in a poll
// it is counted from.
const chaosStale = 35 * time.Second

// walk assembles random views and shows each to check, with the one before.
func walk(t *testing.T, seeds, polls int, check func(t *testing.T, before, v *View, s *snapshot.Snapshot, err error)) {
	for seed := range uint64(seeds) {
		c, w := newChaos(seed), newStoryWith(Options{Publish: allFamilies})
		w.rules.staleAfter = chaosStale
		for n := range polls {
			s, err := c.next()
			before := w.v
			check(t, before, w.take(s, err), s, err)
			if t.Failed() {
				t.Fatalf("seed %d, poll %d, error %v", seed, n, err)
			}
		}
	}
}

// What holds of every view, whatever was read and was not.
func TestInvariants(t *testing.T) {
	walk(t, 40, 60, func(t *testing.T, before, v *View, s *snapshot.Snapshot, err error) {
		checkOrder(t, v)
		for i := range v.Groups {
			checkGroup(t, v, &v.Groups[i])
			checkEstimates(t, before, &v.Groups[i])
			checkArrivals(t, v, &v.Groups[i])
		}
		checkReadings(t, v)
		checkCounters(t, before, v)
		if v.Up != (err == nil) || v.Up != (v.Err == "") {
			t.Errorf("up %v, err %q after %v", v.Up, v.Err, err)
		}
		if err == nil && (len(v.Groups) != len(s.Groups) || len(v.Topics) != len(s.Topics)) {
			t.Error("the view has groups or topics that the poll does not list, or lacks some")
		}
		if err != nil && (len(v.Groups) != len(before.Groups) || len(v.Topics) != len(before.Topics)) {
			t.Error("a failed poll added or removed groups or topics")
		}
	})
}

// Keys are sorted and occur once, or a scrape would fail on a duplicate.
func checkOrder(t *testing.T, v *View) {
	for i := range v.Topics {
		if i > 0 && v.Topics[i-1].Name >= v.Topics[i].Name {
			t.Errorf("topics %q, %q", v.Topics[i-1].Name, v.Topics[i].Name)
		}
	}
	for i := range v.Groups {
		if i > 0 && v.Groups[i-1].ID >= v.Groups[i].ID {
			t.Errorf("groups %q, %q", v.Groups[i-1].ID, v.Groups[i].ID)
		}
		g := &v.Groups[i]
		for j := range g.Topics {
			if j > 0 && g.Topics[j-1].Topic >= g.Topics[j].Topic {
				t.Errorf("topics of %q: %q, %q", g.ID, g.Topics[j-1].Topic, g.Topics[j].Topic)
			}
			p := g.Topics[j].Pairs
			for k := 1; k < len(p); k++ {
				if p[k-1].Partition >= p[k].Partition {
					t.Errorf("pairs of %q on %q: %d, %d", g.ID, g.Topics[j].Topic, p[k-1].Partition, p[k].Partition)
				}
			}
		}
	}
}

// Sums equal their parts, no part is negative or too old, and a complete group
// has nothing old or unread in it.
func checkGroup(t *testing.T, v *View, g *Group) {
	var all snapshot.Maybe[int64]
	for i := range g.Topics {
		var sum snapshot.Maybe[int64]
		for j := range g.Topics[i].Pairs {
			p := &g.Topics[i].Pairs[j]
			checkPair(t, v, g, p)
			if lag, ok := p.Lag.Get(); ok {
				sum, all = snapshot.Known(sum.Or(0)+lag), snapshot.Known(all.Or(0)+lag)
			}
		}
		if sum != g.Topics[i].Lag {
			t.Errorf("%s on %s: lag %v, its pairs %v", g.ID, g.Topics[i].Topic, g.Topics[i].Lag, sum)
		}
	}
	if all != g.Lag {
		t.Errorf("%s: lag %v, its pairs %v", g.ID, g.Lag, all)
	}
	if m, ok := g.Members.Get(); ok && v.Built.Sub(m.At) > chaosStale {
		t.Errorf("%s: members are %v old", g.ID, v.Built.Sub(m.At))
	}
	if g.Complete && (!g.ReadAt.Equal(v.LastSuccess) || !v.Up) {
		t.Errorf("%s: complete, but read at %v, up %v", g.ID, g.ReadAt, v.Up)
	}
}

func checkPair(t *testing.T, v *View, g *Group, p *Pair) {
	what := fmt.Sprintf("%s: %s", g.ID, tellPair(g, p))
	for name, m := range map[string]Quantity{"lag": p.Lag, "lost": p.Lost, "available": p.Available, "committed": p.Committed, "share start": p.ShareStart} {
		if m.Or(0) < 0 {
			t.Errorf("%s: negative %s", what, name)
		}
	}
	if (p.Lag.Known() || p.Available.Known()) && v.Built.Sub(timeOf(p.At)) > chaosStale {
		t.Errorf("%s: %v old", what, v.Built.Sub(timeOf(p.At)))
	}
	if g.Complete && (!p.Fresh || p.State == PairUnread) {
		t.Errorf("%s: in a complete group", what)
	}
	if p.Fresh && v.Built.Sub(timeOf(p.At)) > time.Second {
		t.Errorf("%s: fresh, and %v old", what, v.Built.Sub(timeOf(p.At)))
	}
	if p.Available.Known() && p.Committed.Known() {
		t.Errorf("%s: what is committed is also available", what)
	}
	shared := g.Type == snapshot.TypeShare
	if shared && (p.Committed.Known() || p.Lost.Known() || p.State == PairBeyondEnd) || !shared && (p.ShareStart.Known() || p.Begun) {
		t.Errorf("%s: is of another type of groups", what)
	}
	if shared && p.State == PairCommitted {
		if !p.ShareStart.Known() || !p.Begun || p.Fresh && !p.Lag.Known() {
			t.Errorf("%s: lacks something", what)
		}
		return
	}
	switch p.State {
	case PairCommitted, PairBeyondEnd:
		if !p.Lag.Known() || !p.Lost.Known() || !p.Committed.Known() {
			t.Errorf("%s: lacks something", what)
		}
	case PairUncommitted:
		if p.Committed.Known() || p.Lag.Or(0) != 0 {
			t.Errorf("%s: has a position or a lag", what)
		}
	case PairNoPartition, PairUnread:
		if p.Lag.Known() {
			t.Errorf("%s: has a lag", what)
		}
	}
}

func checkReadings(t *testing.T, v *View) {
	for _, topic := range v.Topics {
		for _, p := range topic.Partitions {
			if end, ok := p.End.Get(); ok && v.Built.Sub(timeOf(end.At)) > chaosStale {
				t.Errorf("%s/%d: end is %v old", topic.Name, p.ID, v.Built.Sub(timeOf(end.At)))
			}
		}
	}
}

func checkCounters(t *testing.T, before, v *View) {
	var polls uint64
	for r, n := range v.Counters.Polls {
		polls += n
		if n < before.Counters.Polls[r] {
			t.Errorf("polls %v fell", r)
		}
	}
	for k, n := range before.Counters.Problems {
		if v.Counters.Problems[k] < n {
			t.Errorf("problems %v fell", k)
		}
	}
	for api, n := range before.Counters.Requests {
		if v.Counters.Requests[api] < n {
			t.Errorf("requests %v fell", api)
		}
	}
	var earlier uint64
	for _, n := range before.Counters.Polls {
		earlier += n
	}
	if polls != earlier+1 {
		t.Errorf("%d polls after %d", polls, earlier)
	}
	for i := range v.Topics {
		now := &v.Topics[i]
		if old := previous(before.Topics, now.Name, topicName); old != nil && (now.Added < old.Added || now.Recreated < old.Recreated) {
			t.Errorf("%s: counters fell", now.Name)
		}
	}
}

// A published view never changes, nor does a snapshot: readers hold both
// without a lock.
func TestNothingIsChanged(t *testing.T) {
	for seed := range uint64(6) {
		c, w := newChaos(seed), newStory()
		w.rules.staleAfter = chaosStale
		var views []*View
		var texts []string
		for range 40 {
			s, err := c.next()
			was := fmt.Sprintf("%+v", *s)
			w.take(s, err)
			if now := fmt.Sprintf("%+v", *s); now != was {
				t.Fatalf("seed %d: the snapshot was changed:\n%s\n%s", seed, was, now)
			}
			views, texts = append(views, w.v), append(texts, dump(w.v))
		}
		for i, v := range views {
			if now := dump(v); now != texts[i] {
				t.Fatalf("seed %d: view %d was changed later:\n%s\n%s", seed, i, texts[i], now)
			}
		}
	}
}

// dump is everything in a view, what pointers lead to included.
func dump(v *View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", *v)
	for i := range v.Groups {
		for _, t := range v.Groups[i].Topics {
			for _, p := range t.Pairs {
				for _, o := range v.Groups[i].Owners(&p) {
					fmt.Fprintf(&b, "%+v\n", *o)
				}
			}
		}
	}
	return b.String()
}
