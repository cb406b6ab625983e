package boards

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const small = `{"uid": "a",
 "panels": [
  {"type": "row", "title": "r", "panels": [{"type": "stat", "title": "in a row", "targets": [{"refId": "A", "expr": "up", "instant": true}]}]},
  {"type": "table", "title": "t", "description": "d", "fieldConfig": {"defaults": {"noValue": "none"}}, "targets": [{"refId": "B", "expr": "x"}]}],
 "annotations": {"list": [{"name": "built in"}, {"name": "marks", "target": {"refId": "A", "expr": "y"}}]},
 "templating": {"list": [
  {"name": "datasource", "type": "datasource", "query": "prometheus"},
  {"name": "one", "type": "query", "query": {"query": "label_values(up{a=\"b, c\"}, job)"}},
  {"name": "many", "type": "query", "includeAll": true, "allValue": ".*", "query": {"query": "label_values(up, job)"}},
  {"name": "rows", "type": "custom", "query": "5,6", "options": [{"value": "5"}, {"value": "6"}]}]}}`

func TestParse(t *testing.T) {
	got, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	want := &Board{
		UID: "a",
		Variables: []Variable{
			{Name: "datasource", Values: []string{"prometheus"}},
			{Name: "one", Series: `up{a="b, c"}`, Label: "job"},
			{Name: "many", Series: "up", Label: "job", All: ".*"},
			{Name: "rows", Values: []string{"5", "6"}},
		},
		Panels: []Panel{
			{Title: "in a row", Type: "stat", Queries: []Query{{"A", "up", true}}},
			{Title: "t", Type: "table", Description: "d", NoValue: "none", Queries: []Query{{"B", "x", false}}},
		},
		Annotations: []Panel{{Title: "marks", Type: "annotation", Queries: []Query{{"A", "y", false}}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, variable := range map[string]string{
		"another type":  `{"name": "v", "type": "adhoc"}`,
		"another query": `{"name": "v", "type": "query", "query": {"query": "metrics(up)"}}`,
		"no options":    `{"name": "v", "type": "custom", "options": [{"value": 3}]}`,
	} {
		if b, err := Parse([]byte(`{"templating": {"list": [` + variable + `]}}`)); err == nil || !strings.Contains(err.Error(), "variable v") {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
}

func TestFill(t *testing.T) {
	values := map[string]string{"group": "g", "__range": "1h"}
	got, err := Fill(`x{a="$group", b="${group}", c="$1"}[$__range]`, values)
	if want := `x{a="g", b="g", c="$1"}[1h]`; got != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if got, err := Fill(`x{a="$groups"}`, values); err == nil || !strings.Contains(err.Error(), "no variable groups") {
		t.Errorf("%s, %v", got, err)
	}
}
