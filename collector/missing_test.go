package collector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// tellMissing lists the missing groups of a view, each with the second since when, and
// what is published of groups that no group of the view is.
func tellMissing(v *View) (missing, series []string) {
	for _, g := range v.Missing {
		missing = append(missing, fmt.Sprintf("%s since %.1f", g.ID, g.Since.Sub(epoch).Seconds()))
	}
	samples(v, func(m *Metric, value float64, labels []string) {
		if m.Detail > 0 && previous(v.Groups, labels[1], groupID) == nil {
			series = append(series, fmt.Sprint(strings.TrimPrefix(m.Name, Prefix), " ", strings.Join(labels[1:], " "), " ", value))
		}
	})
	return missing, series
}

// An expected group is missing once two good polls in succession have listed all groups
// without it, and no longer than until one lists it.
func TestMissingGroups(t *testing.T) {
	here := groupOf("pay", members(), commits())
	partly := problems(onBroker(2, snapshot.StageListGroups, "no answer"))
	leaderless := problems(snapshot.Problem{Stage: snapshot.StageListGroups, Reason: snapshot.ReasonNoLeader, Topic: "__consumer_offsets", Count: 1})
	other := groupOf("Pay", members(), commits())
	for _, tt := range []struct {
		name  string
		polls [][]part // ten seconds apart; nil is a failed one
		since float64  // missing since then; 0 if it is not
	}{
		{"never there, one poll", [][]part{{other}}, 0},
		{"never there", [][]part{{other}, {other}}, 0.3},
		{"never there for long", [][]part{{}, {}, {}, {}, {}, {}}, 0.3},
		{"there", [][]part{{here}, {here}, {here}}, 0},
		{"just gone", [][]part{{here}, {here}, {}}, 0},
		{"gone", [][]part{{here}, {here}, {}, {}}, 20.3},
		{"back", [][]part{{here}, {}, {}, {here}}, 0},
		{"gone again", [][]part{{here}, {}, {}, {here}, {}, {}}, 40.3},
		{"gone for a poll now and then", [][]part{{here}, {}, {here}, {}, {here}, {}}, 0},
		{"a broker does not list its groups", [][]part{{here}, {partly}, {partly}, {partly}}, 0},
		{"nor did it from the start", [][]part{{partly}, {partly}, {partly}}, 0},
		{"nobody leads where it may be kept", [][]part{{leaderless}, {leaderless}, {leaderless}}, 0},
		{"one that does not is no second poll", [][]part{{here}, {}, {partly}}, 0},
		{"and no new first one", [][]part{{here}, {}, {partly}, {}}, 10.3},
		{"a failed poll is none either", [][]part{{here}, {}, nil}, 0},
		{"gone before and after a failed poll", [][]part{{here}, {}, nil, {}}, 10.3},
		{"gone while polls fail", [][]part{{}, {}, nil, nil}, 0.3},
		{"until that is too old", [][]part{{}, {}, nil, nil, nil, nil}, 0},
		{"and it takes two polls again", [][]part{{}, {}, nil, nil, nil, nil, {}}, 0},
		{"gone while a broker is silent", [][]part{{}, {}, {partly}, {partly}}, 0.3},
		{"until that is too old as well", [][]part{{}, {}, {partly}, {partly}, {partly}, {partly}}, 0},
		{"listed by the others", [][]part{{}, {}, {here, partly}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newStoryWith(Options{Expected: []string{"pay"}})
			for i, p := range tt.polls {
				if p == nil {
					w.fail(float64(10 * i))
					continue
				}
				w.poll(float64(10*i), p...)
			}
			var wantMissing, wantSeries []string
			if tt.since > 0 {
				wantMissing = []string{fmt.Sprintf("pay since %.1f", tt.since)}
				wantSeries = []string{"group_objective_info pay continuous testers 1", "group_condition pay commits_vanished 1"}
			}
			missing, series := tellMissing(w.v)
			if diff := cmp.Diff(wantMissing, missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantSeries, series); diff != "" {
				t.Errorf("published (-want +got):\n%s", diff)
			}
			for _, g := range w.v.Missing {
				if d := g.Diagnosis; len(d.Findings) != 1 || d.Findings[0].Condition != diagnosis.CommitsVanished || d.Findings[0].Sentence == "" {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// Several are sorted, one named twice counts once, and a view that no poll has renewed
// knows of none.
func TestSeveralMissingGroups(t *testing.T) {
	w := newStoryWith(Options{Expected: []string{"b", "c", "a", "b"}})
	for _, sec := range []float64{0, 10} {
		w.poll(sec, groupOf("c", members(), commits()))
	}
	missing, series := tellMissing(w.v)
	if diff := cmp.Diff([]string{"a since 0.3", "b since 0.3"}, missing); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(series) != 4 {
		t.Errorf("published: %q", series)
	}
	if old := shownAt(w.v, w.v.Built.Add(2*testStale), w.rules); len(old.Missing) != 0 {
		t.Errorf("an old view has %v", old.Missing)
	}
	if len(w.v.Missing) != 2 {
		t.Error("the view was changed")
	}
}

// A family that is left out is left out of missing groups as well, for all or by group;
// what is published counts where series are limited.
func TestSeriesOfMissingGroups(t *testing.T) {
	for name, tt := range map[string]struct {
		publish publish
		want    int
	}{
		"by default":     {nil, 4},
		"left out":       {func(_, family string, _ bool) bool { return family != "group_condition" }, 2},
		"of one of them": {func(group, family string, byDefault bool) bool { return byDefault && group != "a" }, 2},
	} {
		o := Options{Expected: []string{"a", "b"}, MaxSeries: 10, Publish: tt.publish}
		w := newStoryWith(o)
		for _, sec := range []float64{0, 10} {
			w.poll(sec, logOf("t", 1, ends(0, 9)), groupOf("g", members(), commits(on("t", 1))))
		}
		if _, series := tellMissing(w.v); len(series) != tt.want {
			t.Errorf("%s: %q", name, series)
		}
		if n := countSeries(w.v); n != w.v.series || n <= 10 {
			t.Errorf("%s: %d series, counted %d", name, n, w.v.series)
		}
	}
}

// A missing share group was looked for with the tool of consumer groups.
func TestMissingGroupOfAType(t *testing.T) {
	w := newStoryWith(Options{Expected: []string{"pay"}})
	w.poll(0, groupOf("pay", ofType(snapshot.TypeShare), members(), shares()))
	w.poll(10)
	w.poll(20)
	if len(w.v.Missing) != 1 || !strings.HasPrefix(w.v.Missing[0].Diagnosis.Findings[0].Next[0].Command, "kafka-share-groups.sh ") {
		t.Errorf("%+v", w.v.Missing)
	}
}
