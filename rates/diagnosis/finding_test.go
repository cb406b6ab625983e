package diagnosis

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	noNumber  = regexp.MustCompile(`NaN|Inf|%!|-9223372036854775808`)
	noTime    = regexp.MustCompile(`\b0 s\b`)
	someUnits = []string{"", "offsets", "offsets/second", "seconds", "partitions", "members", "rounds", "topics", "boolean"}
	words     = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
)

// checkFinding holds what is true of every finding.
func checkFinding(t *testing.T, f *Finding, g *Group) {
	t.Helper()
	s := f.Sentence
	if s == "" || noNumber.MatchString(s) || strings.ContainsAny(s, "\n\x1b") || strings.HasSuffix(s, ".") {
		t.Errorf("%s: sentence %q", f.Condition, s)
	}
	if noTime.MatchString(s) && !slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.Unit == inSeconds && math.Abs(e.Value) < 0.5 }) {
		t.Errorf("%s: a time of 0 s that no evidence has: %q", f.Condition, s)
	}
	if f.Since <= 0 || f.Since > g.Now {
		t.Errorf("%s: since %d, now is %d", f.Condition, f.Since, g.Now)
	}
	if len(f.Members) > most || len(f.Partitions) > most || len(f.Next) == 0 {
		t.Errorf("%s: %d members, %d partitions, %d steps", f.Condition, len(f.Members), len(f.Partitions), len(f.Next))
	}
	var names []string
	for _, e := range f.Evidence {
		if !words.MatchString(e.Name) || !slices.Contains(someUnits, e.Unit) || math.IsNaN(e.Value) || math.IsInf(e.Value, 0) || slices.Contains(names, e.Name) {
			t.Errorf("%s: evidence %+v", f.Condition, e)
		}
		names = append(names, e.Name)
		if e.Name == "lag_age" && e.Value == 0 {
			t.Errorf("%s: what is unread has waited, and its age is 0", f.Condition)
		}
	}
	for _, step := range f.Next {
		if step.Text == "" || strings.ContainsAny(step.Command, "\x1b") || noNumber.MatchString(step.Text) {
			t.Errorf("%s: step %+v", f.Condition, step)
		}
	}
}
