package main

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What everybody may expect of a panel, and the rules of public linters of
// dashboards. Those that are left out stand in ../.lint, with the reason.
func TestPanels(t *testing.T) {
	for _, b := range boards(t) {
		t.Run(b.UID, func(t *testing.T) {
			ids, titles := map[int]bool{}, map[string]bool{}
			for _, p := range b.Panels {
				if p.ID == 0 || ids[p.ID] {
					t.Errorf("%s: id %d is not its own", p.Title, p.ID)
				}
				ids[p.ID] = true
			}
			for _, p := range b.everyPanel() {
				if p.Title == "" || titles[p.Title+p.Type] {
					t.Errorf("panel %d: its title %q is not its own", p.ID, p.Title)
				}
				titles[p.Title+p.Type] = true
				if len(p.Description) < 60 || !strings.HasSuffix(p.Description, ".") {
					t.Errorf("%s: its description says too little: %q", p.Title, p.Description)
				}
				if p.Datasource != chosenSource {
					t.Errorf("%s: data source %v", p.Title, p.Datasource)
				}
				d := p.FieldConfig.Defaults
				if d.Unit == nil || *d.Unit == "" || d.NoValue == nil || *d.NoValue == "" {
					t.Errorf("%s: no unit, or no text for when there is no data", p.Title)
				}
				if len(p.Targets) == 0 {
					t.Errorf("%s asks nothing", p.Title)
				}
				for i, q := range p.Targets {
					if q.RefID != refID(i) || q.Datasource != chosenSource {
						t.Errorf("%s: query %d is called %q and asks %v", p.Title, i, q.RefID, q.Datasource)
					}
				}
			}
		})
	}
}

var chosenSource = boardSource{"prometheus", "${datasource}"}

