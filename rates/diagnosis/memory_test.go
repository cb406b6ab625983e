package diagnosis

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
)

// Each letter is a poll: what a predicate says (h holds, c clear, u unknown), and what
// is shown after it (H, C, U).
func TestHysteresis(t *testing.T) {
	for _, tt := range []struct{ name, says, want string }{
		{"it begins at the second poll in succession", "chh", "CCH"},
		{"and from nothing too", "hh", "UH"},
		{"one poll is nothing", "chchc", "CCCCC"},
		{"it ends at the third without", "hhccc", "UHHHC"},
		{"one poll with it counts anew", "hhcchccc", "UHHHHHHC"},
		{"it begins again only after two", "hhccchh", "UHHHCCH"},
		{"unknown for three polls is what it was", "hhuuuu", "UHHHHU"},
		{"and of what did not hold", "cuuuu", "CCCCU"},
		{"unknown polls break no row", "chuh", "CCCH"},
		{"nor one in which it does not hold", "hhccuc", "UHHHHC"},
		{"after long it begins anew", "hhuuuuhh", "UHHHHUUH"},
		{"nothing is known at first", "uuu", "UUU"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limits := Defaults()
			var m Memory
			var got strings.Builder
			for i, says := range tt.says {
				g := healthy()
				g.Now = begin + snapshot.Instant(i)*1e10
				switch says {
				case 'h':
					g.crowd(7)
				case 'u':
					g.Assigned = false
				}
				d := m.Observe(g, &limits)
				got.WriteByte("UCH"[d.Verdicts[IdleMembers]])
				check(t, d, g)
			}
			if got.String() != tt.want {
				t.Errorf("%s shows %s, want %s", tt.says, &got, tt.want)
			}
		})
	}
}

// However many polls it is to stand, a verdict that cannot be evaluated any more ends.
func TestKeepEnds(t *testing.T) {
	var s state
	s.see(Clear, 3, 1000)
	for range 255 {
		s.see(Unknown, 3, 1000)
	}
	if s.shown != Unknown {
		t.Errorf("verdict %d after 255 polls", s.shown)
	}
}

