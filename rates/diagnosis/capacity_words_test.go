package diagnosis

import (
	"strings"
	"testing"
	"time"
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
	d, _ := view{poll: func(g *Group, _ int) { g.leave().on(falls(200, 140)).on(moves).room(0, 0, 0) }}.watch(&Memory{}, &limits)
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
