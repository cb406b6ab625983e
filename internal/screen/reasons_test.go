package screen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/collector"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// A group that is expected and missing has a row, and the gravest reason is the first.
func TestReasons(t *testing.T) {
	built := time.Now()
	since := func(ago time.Duration) snapshot.Instant { return snapshot.InstantOf(built.Add(-ago)) }
	v := &collector.View{
		Built: built,
		Missing: []collector.MissingGroup{{ID: "loyalty", Diagnosis: diagnosis.Diagnosis{Findings: []diagnosis.Finding{
			{Condition: diagnosis.CommitsVanished, Since: since(90 * time.Second), Sentence: "the group is expected, and the cluster does not have it"},
		}}}},
		Groups: []collector.Group{
			{ID: "calm", State: snapshot.StateStable, Type: snapshot.TypeClassic, Complete: true, Lag: snapshot.Known(int64(7))},
			{ID: "hidden", Diagnosis: diagnosis.Diagnosis{Findings: []diagnosis.Finding{
				{Condition: diagnosis.Unreadable, Since: since(time.Hour), Sentence: "lagwatch could not read its\x1b[2J positions",
					Evidence: []diagnosis.Evidence{{Name: "unread", Value: 4, Unit: "partitions"}, {Name: "lag_age", Value: 61.25, Unit: "seconds"}, {Name: "share", Value: 0.8125}, {Name: "near", Unit: "boolean"}}},
				{Condition: diagnosis.IdleMembers, Since: since(0), Sentence: "2 members have nothing to do", Evidence: []diagnosis.Evidence{{Name: "idle_members", Value: 2, Unit: "members"}}},
			}}},
		},
	}
	const want = `GROUP    STATE    MEMBERS  LAG  AGE  CATCHES UP IN  WHY
hidden   ?        ?        ?    ?    ?              unreadable
loyalty  missing  -        -    -    -              commits_vanished
calm     stable   ?        7    ?    ?

hidden: unknown, incomplete
  unreadable for 60 min: lagwatch could not read its?[2J positions
    unread 4 partitions, lag_age 61.2 seconds, share 0.812, near no
  idle_members for 0 s: 2 members have nothing to do
    idle_members 2

loyalty: missing
  commits_vanished for 90 s: the group is expected, and the cluster does not
  have it

calm: classic, stable
`
	if d := cmp.Diff(want, Render(v, 76).String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"fits", "one two", 9, "  one two\n"},
		{"does not", "one two", 8, "  one\n  two\n"},
		{"a long word is cut", "a very-long-name of it", 10, "  a\n  very-lo…\n  of it\n"},
		{"characters are not bytes", "…… ……", 7, "  …… ……\n"},
		{"nothing", "", 10, "  \n"},
	} {
		if d := cmp.Diff(tt.want, wrap(tt.text, "  ", tt.width)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestAmount(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3: "3", 12345: "12345", 1234.5: "1234", 0.8: "0.8", 61.25: "61.2", 0.00012: "0.00012"} {
		if got := amount(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}
