// Package boards reads dashboards as Grafana does, for tests: their panels, queries
// and variables, and what an expression is once the variables have values.
package boards

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Board is a dashboard.
type Board struct {
	UID       string
	Variables []Variable
	Panels    []Panel // those in rows included
	// Annotations are the queries whose results are marks in the charts.
	Annotations []Panel
}

// A Panel is one of a board. An annotation has a title and queries only.
type Panel struct {
	Title       string
	Type        string
	Description string
	NoValue     string // what it says when there is no data
	Queries     []Query
}

// A Query is an expression of a panel.
type Query struct {
	Ref     string // the letter by which the panel names it
	Expr    string
	Instant bool // it is asked for one moment, else for a range
}

// A Variable is chosen by the reader. Where Series is set, its values are those
// that Label has in these series; else they are Values. All is the value that
// stands for all of them, "" where they cannot be chosen together.
type Variable struct {
	Name, Series, Label, All string
	Values                   []string
}

// raw is the part of Grafana's classic schema that is read.
type raw struct {
	UID         string
	Panels      []rawPanel
	Templating  struct{ List []rawVariable }
	Annotations struct {
		List []struct {
			Name   string
			Target *rawTarget
		}
	}
}

type rawPanel struct {
	Title, Type, Description string
	Panels                   []rawPanel
	Targets                  []rawTarget
	FieldConfig              struct{ Defaults struct{ NoValue string } }
}

type rawTarget struct {
	RefID   string
	Expr    string
	Instant bool
}

type rawVariable struct {
	Name, Type, AllValue string
	IncludeAll           bool
	Query                json.RawMessage // a text or an object
	Options              []struct{ Value json.RawMessage }
}

// Parse reads the JSON of a dashboard in Grafana's classic schema.
func Parse(text []byte) (*Board, error) {
	var r raw
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("reading a dashboard: %w", err)
	}
	b := &Board{UID: r.UID, Panels: panels(r.Panels)}
	for _, a := range r.Annotations.List {
		if a.Target != nil {
			b.Annotations = append(b.Annotations, Panel{Title: a.Name, Type: "annotation", Queries: queries([]rawTarget{*a.Target})})
		}
	}
	for _, v := range r.Templating.List {
		variable, err := v.read()
		if err != nil {
			return nil, fmt.Errorf("dashboard %s: variable %s: %w", r.UID, v.Name, err)
		}
		b.Variables = append(b.Variables, variable)
	}
	return b, nil
}

func panels(list []rawPanel) []Panel {
	var out []Panel
	for _, p := range list {
		if p.Type == "row" {
			out = append(out, panels(p.Panels)...)
			continue
		}
		out = append(out, Panel{p.Title, p.Type, p.Description, p.FieldConfig.Defaults.NoValue, queries(p.Targets)})
	}
	return out
}

func queries(targets []rawTarget) []Query {
	var out []Query
	for _, t := range targets {
		out = append(out, Query{t.RefID, t.Expr, t.Instant})
	}
	return out
}

// labelValues is how a variable asks for its values.
var labelValues = regexp.MustCompile(`^label_values\((.+),\s*(\w+)\)$`)

func (v rawVariable) read() (Variable, error) {
	out := Variable{Name: v.Name}
	switch v.Type {
	case "query":
		var q struct{ Query string }
		if err := json.Unmarshal(v.Query, &q); err != nil {
			return out, err
		}
		m := labelValues.FindStringSubmatch(q.Query)
		if m == nil {
			return out, fmt.Errorf("%s asks for no label's values", q.Query)
		}
		out.Series, out.Label = m[1], m[2]
		if v.IncludeAll {
			out.All = v.AllValue
		}
	case "custom", "textbox":
		for _, o := range v.Options {
			var value string
			if err := json.Unmarshal(o.Value, &value); err != nil {
				return out, err
			}
			out.Values = append(out.Values, value)
		}
	case "datasource":
		out.Values = []string{"prometheus"}
	default:
		return out, fmt.Errorf("a variable of type %s is not known here", v.Type)
	}
	return out, nil
}

// name is a variable in an expression, in either of its two forms. $1 is none: it is
// what label_replace puts there.
var name = regexp.MustCompile(`\$[A-Za-z_]\w*|\$\{\w+\}`)

// Fill puts values in the places of variables; those of Grafana itself, such as
// $__range, are among them. One without a value is an error.
func Fill(expr string, values map[string]string) (string, error) {
	var missing []string
	filled := name.ReplaceAllStringFunc(expr, func(found string) string {
		key := strings.Trim(found, "${}")
		value, ok := values[key]
		if !ok {
			missing = append(missing, key)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("%s: there is no variable %s", expr, strings.Join(missing, ", "))
	}
	return filled, nil
}
