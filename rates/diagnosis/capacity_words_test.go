package diagnosis

import (
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/rates"
)

// What more members would do, by how many can be assigned anything.
func TestRemedy(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		least, most, partitions int
		says                    string
		add                     float64 // members_to_add, 0 if not told
	}{
		{"one each", 6, 6, 6, "5 members would do, up to 3 can be added", 3},
		{"there is one each", 3, 3, 3, "there is a member for each of the 3 partitions, so more cannot help", 0},
		// Three partitions could not be given to anybody, and yet three members were to be added.
		{"range, of topics that are dealt out alike", 3, 3, 6, "range, its assignor, gives the 6 partitions to 3 members and none to any other, so more cannot help", 0},
		{"range, with one more", 4, 4, 6, "up to 1 member can be added", 1},
		{"not known", 3, 6, 6, "how many more can be busy is not known", 0},
		{"not known, and surely enough", 5, 6, 6, "5 members would do, how many more can be busy is not known", 0},
	} {
		limits := Defaults()
		d, _ := view{poll: func(g *Group, _ int) {
			g.on(falls(200, 140)).room(tt.least, tt.most, tt.partitions).Objective = time.Hour
		}}.watch(&Memory{}, &limits)
		if len(d.Findings) != 1 || !strings.Contains(d.Findings[0].Sentence, tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, titles(d), tt.says)
			continue
		}
		if got := d.Findings[0].number("members_to_add"); got != tt.add {
			t.Errorf("%s: %g members to add, want %g", tt.name, got, tt.add)
		}
	}
}

// A group that nobody is a member of was said to read 0 partitions.
func TestPartitionsWithoutMembers(t *testing.T) {
	limits := Defaults()
	d, _ := view{polls: 8, poll: func(g *Group, _ int) { g.leave().on(falls(200, 140)).on(moves).room(0, 0, 0) }}.watch(&Memory{}, &limits)
	for _, f := range d.Findings {
		if f.Condition == UnderCapacity && f.number("partitions") == 6 {
			return
		}
	}
	t.Errorf("%+v", d.Findings)
}

// number is one of the finding's, 0 where it has none of that name.
func (f *Finding) number(name string) float64 {
	for _, e := range f.Evidence {
		if e.Name == name {
			return e.Value
		}
	}
	return 0
}

// What is said of arrivals and drain says that they are too little: "20.0 offsets/s arrive
// and 2 members drain 20.3 offsets/s" was said, and "6 arrive and 1 member drains 6".
func TestShortage(t *testing.T) {
	for _, tt := range []struct {
		name string
		poll func(g *Group, poll int)
		want Verdict
		says string
	}{
		{"others catch up", func(g *Group, _ int) {
			g.on(falls(100, 95)).at(shrinks, 2).at(func(p *Partition) { p.Estimate.Drain = rates.Of(130) }, 2)
		},
			Holds, "on 5 partitions that fall behind 500 offsets/s arrive and the group drains 475 offsets/s"},
		{"as much in all", func(g *Group, _ int) { g.on(falls(100, 101)) }, Holds, "600 offsets/s arrive and 3 members drain about as much, and the lag does not shrink"},
		{"hardly less", func(g *Group, _ int) { g.on(falls(100, 99.98)) }, Holds, "600 offsets/s arrive and 3 members drain a little less"},
	} {
		limits := Defaults()
		d, g := view{poll: tt.poll, polls: 6}.watch(&Memory{}, &limits)
		check(t, d, g)
		if d.Verdicts[UnderCapacity] != tt.want || tt.says != "" && (len(d.Findings) == 0 || !strings.Contains(d.Findings[0].Sentence, tt.says)) {
			t.Errorf("%s: verdict %d, %v, want %q", tt.name, d.Verdicts[UnderCapacity], titles(d), tt.says)
		}
	}
}
