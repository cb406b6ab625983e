package diagnosis

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// Of those that exclude each other one is shown, and another only once it is gone: what
// changes from poll to poll does not flap.
func TestRivals(t *testing.T) {
	limits := Defaults()
	for _, tt := range []struct{ says, want string }{
		{"hhddd", "-hhhd"},
		{"hhdhdhdd", "-hhhhhhh"},
		{"hhddhddd", "-hhhhhhd"},
		{"hdhdhd", "------"},
		{"hhcdd", "-hhhd"},
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
			}
			d := m.Observe(g, &limits)
			check(t, d, g)
			switch {
			case d.Verdicts[HotPartition] == Holds:
				got.WriteByte('h')
			case d.Verdicts[SlowDependency] == Holds:
				got.WriteByte('d')
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

// Three quarters of an hour later it is still bounded when nothing is: a threshold that a
// config sets to 0 makes no panic.
func TestThresholdsOfZero(t *testing.T) {
	var limits Thresholds
	for _, v := range views {
		d, g := v.watch(&Memory{}, &limits)
		check(t, d, g)
	}
}

func TestThresholds(t *testing.T) {
	names := map[string]bool{}
	fields := map[any]bool{}
	var set Thresholds
	for _, k := range Keys() {
		if names[k.Name] || !words.MatchString(k.Name) || k.Help == "" || strings.HasSuffix(k.Help, ".") || fields[k.Of(&set)] {
			t.Errorf("%+v", k)
		}
		names[k.Name], fields[k.Of(&set)] = true, true
		switch at := k.Of(&set).(type) {
		case *time.Duration:
			*at = k.Default.(time.Duration)
			if k.Unit != "duration" || *at < k.Min.(time.Duration) {
				t.Errorf("%+v", k)
			}
		case *float64:
			*at = k.Default.(float64)
			if k.Unit != "" || *at < k.Min.(float64) {
				t.Errorf("%+v", k)
			}
		case *int:
			*at = k.Default.(int)
			if k.Unit != "polls" && k.Unit != "partitions" || *at < k.Min.(int) {
				t.Errorf("%+v", k)
			}
		}
	}
	if set != Defaults() {
		t.Errorf("%+v are set by keys, %+v by default", set, Defaults())
	}
	if want := int(unsafe.Sizeof(set) / 8); len(names) != want {
		t.Errorf("%d keys for %d thresholds", len(names), want)
	}
}

// Each threshold is used: what it is makes a difference to some view.
func TestEveryThresholdCounts(t *testing.T) {
	for _, k := range Keys() {
		different := false
		for _, factor := range []float64{0, 0.5, 2, 1e6} {
			limits := Defaults()
			switch at := k.Of(&limits).(type) {
			case *time.Duration:
				*at = time.Duration(float64(*at) * factor)
			case *float64:
				*at *= factor
			case *int:
				*at = int(float64(*at) * factor)
			}
			for _, v := range views {
				if different {
					break
				}
				d, _ := v.watch(&Memory{}, &limits)
				different = d.Verdicts[v.of] != v.want
			}
		}
		if !different {
			t.Errorf("%s could be anything", k.Name)
		}
	}
}
