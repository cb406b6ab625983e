package reasons

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

func saying(c ...diagnosis.Condition) *diagnosis.Diagnosis {
	d := &diagnosis.Diagnosis{}
	for _, c := range c {
		d.Verdicts[c] = diagnosis.Holds
		d.Findings = append(d.Findings, diagnosis.Finding{Condition: c})
	}
	return d
}

func TestAnswer(t *testing.T) {
	hot := &world{want: wants(diagnosis.HotPartition)}
	back := &world{want: wants(diagnosis.CatchingUp, diagnosis.Rewound), also: diagnosis.Rewound}
	tests := []struct {
		name string
		w    *world
		d    *diagnosis.Diagnosis
		want answer
	}{
		{"the headline is right", hot, saying(diagnosis.HotPartition, diagnosis.IdleMembers), right},
		{"it is not the headline", hot, saying(diagnosis.SlowMember, diagnosis.HotPartition), other},
		{"nothing is said", hot, saying(), none},
		{"what is to hold beside does", back, saying(diagnosis.CatchingUp, diagnosis.Rewound), right},
		{"what is to hold beside does not", back, saying(diagnosis.CatchingUp), other},
		{"nothing is to be said, and nothing is", &world{}, saying(), right},
		{"nothing is to be said, and something is", &world{}, saying(diagnosis.IdleMembers), other},
		{"polls fail, and that is said", &world{unread: true}, saying(diagnosis.Unreadable), right},
		{"polls fail, and more is said", &world{unread: true}, saying(diagnosis.Unreadable, diagnosis.Standalone), other},
		{"that polls fail is said where they do not", &world{}, saying(diagnosis.Unreadable), other},
	}
	for _, x := range tests {
		if got := x.w.answer(x.d); got != x.want {
			t.Errorf("%s: %d, want %d", x.name, got, x.want)
		}
	}
}

func verdicts(first answer, n int) (list []verdict) {
	for i := range n {
		v := verdict{seed: uint64(i + 1), first: first, recognised: first == right, after: time.Duration(i) * time.Second}
		v.later[first] = 100
		list = append(list, v)
	}
	return list
}

func tallied(w *world, lists ...[]verdict) *tally {
	t := &tally{world: w}
	for _, l := range lists {
		for _, v := range l {
			t.add(v)
		}
	}
	return t
}

func TestTargetsAreHeld(t *testing.T) {
	hot := &world{name: "hot", want: wants(diagnosis.HotPartition)}
	mistaken := verdicts(right, 1)
	mistaken[0].wrong = map[diagnosis.Condition]int{diagnosis.Rebalancing: 2}
	late := verdicts(right, 100)
	for i := range late {
		late[i].later = [answers]int{right: 94, other: 6}
	}
	tests := []struct {
		name string
		t    *tally
		want bool
	}{
		{"95 of 100", tallied(hot, verdicts(right, 95), verdicts(none, 5)), true},
		{"94 of 100", tallied(hot, verdicts(right, 94), verdicts(other, 6)), false},
		{"right when judged, and too often not after that", tallied(hot, late), false},
		{"calm", tallied(&world{}, verdicts(right, 100)), true},
		{"one poll of one calm run", tallied(&world{}, verdicts(right, 99), mistaken), false},
		{"a mistake before anything happened is none in the target", tallied(hot, verdicts(right, 99), mistaken), true},
	}
	for _, x := range tests {
		if got := x.t.met(); got != x.want {
			t.Errorf("%s: met is %v", x.name, got)
		}
	}
}

func TestTable(t *testing.T) {
	hot := &world{name: "hot", about: "keys are uneven", want: wants(diagnosis.HotPartition)}
	mistaken := verdicts(right, 1)
	mistaken[0].wrong = map[diagnosis.Condition]int{diagnosis.Rebalancing: 2}
	text := table([]*tally{
		tallied(hot, verdicts(right, 3), verdicts(none, 1)),
		tallied(&world{name: "calm", about: "nothing"}, verdicts(right, 1), mistaken),
	}, 101)
	for _, want := range []string{
		"Runs of each: 4, of the seeds 101 to 104.",
		"| hot | `hot_partition` | **missed** | 3 | 1 | 0 | 300 | 100 | 0 | 2 s | – |",
		"| calm |  | **missed** | 2 | – | 0 | 200 | – | 0 | – | – |",
		"| calm | `rebalancing` | 1 | 2 | 1 |",
		"| hot | keys are uneven |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.md")
	for _, x := range []struct{ name, old, want string }{
		{"between the markers", "a\n" + begin + "\nold\n" + end + "\nb\n", "a\n" + begin + "\n\nnew\n" + end + "\nb\n"},
		{"no markers", "a\n", ""},
	} {
		if err := os.WriteFile(path, []byte(x.old), 0o644); err != nil {
			t.Fatal(err)
		}
		err := write(path, "new")
		got, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if x.want == "" {
			if err == nil || string(got) != x.old {
				t.Errorf("%s: %v, %q", x.name, err, got)
			}
		} else if d := cmp.Diff(x.want, string(got)); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", x.name, err, d)
		}
	}
}

// Worlds are what they say: who is behind is behind by much when it is judged, and a
// calm group never is.
func TestWorldsAreWhatTheySay(t *testing.T) {
	for _, w := range worlds() {
		for seed := range uint64(2) {
			run, of := w.make(seed + 1)
			worst := 0.0
			for _, p := range run.Trace.Polls {
				now := p.At.Seconds()
				age := 0.0
				for _, c := range p.Positions {
					age = max(age, c.Truth.Age)
				}
				if now >= of.judged && now < of.until {
					worst = max(worst, age)
				}
			}
			quiet := len(w.want) == 0 || w.name == "standalone" || w.name == "idle-members"
			if limit := 100.0; quiet != (worst < limit) && w.name != "rebalance-storm" {
				t.Errorf("%s, seed %d: the oldest record was %v s old", w.name, seed+1, worst)
			}
		}
	}
}
