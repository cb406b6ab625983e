package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the checks read of a dashboard's JSON: what is committed, as Grafana would,
// whoever made it.
type (
	board struct {
		UID, Title, Description, Refresh string
		Tags                             []string
		SchemaVersion, GraphTooltip      int
		Time                             struct{ From, To string }
		Panels                           []boardPanel
		Templating                       struct{ List []boardVariable }
		Annotations                      struct{ List []boardAnnotation }
		Links                            []boardLink
		text                             string
	}
	boardPanel struct {
		ID                       int
		Type, Title, Description string
		Datasource               boardSource
		GridPos                  struct{ X, Y, W, H int }
		Targets                  []boardTarget
		FieldConfig              struct {
			Defaults  struct{ Unit, NoValue *string }
			Overrides []struct {
				Properties []struct {
					ID    string
					Value json.RawMessage
				}
			}
		}
		Panels []boardPanel
	}
	boardTarget struct {
		RefID, Expr, LegendFormat string
		Datasource                boardSource
	}
	boardVariable struct {
		Name, Type, Label, Description, AllValue string
		Query                                    json.RawMessage
		Datasource                               boardSource
		Refresh                                  int
		IncludeAll, Multi                        bool
	}
	boardAnnotation struct {
		Name       string
		Datasource boardSource
		Target     boardTarget
	}
	boardLink struct {
		Title, URL, Tooltip   string
		KeepTime, IncludeVars bool
	}
	boardSource struct{ Type, UID string }
)

func boards(t *testing.T) []board {
	t.Helper()
	paths, err := filepath.Glob("../*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no dashboards (%v)", err)
	}
	var list []board
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b := board{text: string(text)}
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list = append(list, b)
	}
	return list
}

// everyPanel is all panels but rows, those within rows included.
func (b board) everyPanel() []boardPanel {
	var list []boardPanel
	for _, p := range b.Panels {
		if p.Type != "row" {
			list = append(list, p)
		}
		list = append(list, p.Panels...)
	}
	return list
}

// An asked is an expression of a dashboard, and where it stands.
type asked struct{ where, expr, legend string }

// everyQuery is all expressions: of panels, of annotations, and the series that
// variables have their values from.
func (b board) everyQuery(t *testing.T) []asked {
	t.Helper()
	var list []asked
	for _, p := range b.everyPanel() {
		for _, q := range p.Targets {
			list = append(list, asked{b.UID + ": " + p.Title + ", " + q.RefID, q.Expr, q.LegendFormat})
		}
	}
	for _, a := range b.Annotations.List {
		list = append(list, asked{b.UID + ": annotation " + a.Name, a.Target.Expr, ""})
	}
	for _, v := range b.Templating.List {
		if v.Type == "query" {
			series, _ := v.values(t)
			list = append(list, asked{b.UID + ": variable " + v.Name, series, ""})
		}
	}
	return list
}

var labelValues = regexp.MustCompile(`^label_values\((.*), ([a-z_]+)\)$`)

// values is the series and the label that a variable has its values from.
func (v boardVariable) values(t *testing.T) (series, label string) {
	t.Helper()
	var q struct{ Query string }
	if err := json.Unmarshal(v.Query, &q); err != nil {
		t.Fatalf("variable %s: %v", v.Name, err)
	}
	m := labelValues.FindStringSubmatch(q.Query)
	if m == nil {
		t.Fatalf("variable %s: %q asks for no values of a label", v.Name, q.Query)
	}
	return m[1], m[2]
}

// filled puts values where Grafana does.
var filled = strings.NewReplacer(
	"$__rate_interval", "1m", "$__interval", "30s", "$__range", "1h",
	"$cluster", "east", "$group", "billing", "$topic", "orders", "$search", "bill", "$team", "payments", "$rows", "100",
)

// A family is a row of the metric table.
type family struct {
	counter, optional bool
	labels            []string
}

var tableRow = regexp.MustCompile("^\\| `([a-z_]+)` \\| (gauge|counter) \\| [^|]* \\| ([^|]*) \\| ([^|]*) \\|")

// families is the metric table, as docs/metrics.md has it; a test of the main
// module keeps that true. Beside it stands what lagwatch's page and Prometheus have
// of every process.
func families(t *testing.T) map[string]family {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]family{}
	for line := range strings.Lines(string(text)) {
		if m := tableRow.FindStringSubmatch(line); m != nil {
			labels := append(strings.Split(strings.TrimSpace(m[3]), ", "), "job", "instance")
			all[m[1]] = family{m[2] == "counter", strings.HasPrefix(m[4], "if included"), labels}
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d families are found in the metric table: this test sees too little", len(all))
	}
	process := []string{"job", "instance"}
	all["up"] = family{labels: process}
	all["scrape_duration_seconds"] = family{labels: process}
	all["scrape_samples_scraped"] = family{labels: process}
	all["go_gc_gomemlimit_bytes"] = family{labels: process}
	all["go_goroutines"] = family{labels: process}
	all["process_resident_memory_bytes"] = family{labels: process}
	all["process_start_time_seconds"] = family{labels: process}
	all["process_open_fds"] = family{labels: process}
	all["process_cpu_seconds_total"] = family{counter: true, labels: process}
	return all
}