// No panel is outside of the grid or upon another.
func TestGrid(t *testing.T) {
	for _, b := range boards(t) {
		taken := map[[2]int]string{}
		for _, p := range b.Panels {
			g := p.GridPos
			if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > columns {
				t.Errorf("%s: %s is not within the grid: %+v", b.UID, p.Title, g)
			}
			for x := g.X; x < g.X+g.W; x++ {
				for y := g.Y; y < g.Y+g.H; y++ {
					if other, ok := taken[[2]int{x, y}]; ok {
						t.Fatalf("%s: %s is upon %s", b.UID, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}

func TestBoards(t *testing.T) {
	uids := []string{}
	for _, b := range boards(t) {
		uids = append(uids, b.UID)
		if b.Title == "" || b.Description == "" || b.Refresh == "" || b.Time.From == "" || b.SchemaVersion < 36 {
			t.Errorf("%s: no title, description, refresh, time range or schema version", b.UID)
		}
		if !slices.Contains(b.Tags, tag) {
			t.Errorf("%s: its tags are %v", b.UID, b.Tags)
		}
		if b.GraphTooltip != 1 {
			t.Errorf("%s: the crosshair is not shared", b.UID)
		}
		// Names are shown in both themes, each in its own shade.
		if m := regexp.MustCompile(`"#[0-9a-fA-F]{3,8}"|"rgba?\(`).FindString(b.text); m != "" {
			t.Errorf("%s: %s is a colour of one theme", b.UID, m)
		}
	}
	for _, f := range dashboardsLinked {
		if !slices.Contains(uids, f.uid) {
			t.Errorf("links lead to %s, and there is no such dashboard", f.uid)
		}
	}
}

// Variables work with thousands of groups: All is one pattern, and values are
// asked for along the chain.
func TestVariables(t *testing.T) {
	all := families(t)
	for _, b := range boards(t) {
		names := map[string]bool{}
		for i, v := range b.Templating.List {
			where := b.UID + ": variable " + v.Name
			if v.Label == "" || v.Description == "" {
				t.Errorf("%s: no label or no description", where)
			}
			if (i == 0) != (v.Name == "datasource") || (i == 0 && v.Label != "Data source") {
				t.Errorf("%s is at place %d", where, i)
			}
			if v.IncludeAll && v.AllValue != ".*" {
				t.Errorf("%s: All would be a pattern of every name", where)
			}
			if v.IncludeAll != v.Multi {
				t.Errorf("%s: All without several, or several without All", where)
			}
			if v.Type == "query" {
				series, label := v.values(t)
				name, _, _ := strings.Cut(series, "{")
				if !slices.Contains(all[name].labels, label) {
					t.Errorf("%s: %s has no label %s", where, name, label)
				}
				if v.Datasource != chosenSource || v.Refresh != 2 {
					t.Errorf("%s: data source %v, refresh %d", where, v.Datasource, v.Refresh)
				}
				for _, m := range regexp.MustCompile(`\$([a-z]+)`).FindAllStringSubmatch(series, -1) {
					if !names[m[1]] {
						t.Errorf("%s depends on %s, which comes later or not at all", where, m[1])
					}
				}
			}
			names[v.Name] = true
		}
		if b.Annotations.List != nil {
			for _, a := range b.Annotations.List {
				if a.Datasource != chosenSource || a.Target.Datasource != chosenSource {
					t.Errorf("%s: annotation %s asks %v", b.UID, a.Name, a.Datasource)
				}
			}
		}
	}
}

// Several values fit a pattern only, and one value is compared as it is: a group
// called a.b is not a group called axb.
func TestVariablesAreMatchedRightly(t *testing.T) {
	matcher := regexp.MustCompile(`(=~|=|!=|!~)"([^"]*)\$([a-z]+)([^"]*)"`)
	for _, b := range boards(t) {
		several := map[string]bool{"search": true}
		for _, v := range b.Templating.List {
			several[v.Name] = several[v.Name] || v.Multi
		}
		for _, q := range b.everyQuery(t) {
			for _, m := range matcher.FindAllStringSubmatch(q.expr, -1) {
				if want := map[bool]string{true: "=~", false: "="}[several[m[3]]]; m[1] != want {
					t.Errorf("%s: %s, want %s", q.where, m[0], want)
				}
			}
		}
	}
}

var linkVariable = regexp.MustCompile(`var-([a-z]+)=\$\{(?:__data\.fields\.)?([A-Za-z]+):percentencode\}`)

// Links on top lead to the four others with variables and time; those of cells
// to one of the five, with variables that it has from columns and variables that
// there are.
func TestLinks(t *testing.T) {
	list := boards(t)
	variables := map[string][]string{}
	for _, b := range list {
		for _, v := range b.Templating.List {
			variables[b.UID] = append(variables[b.UID], v.Name)
		}
	}
	for _, b := range list {
		var lead, want []string
		for _, l := range b.Links {
			lead = append(lead, l.URL)
			if !l.KeepTime || !l.IncludeVars || l.Title == "" || l.Tooltip == "" {
				t.Errorf("%s: the link to %s loses time or variables, or says nothing", b.UID, l.URL)
			}
		}
		for _, f := range dashboardsLinked {
			if f.uid != b.UID {
				want = append(want, "/d/"+f.uid)
			}
		}
		if diff := cmp.Diff(want, lead); diff != "" {
			t.Errorf("%s: links (-want +got):\n%s", b.UID, diff)
		}
		for _, m := range regexp.MustCompile(`"url": "(/d/[^"]*\?[^"]*)"`).FindAllStringSubmatch(b.text, -1) {
			cellLink(t, b, m[1], variables)
		}
	}
}

func cellLink(t *testing.T, b board, text string, variables map[string][]string) {
	t.Helper()
	path, query, _ := strings.Cut(text, "?")
	uid := strings.TrimPrefix(path, "/d/")
	if variables[uid] == nil {
		t.Errorf("%s: %s leads nowhere", b.UID, text)
	}
	if !strings.HasSuffix(query, "&${datasource:queryparam}&${__url_time_range}") {
		t.Errorf("%s: %s loses the data source or the time", b.UID, text)
	}
	found := linkVariable.FindAllStringSubmatch(query, -1)
	if len(found) != strings.Count(query, "var-") || len(found) == 0 {
		t.Errorf("%s: %s has a name that is not encoded, or none", b.UID, text)
	}
	for _, m := range found {
		if !slices.Contains(variables[uid], m[1]) {
			t.Errorf("%s: %s gives %s, which %s has not", b.UID, text, m[1], uid)
		}
		column := strings.Contains(m[0], "__data") && strings.Contains(b.text, `"`+m[2]+`"`)
		if !column && !slices.Contains(variables[b.UID], m[2]) {
			t.Errorf("%s: %s takes %s from nothing", b.UID, text, m[2])
		}
	}
	if _, err := url.Parse(path); err != nil {
		t.Error(err)
	}
}

// The conditions are those of the page about them, in its order, which is that of
// their importance.
func TestConditionsAreThoseOfThePage(t *testing.T) {
	text, err := os.ReadFile("../../docs/conditions.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile("(?m)^## ([a-z_]+)$").FindAllStringSubmatch(string(text), -1) {
		want = append(want, m[1])
	}
	for _, c := range conditions {
		got = append(got, c.name)
		if len(c.first) > 62 || !strings.HasSuffix(c.first, ".") {
			t.Errorf("%s: what to do first is too long for its cell, or no sentence: %q", c.name, c.first)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("conditions (-page +here):\n%s", diff)
	}
}

var (
	alertRule      = regexp.MustCompile(`(?m)^      - alert: `)
	alertSeverity  = regexp.MustCompile(`(?m)^ +severity: ([a-z]+)$`)
	alertCondition = regexp.MustCompile(`condition="([a-z_]+)"`)
)

// A condition has the colour of the alert that the shipped rules make of it. Where
// several do, or one looks at several, the worst may be it.
func TestConditionsHaveTheColourOfTheirAlert(t *testing.T) {
	text, err := os.ReadFile("../../alerts/lagwatch.rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	grades := map[string]grade{"info": note, "warning": ticket, "critical": critical}
	alerted := map[string][]grade{}
	for _, rule := range alertRule.Split(string(text), -1)[1:] {
		severity := alertSeverity.FindStringSubmatch(rule)
		if severity == nil {
			t.Fatalf("an alert without a severity: %.60s", rule)
		}
		expr, _, _ := strings.Cut(rule, "annotations:")
		for _, m := range alertCondition.FindAllStringSubmatch(expr, -1) {
			alerted[m[1]] = append(alerted[m[1]], grades[severity[1]])
		}
	}
	if len(alerted) < 10 {
		t.Errorf("alerts on %d conditions: this test sees too little", len(alerted))
	}
	for _, c := range conditions {
		if g := alerted[c.name]; len(g) > 0 && slices.Max(g) != c.grade {
			t.Errorf("%s: alerts of the grades %v, shown as %d", c.name, g, c.grade)
		}
	}
}
