package screen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/internal/words"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// troubled has a group for each condition, with names and numbers as long as the demo's.
func troubled() *collector.View {
	v := &collector.View{Built: time.Now()}
	for c := range diagnosis.Conditions {
		v.Groups = append(v.Groups, collector.Group{
			ID: fmt.Sprintf("booking-confirmat-%02d", c), State: snapshot.StateStable, Type: snapshot.TypeClassic, Complete: true, Lag: snapshot.Known(int64(12345)),
			Estimates: collector.Estimates{LagAge: rates.Of(119), DrainSeconds: rates.Of(2580), DrainLow: rates.Of(1600), DrainHigh: rates.Of(6000)},
			Diagnosis: diagnosis.Diagnosis{Findings: []diagnosis.Finding{{Condition: c, Sentence: strings.Repeat("sentence ", 30)}}},
		})
	}
	return v
}

// At 80 columns the names of conditions were cut to "stalled_…", which are three.
func TestNamesOfConditionsAreWhole(t *testing.T) {
	v := troubled()
	for width := 76; width <= 200; width++ {
		s := Render(v, width)
		for i, c := 0, diagnosis.Condition(0); c < diagnosis.Conditions; i, c = i+1, c+1 {
			row := strings.TrimSuffix(s.Groups[i].Row, "\n")
			_, rest, _ := strings.Cut(row, " "+c.String())
			if !strings.Contains(row, " "+c.String()) || rest != "" && !strings.HasPrefix(rest, ": sentence") {
				t.Errorf("at %d columns %s is %q", width, c, row)
			}
		}
		for line := range strings.Lines(s.String()) {
			if n := words.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
}

// What there is no room for is left out from the least on; sentences come with room.
func TestColumns(t *testing.T) {
	for width, want := range map[int]string{
		60:  "GROUP                 LAG    WHY",
		70:  "GROUP                 LAG    CATCHES UP IN    WHY",
		78:  "GROUP                 LAG    AGE    CATCHES UP IN    WHY",
		100: "GROUP                 STATE   MEMBERS  LAG    AGE    CATCHES UP IN    WHY",
	} {
		if d := cmp.Diff(want+"\n", Render(troubled(), width).Head); d != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, d)
		}
	}
	if row := Render(troubled(), 40).Groups[0].Row; row != "booking-conf…  12345  unreadable\n" {
		t.Errorf("with 40 columns a row is %q", row)
	}
}

// A name of wide letters moves nothing that stands behind it.
func TestWideNames(t *testing.T) {
	v := &collector.View{Built: time.Now(), Groups: []collector.Group{{ID: "日本語", Lag: snapshot.Known(int64(1))}, {ID: "orders", Lag: snapshot.Known(int64(2))}}}
	s := Render(v, 100)
	at := strings.Index(s.Head, "STATE")
	for _, g := range s.Groups {
		before, _, _ := strings.Cut(g.Row, "?")
		if n := words.Width(before); n != at {
			t.Errorf("the state is in column %d, want %d: %s", n, at, g.Row)
		}
	}
}
