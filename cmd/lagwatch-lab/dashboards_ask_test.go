//go:build demo

package main

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/lagwatch/lagwatch/internal/boards"
	"github.com/lagwatch/lagwatch/internal/promtest"
)

// shown is the time range that queries are asked for, as Grafana would with a
// scrape interval of a second.
const (
	shown = 5 * time.Minute
	step  = 2 * time.Second
)

var ofGrafana = map[string]string{"__range": "5m", "__interval": "2s", "__rate_interval": "4s"}

// asked are queries and which of them have had data for some choice of variables.
type asked struct {
	server  *promtest.Server
	data    map[string]bool
	asked   int // how often one was asked
	answers int // how often there was data
}

func (a *asked) missing(list []*boards.Board) []string {
	var names []string
	for name := range places(list) {
		if _, known := emptyOnDemo[name]; !known && !a.data[name] {
			names = append(names, name)
		}
	}
	return names
}

// ask asks each query for each choice that the variables allow: all, or until it
// has had data.
func (a *asked) ask(t *testing.T, list []*boards.Board, all bool) {
	t.Helper()
	choices := map[*boards.Board][]map[string]string{}
	for _, b := range list {
		choices[b] = a.choose(t, b.Variables, ofGrafana)
	}
	for name, p := range places(list) {
		for _, values := range choices[p.board] {
			if a.data[name] && !all {
				break
			}
			a.asked++
			if a.has(t, name, p, values) {
				a.data[name] = true
				a.answers++
			}
		}
	}
}

// choose are the choices that a reader may make, one variable after the other:
// each has the values that Prometheus knows for what was chosen before.
func (a *asked) choose(t *testing.T, variables []boards.Variable, before map[string]string) []map[string]string {
	t.Helper()
	if len(variables) == 0 {
		return []map[string]string{before}
	}
	var out []map[string]string
	for _, value := range a.values(t, variables[0], before) {
		now := maps.Clone(before)
		now[variables[0].Name] = value
		out = append(out, a.choose(t, variables[1:], now)...)
	}
	return out
}

// values are those of a variable; of one with All, that and the first.
func (a *asked) values(t *testing.T, v boards.Variable, chosen map[string]string) []string {
	t.Helper()
	if v.Series == "" {
		return v.Values
	}
	series := fill(t, v.Name, v.Series, chosen)
	var values []string
	params := url.Values{"match[]": {series}}
	if err := a.server.Get(t.Context(), "label/"+v.Label+"/values", params, &values); err != nil {
		t.Fatalf("variable %s: %v", v.Name, err)
	}
	values = slices.DeleteFunc(values, func(s string) bool { return s == "" })
	if v.All != "" {
		return append([]string{v.All}, values[:min(1, len(values))]...)
	}
	return values
}

// has asks one query as Grafana does and tells whether it has data.
func (a *asked) has(t *testing.T, name string, p place, values map[string]string) bool {
	t.Helper()
	expr := fill(t, name, p.query.Expr, values)
	now := time.Now()
	path, params := "query", url.Values{"query": {expr}, "time": {unix(now)}}
	if !p.query.Instant {
		path = "query_range"
		params = url.Values{"query": {expr}, "start": {unix(now.Add(-shown))}, "end": {unix(now)}, "step": {strconv.Itoa(int(step.Seconds()))}}
	}
	var answer struct {
		Result []struct{ Metric model.Metric } `json:"result"`
	}
	if err := a.server.Get(t.Context(), path, params, &answer); err != nil {
		t.Fatalf("%s, with %v: %v", name, values, err)
	}
	return len(answer.Result) > 0
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

func fill(t *testing.T, where, expr string, values map[string]string) string {
	t.Helper()
	filled, err := boards.Fill(expr, values)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return filled
}