// A condition holds since the first poll of the row that made it begin, for as long as
// it is shown.
func TestSince(t *testing.T) {
	limits := Defaults()
	var m Memory
	var got []string
	for i, says := range "hchhcchcc" {
		g := healthy()
		if g.Now = begin + snapshot.Instant(i)*1e10; says == 'h' {
			g.crowd(7)
		}
		for _, f := range m.Observe(g, &limits).Findings {
			got = append(got, fmt.Sprintf("%d: %s", i, f.Age(g.Now)))
		}
	}
	want := []string{"3: 10s", "4: 20s", "5: 30s", "6: 40s", "7: 50s", "8: 1m0s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of those that exclude each other one is shown, and another only after some polls: what
// changes from poll to poll does not flap. That the lag shrinks is no reason and waits for
// nothing.
func TestRivals(t *testing.T) {
	limits := Defaults()
	for _, tt := range []struct{ says, want string }{
		{"hhdddddd", "-hhhhhhd"},
		{"hhdhdhdddddd", "-hhhhhhhhhhd"},
		{"hhdddddhdddddd", "-hhhhhhhhhhhhd"},
		{"hdhdhd", "------"},
		{"hhcccdd", "-hhh--d"},
		{"hhsss", "-hhhs"},
	} {
		var m Memory
		var got strings.Builder
		for i, says := range tt.says {
			g := healthy()
			switch g.Now = begin + snapshot.Instant(i)*1e10; says {
			case 'h':
				g.at(falls(300, 200), 3)
			case 'd':
				slower(g, 0)
			case 's':
				g.at(shrinks, 3)
			}
			d := m.Observe(g, &limits)
			check(t, d, g)
			switch {
			case d.Verdicts[HotPartition] == Holds:
				got.WriteByte('h')
			case d.Verdicts[SlowDependency] == Holds:
				got.WriteByte('d')
			case d.Verdicts[CatchingUp] == Holds:
				got.WriteByte('s')
			default:
				got.WriteByte('-')
			}
		}
		if got.String() != tt.want {
			t.Errorf("%s shows %s, want %s", tt.says, &got, tt.want)
		}
	}
}

// A poll that is not after the one before changes nothing.
func TestSamePollTwice(t *testing.T) {
	limits := Defaults()
	var m Memory
	g := healthy().crowd(7)
	for _, now := range []snapshot.Instant{begin, begin, begin - 1, begin} {
		if g.Now = now; m.Observe(g, &limits).Verdicts[IdleMembers] == Holds {
			t.Fatal("one poll that is seen twice counts twice")
		}
	}
	g.Now = begin + 1e10
	if first, again := m.Observe(g, &limits), m.Observe(g, &limits); first.Verdicts[IdleMembers] != Holds || !cmp.Equal(first, again) {
		t.Errorf("%v and then %v", titles(first), titles(again))
	}
}

// What was returned is the caller's: later polls do not change it.
func TestFindingsStay(t *testing.T) {
	limits := Defaults()
	var m Memory
	observe := func(i int, age float64) Diagnosis {
		g := healthy().at(falls(300, 200), 3)
		g.Partitions[3].Estimate.LagAge = rates.Of(age)
		g.Now = begin + snapshot.Instant(i)*1e10
		return m.Observe(g, &limits)
	}
	observe(0, 100)
	d := observe(1, 200)
	kept := fmt.Sprint(d)
	for i := range 5 {
		observe(2+i, 300)
	}
	if got := fmt.Sprint(d); got != kept {
		t.Errorf("%s\nwas %s", got, kept)
	}
}

// There are two thousand groups and more: what is remembered of a calm one is little,
// and of one in trouble bounded.
func TestMemoryIsSmall(t *testing.T) {
	if n := unsafe.Sizeof(Memory{}); n > 200 {
		t.Errorf("%d bytes", n)
	}
	limits := Defaults()
	var m Memory
	for i := range 1000 {
		g := healthy().at(func(p *Partition) {
			p.Lost, p.From, p.To = 1, snapshot.Known(int64(2)), snapshot.Known(int64(1))
		}, 0, 1)
		g.Now = begin + snapshot.Instant(i)*1e9
		d := m.Observe(g, &limits)
		if n := len(m.events.lost) + len(m.events.rewound); n > 2*(fewEvents+1) {
			t.Fatalf("%d events", n)
		}
		for _, f := range d.Findings {
			want := float64(2 * min(i+1, 600))
			if e := f.Evidence[0]; e.Value < want || e.Value > want*17/16 {
				t.Fatalf("poll %d: %s is %g, want %g", i, e.Name, e.Value, want)
			}
		}
	}
	g := healthy()
	for i := range 4 {
		g.Now = begin + snapshot.Instant(2000+10*i)*1e9
		m.Observe(g, &limits)
	}
	if m.events != nil || m.trouble != nil {
		t.Error("a calm group remembers events or troubles")
	}
}

// "581 offsets are gone in 36 s" was said beside a group that the header said never catches
// up: what was not seen any more stood for some polls as if it were so.
func TestWhatWasSeenBefore(t *testing.T) {
	limits := Defaults()
	var m Memory
	var got []string
	for i, says := range "ssuus" {
		g := healthy().at(shrinks, 3)
		if says == 'u' {
			g.at(undecides, 3)
		}
		g.Now = begin + snapshot.Instant(i)*1e10
		for _, f := range m.Observe(g, &limits).Findings {
			_, of, _ := strings.Cut(f.Sentence, "; ")
			got = append(got, fmt.Sprintf("%d: %s, %s", i, f.Condition, of))
		}
	}
	want := []string{"1: catching_up, ", "2: catching_up, last seen so 10 s ago", "3: catching_up, last seen so 20 s ago", "4: catching_up, "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
