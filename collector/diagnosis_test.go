package collector

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// holding are the conditions that hold of a group of a view.
func holding(t *testing.T, v *View, id string) []string {
	t.Helper()
	var list []string
	for _, f := range theGroup(t, v, id).Diagnosis.Findings {
		list = append(list, f.Condition.String())
	}
	return list
}

// evaluated are those of which something is known.
func evaluated(t *testing.T, v *View, id string) []string {
	t.Helper()
	var list []string
	for c, verdict := range theGroup(t, v, id).Diagnosis.Verdicts {
		if verdict != diagnosis.Unknown {
			list = append(list, diagnosis.Condition(c).String())
		}
	}
	return list
}

// hangs is a group of one member that stops to commit after five minutes, for another.
func hangs(w *story) *View {
	stop, until := flow{120, 120, 0}, 300.0
	v := w.every(0, until, func(sec float64) []part { return reads("g", "t", sec, stop) })
	_, stands := stop.at(until)
	for sec := until + 10; sec <= 2*until; sec += 10 {
		end, _ := stop.at(sec)
		v = w.poll(sec, logOf("t", 1, ends(0, end)), kept("t"), groupOf("g", members(member("m", owns("t", 0))), commits(on("t", stands))))
	}
	return v
}

// A group that commits nothing any more is recognised, through the whole of a watcher,
// and one that keeps up has no condition.
func TestDiagnosis(t *testing.T) {
	if got := holding(t, hangs(newStory()), "g"); !slices.Equal(got, []string{"stalled_group"}) {
		t.Errorf("a group that hangs: %q", got)
	}
	well := newStory().every(0, 600, func(sec float64) []part { return reads("g", "t", sec, flow{120, 120, 0}) })
	if got := holding(t, well, "g"); got != nil {
		t.Errorf("a group that keeps up: %q", got)
	}
}

// What is known stands while polls fail, and goes when it is too old. Every group was
// unreadable then, where up says once that the cluster is.
func TestDiagnosisAges(t *testing.T) {
	w := newStory()
	before := hangs(w)
	w.fail(610)
	if v := w.fail(620); !slices.Equal(holding(t, v, "g"), []string{"stalled_group"}) {
		t.Errorf("after two failed polls: %q", holding(t, v, "g"))
	}
	v := w.fail(640)
	if got := evaluated(t, v, "g"); len(got) > 0 || len(holding(t, v, "g")) > 0 {
		t.Errorf("after stale_after %q are evaluated, and %q hold", got, holding(t, v, "g"))
	}
	if got := holding(t, before, "g"); !slices.Equal(got, []string{"stalled_group"}) {
		t.Errorf("the view before has become %q", got)
	}
}

// Where positions cannot be read, what follows from them goes, and what follows from
// members stays.
func TestDiagnosisOfUnreadPositions(t *testing.T) {
	w := newStory()
	w.every(0, 300, func(sec float64) []part { return reads("g", "t", sec, flow{120, 100, 1000}) })
	for sec := 310.0; sec <= 350; sec += 10 {
		w.poll(sec, logOf("t", 1), groupOf("g", members(member("m", owns("t", 0)))))
	}
	if diff := cmp.Diff([]string{"unreadable", "rebalancing", "idle_members"}, evaluated(t, w.v, "g")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A view that no poll has renewed knows no reasons.
func TestDiagnosisOfAnOldView(t *testing.T) {
	w := newStory()
	v := hangs(w)
	if old := shownAt(v, v.Built.Add(testStale+time.Second), w.rules); evaluated(t, old, "g") != nil {
		t.Errorf("%q", evaluated(t, old, "g"))
	}
	if evaluated(t, v, "g") == nil {
		t.Error("the view was changed")
	}
}

// A group that is deleted and created again is another: nothing is remembered of it.
func TestDiagnosisIsForgottenWithTheGroup(t *testing.T) {
	w := newStory()
	hangs(w)
	w.poll(610, logOf("t", 1, ends(0, 9)))
	v := w.poll(620, logOf("t", 1, ends(0, 9)), groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 9))))
	if got := holding(t, v, "g"); got != nil {
		t.Errorf("%q", got)
	}
}

