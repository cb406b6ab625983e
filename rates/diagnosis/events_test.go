package diagnosis

import (
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// back makes positions go back in this poll, by so much on each of some partitions.
func (g *Group) back(by int64, ids ...int) {
	g.at(func(p *Partition) { p.From, p.To = snapshot.Known(int64(5000)), snapshot.Known(5000-by) }, ids...)
}

// What is said of rewinds in the window.
func TestRewoundWords(t *testing.T) {
	round := func(g *Group, ago time.Duration) { g.Ownership.Quiet = snapshot.Known(ago) }
	const near, far = "near a change of owners", "with no change of owners near"
	for _, tt := range []struct {
		name string
		poll func(g *Group, poll int)
		says []string
	}{
		{"no round", func(g *Group, poll int) {
			if poll == 0 {
				g.back(700, 1, 2)
			}
		}, []string{"by 1,400 offsets on 2 partitions", far}},
		// The answer was that of the poll of the rewind, whatever came after.
		{"a round in the poll after", func(g *Group, poll int) {
			if poll == 0 {
				g.back(700, 1)
			} else {
				round(g, time.Duration(poll-1)*g.Interval)
			}
		}, []string{"on 1 partition,", near}},
		{"a round three polls after", func(g *Group, poll int) {
			if poll == 0 {
				g.back(700, 1)
			} else if poll >= 3 {
				round(g, time.Duration(poll-3)*g.Interval)
			}
		}, []string{far}},
		{"a round three polls before", func(g *Group, poll int) {
			if round(g, time.Duration(poll+3)*g.Interval); poll == 0 {
				g.back(700, 1)
			}
		}, []string{far}},
		// The sum of all was said to be on as many partitions as the largest of them had.
		{"two resets of three partitions each", func(g *Group, poll int) {
			switch poll {
			case 0:
				g.back(100, 0, 1, 2)
			case 2:
				g.back(100, 3, 4, 5)
			}
		}, []string{"by 600 offsets on at least 3 partitions", far}},
		// An admin's reset was a replay in whole, where a small one came after it.
		{"a reset and then a small replay", func(g *Group, poll int) {
			switch poll {
			case 0:
				g.back(4000, 0)
			case 3:
				round(g, 0)
				g.back(10, 1)
			}
		}, []string{"by 4,010 offsets on at least 1 partition", far}},
	} {
		limits := Defaults()
		d, g := view{poll: tt.poll, polls: 6}.watch(&Memory{}, &limits)
		check(t, d, g)
		for _, says := range tt.says {
			if len(d.Findings) != 1 || !strings.Contains(d.Findings[0].Sentence, says) {
				t.Errorf("%s: %v, want %q", tt.name, titles(d), says)
			}
		}
	}
}

// "Removed 544 offsets, most on sensor-readings/0 with 34" was said of four partitions: what
// one of them had lost in one poll was told as what it had lost in all.
func TestLostWords(t *testing.T) {
	lose := func(g *Group, n int64, ids ...int) { g.at(func(p *Partition) { p.Lost = n }, ids...) }
	for _, tt := range []struct {
		name string
		poll func(g *Group, poll int)
		says string
	}{
		{"at once", func(g *Group, poll int) {
			if poll == 1 {
				lose(g, 30, 0, 1)
				lose(g, 34, 2)
			}
		}, "at least 94 offsets before the group read them, most on orders/2 with 34, the last"},
		{"again and again", func(g *Group, poll int) {
			lose(g, 30, 0, 1)
			lose(g, int64(26+poll), 2)
		}, "at least 531 offsets before the group read them, on at least 3 partitions, orders/2 among them, the last"},
		{"again and again on one", func(g *Group, _ int) { lose(g, 30, 0) }, "at least 180 offsets before the group read them, on orders/0, the last"},
		{"on one after the other", func(g *Group, poll int) { lose(g, 30, poll%2) }, "at least 180 offsets before the group read them, on at least 1 partition, orders/0 among them, the last"},
	} {
		limits := Defaults()
		d, g := view{poll: tt.poll, polls: 6}.watch(&Memory{}, &limits)
		check(t, d, g)
		if len(d.Findings) != 1 || !strings.Contains(d.Findings[0].Sentence, tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, titles(d), tt.says)
		}
	}
}
