package collector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// saying is a view in which conditions hold of groups, the headline first.
func saying(of map[string][]diagnosis.Condition) *View {
	v := &View{Up: true}
	for id, list := range of {
		g := Group{ID: id}
		for c := range g.Diagnosis.Verdicts {
			g.Diagnosis.Verdicts[c] = diagnosis.Clear
		}
		for _, c := range list {
			g.Diagnosis.Verdicts[c] = diagnosis.Holds
			g.Diagnosis.Findings = append(g.Diagnosis.Findings, diagnosis.Finding{Condition: c, Sentence: "it is " + c.String()})
		}
		v.Groups = append(v.Groups, g)
	}
	return v
}

func (l *logbook) says(v *View) []string {
	l.headline(v)
	return l.lines()
}

// Each change of a headline is one line, whatever else holds beside it.
func TestHeadlines(t *testing.T) {
	type of = map[string][]diagnosis.Condition
	l := begun()
	expect(t, "all is well", l.says(saying(of{"g": nil})))
	stalled := saying(of{"g": {diagnosis.StalledGroup}})
	expect(t, "the first", l.says(stalled), `level=INFO msg="why a group lags" group=g why=stalled_group sentence="it is stalled_group"`)
	expect(t, "the same", l.says(stalled))
	expect(t, "one more holds", l.says(saying(of{"g": {diagnosis.StalledGroup, diagnosis.Rewound}})))
	failed := saying(of{"g": {diagnosis.Unreadable}})
	failed.Up = false
	expect(t, "a failed poll", l.says(failed))
	expect(t, "and the same again", l.says(stalled))
	expect(t, "a worse one", l.says(saying(of{"g": {diagnosis.DataLost, diagnosis.StalledGroup}})),
		`level=INFO msg="why a group lags" group=g why=data_lost sentence="it is data_lost"`)
	unknown := &View{Up: true, Groups: []Group{{ID: "g"}}}
	expect(t, "nobody knows", l.says(unknown))
	expect(t, "still the same", l.says(saying(of{"g": {diagnosis.DataLost}})))
	expect(t, "it is over", l.says(saying(of{"g": nil})), `level=INFO msg="no condition holds of a group any more" group=g was=data_lost`)
	expect(t, "it stays over", l.says(saying(of{"g": nil})))
	expect(t, "another group", l.says(saying(of{"g": nil, "h": {diagnosis.Standalone}})),
		`level=INFO msg="why a group lags" group=h why=standalone sentence="it is standalone"`)
	expect(t, "which is deleted", l.says(saying(of{"g": nil})))
	if len(l.headlines) != 0 {
		t.Errorf("%v is remembered of groups that are gone", l.headlines)
	}
}

// A missing group has a headline as others have.
func TestHeadlineOfAMissingGroup(t *testing.T) {
	l, v := begun(), saying(map[string][]diagnosis.Condition{"m": {diagnosis.CommitsVanished}})
	v.Missing, v.Groups = []MissingGroup{{ID: "m", Diagnosis: v.Groups[0].Diagnosis}}, nil
	expect(t, "missing", l.says(v), `level=INFO msg="why a group lags" group=m why=commits_vanished sentence="it is commits_vanished"`)
	expect(t, "still missing", l.says(v))
}

// A cluster that falls apart does not fill the log.
func TestHeadlinesAreBounded(t *testing.T) {
	of := map[string][]diagnosis.Condition{}
	for i := range 100 {
		of[fmt.Sprintf("group-%02d", i)] = []diagnosis.Condition{diagnosis.StalledGroup}
	}
	l, v := begun(), saying(of)
	got := l.says(v)
	if len(got) != maxLines+1 || !strings.Contains(got[maxLines], " count=90 among_them=") || strings.Count(got[maxLines], "(stalled_group)") != maxNames {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
	expect(t, "the same", l.says(v))
}