// Whatever a group did before, a lagwatch that has just begun to watch it says nothing of
// it that is not so: calm groups stay without a word.
func TestRestartGivesNoHeadline(t *testing.T) {
	calm := map[string]func(sec float64) []part{
		"keeps up":     func(sec float64) []part { return reads("g", "t", sec, flow{120, 120, 0}, flow{7, 7, 0}) },
		"nothing runs": func(sec float64) []part { return reads("g", "t", sec, flow{}) },
		"rarely commits": func(sec float64) []part {
			end, _ := flow{in: 50}.at(sec)
			committed, _ := flow{in: 50}.at(float64(int(sec) / 60 * 60))
			return parts(logOf("t", 1, ends(0, end)), kept("t"), groupOf("g", members(member("m", owns("t", 0))), commits(on("t", committed))))
		},
		"nobody is there, and all is read": func(sec float64) []part {
			return parts(logOf("t", 1, ends(0, 90)), groupOf("g", members(), commits(on("t", 90))))
		},
		"a marker after the last record": func(sec float64) []part {
			return parts(logOf("t", 1, ends(0, 90)), groupOf("g", members(member("m", owns("t", 0))), commits(on("t", 89))))
		},
	}
	for name, at := range calm {
		t.Run(name, func(t *testing.T) {
			for begins := 0.0; begins < 60; begins += 10 {
				w := newStory()
				for sec := begins; sec <= begins+900; sec += 10 {
					if v := w.poll(sec, at(sec)...); holding(t, v, "g") != nil {
						t.Fatalf("a lagwatch from second %v on says %q at %v", begins, holding(t, v, "g"), sec)
					}
				}
			}
		})
	}
}

// The thresholds of a group are asked for once, when it is first seen.
func TestThresholdsAreAskedOnce(t *testing.T) {
	asked := map[string]int{}
	usual := diagnosis.Defaults()
	w := New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) { return readNow() }), Options{
		Cluster: "main", Interval: interval, Expected: []string{"gone"},
		Thresholds: func(group string) *diagnosis.Thresholds { asked[group]++; return &usual },
	})
	for range 3 {
		w.Poll(t.Context())
	}
	if diff := cmp.Diff(map[string]int{"g": 1, "gone": 1}, asked); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever polls bring, verdicts and findings are of one mind, and nothing is told of what
// could not be read for too long.
func TestDiagnosisInvariants(t *testing.T) {
	walk(t, 30, 60, func(t *testing.T, _, v *View, _ *snapshot.Snapshot, _ error) {
		for i := range v.Groups {
			g := &v.Groups[i]
			var want []diagnosis.Condition
			for c, verdict := range g.Diagnosis.Verdicts {
				if verdict == diagnosis.Holds {
					want = append(want, diagnosis.Condition(c))
				}
			}
			var got []diagnosis.Condition
			for _, f := range g.Diagnosis.Findings {
				got = append(got, f.Condition)
				if f.Sentence == "" || strings.ContainsAny(f.Sentence, "\n") {
					t.Errorf("%s says %q", f.Condition, f.Sentence)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-verdicts +findings):\n%s", g.ID, diff)
			}
			read := v.Built.Sub(timeOf(max(g.reasons.at, 0))) // of anything
			if n := len(evaluated(t, v, g.ID)); read > chaosStale && n > 1 {
				t.Errorf("%s: %d conditions are known after %v: %s", g.ID, n, read, fmt.Sprint(evaluated(t, v, g.ID)))
			}
		}
	})
}

// What is said to be done next lacked the cluster's name where several are watched, and
// the settings without which no broker answers.
func TestStepsThatWork(t *testing.T) {
	w := newStoryWith(Options{Expected: []string{"pay"}, Secured: true, Several: true})
	for _, sec := range []float64{0, 10, 20} {
		w.poll(sec, logOf("t", 1, ends(0, 100)), groupOf("g", members()))
	}
	lines := []string{}
	for _, d := range []diagnosis.Diagnosis{theGroup(t, w.v, "g").Diagnosis, w.v.Missing[0].Diagnosis} {
		for _, s := range d.Findings[0].Next {
			lines = append(lines, s.Command)
		}
	}
	want := []string{
		"kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --command-config client.properties --describe --group g --state",
		"lagwatch explain --config lagwatch.yaml --cluster main g",
		"kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --command-config client.properties --describe --group pay",
		"",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
