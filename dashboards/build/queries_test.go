package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

// Every expression parses with its variables filled in, and names metrics and
// labels that there are; counters are under rate or increase, gauges never; and
// what two replicas of lagwatch publish twice is never added up.
func TestQueries(t *testing.T) {
	all, seen := families(t), 0
	for _, b := range boards(t) {
		for _, q := range b.everyQuery(t) {
			t.Run(q.where, func(t *testing.T) {
				for _, problem := range problems(q, all) {
					t.Error(problem)
				}
			})
			seen++
		}
	}
	if seen < 30 {
		t.Errorf("%d expressions: this test sees too little", seen)
	}
}

func problems(q asked, all map[string]family) []string {
	text := filled.Replace(q.expr)
	if strings.Contains(strings.ReplaceAll(text, `"$1"`, ""), "$") {
		return []string{"a variable is left in: " + text}
	}
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return []string{fmt.Sprintf("%v in: %s", err, text)}
	}
	c := check{all: all, variable: strings.Contains(q.where, ": variable ")}
	c.walk(expr, nil)
	for _, m := range legendLabel.FindAllStringSubmatch(q.legend, -1) {
		if !c.labels[m[1]] {
			c.say("the legend names the label %s, and no metric of the expression has it", m[1])
		}
	}
	if !c.variable && c.selectors == 0 {
		c.say("it selects nothing")
	}
	return c.found
}

var legendLabel = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

type check struct {
	all       map[string]family
	variable  bool // it is a selector only, whose labels are listed
	selectors int
	labels    map[string]bool // of all metrics
	found     []string
}

func (c *check) say(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

// A frame is what an expression is inside of.
type frame struct {
	call    string // the nearest function over a range
	fold    parser.ItemType
	by      []string
	isFold  bool
	ignored bool // only whether it is there counts, as on the right of and
}

func (c *check) walk(e parser.Expr, f *frame) {
	if f == nil {
		f = &frame{}
	}
	switch e := e.(type) {
	case *parser.VectorSelector:
		c.selector(e, *f)
	case *parser.MatrixSelector:
		c.walk(e.VectorSelector, f)
	case *parser.Call:
		inner := *f
		switch e.Func.Name {
		case "rate", "increase", "irate", "changes", "resets", "delta", "deriv", "absent":
			inner.call = e.Func.Name
		case "label_replace", "label_join":
			c.made(e.Args[1])
		}
		for _, a := range e.Args {
			c.walk(a, &inner)
		}
	case *parser.AggregateExpr:
		inner := *f
		inner.isFold, inner.fold, inner.by = true, e.Op, e.Grouping
		if e.Without {
			c.say("without: a label that is added later would split what belongs together")
		}
		c.walk(e.Expr, &inner)
		if e.Param != nil {
			c.walk(e.Param, &frame{ignored: true})
		}
	case *parser.BinaryExpr:
		right := *f
		if e.Op == parser.LAND || e.Op == parser.LUNLESS {
			right.ignored = true
		}
		c.walk(e.LHS, f)
		c.walk(e.RHS, &right)
	case *parser.ParenExpr:
		c.walk(e.Expr, f)
	case *parser.UnaryExpr:
		c.walk(e.Expr, f)
	case *parser.SubqueryExpr:
		c.walk(e.Expr, f)
	case *parser.StepInvariantExpr:
		c.walk(e.Expr, f)
	}
}

// made notes a label that an expression gives to its series.
func (c *check) made(name parser.Expr) {
	if s, ok := name.(*parser.StringLiteral); ok {
		if c.labels == nil {
			c.labels = map[string]bool{}
		}
		c.labels[s.Val] = true
	}
}

// folds are the aggregations that make one of what replicas publish alike.
var folds = []parser.ItemType{parser.MAX, parser.MIN, parser.GROUP}

func (c *check) selector(s *parser.VectorSelector, f frame) {
	c.selectors++
	fam, ok := c.all[s.Name]
	if !ok {
		c.say("there is no metric %s", s.Name)
		return
	}
	if c.labels == nil {
		c.labels = map[string]bool{}
	}
	for _, l := range fam.labels {
		c.labels[l] = true
	}
	cluster := false
	for _, m := range s.LabelMatchers {
		if m.Name != "__name__" && !slices.Contains(fam.labels, m.Name) {
			c.say("%s has no label %s", s.Name, m.Name)
		}
		cluster = cluster || m.Name == "kafka_cluster"
	}
	ofCluster := slices.Contains(fam.labels, "kafka_cluster")
	if ofCluster && !cluster && !(c.variable && s.Name == "lagwatch_up") {
		c.say("%s is of all clusters, not of those that are chosen", s.Name)
	}
	if c.variable {
		return
	}
	counts := slices.Contains([]string{"rate", "increase", "irate"}, f.call)
	switch {
	case fam.counter && !counts && f.call != "absent":
		c.say("%s is a counter, and not under rate or increase", s.Name)
	case !fam.counter && counts:
		c.say("%s is a gauge, and under %s", s.Name, f.call)
	}
	if f.ignored || !ofCluster || f.call == "absent" {
		return
	}
	if !f.isFold || !slices.Contains(folds, f.fold) {
		c.say("%s is not under max, min or group: replicas would be added up or shown twice", s.Name)
	}
	for _, l := range f.by {
		if !slices.Contains(fam.labels, l) {
			c.say("%s has no label %s to fold by", s.Name, l)
		}
	}
}

// The checks above see what they are for.
func TestQueryChecks(t *testing.T) {
	all := families(t)
	for _, tt := range []struct{ name, expr, legend, says string }{
		{"fine", `max by (group) (lagwatch_group_lag{kafka_cluster="$cluster"})`, "{{group}}", ""},
		{"sum of maxima", `sum by (group) (max by (group, topic) (lagwatch_group_topic_lag{kafka_cluster="$cluster"}))`, "", ""},
		{"rate", `max by (group) (rate(lagwatch_group_rewinds_total{kafka_cluster="$cluster"}[$__rate_interval]))`, "", ""},
		{"no such metric", `max(lagwatch_group_lags{kafka_cluster="$cluster"})`, "", "no metric"},
		{"no such label", `max(lagwatch_group_lag{kafka_cluster="$cluster", topic="a"})`, "", "no label topic"},
		{"no such label to fold by", `max by (topic) (lagwatch_group_lag{kafka_cluster="$cluster"})`, "", "no label topic"},
		{"legend", `max by (group) (lagwatch_group_lag{kafka_cluster="$cluster"})`, "{{topic}}", "label topic"},
		{"no cluster", `max(lagwatch_group_lag)`, "", "all clusters"},
		{"bare sum", `sum(lagwatch_group_lag{kafka_cluster="$cluster"})`, "", "not under max"},
		{"bare series", `lagwatch_group_lag{kafka_cluster="$cluster"}`, "", "not under max"},
		{"bare counter", `max(lagwatch_group_rewinds_total{kafka_cluster="$cluster"})`, "", "is a counter"},
		{"rate of a gauge", `max(rate(lagwatch_group_lag{kafka_cluster="$cluster"}[1m]))`, "", "is a gauge"},
		{"syntax", `max(`, "", "parse error"},
		{"unknown variable", `max(lagwatch_group_lag{kafka_cluster="$clusters", group="$grp"})`, "", "variable"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := strings.Join(problems(asked{"x", tt.expr, tt.legend}, all), "\n")
			if (tt.says == "") != (found == "") || !strings.Contains(found, tt.says) {
				t.Errorf("found %q, want %q", found, tt.says)
			}
		})
	}
}

// Counters are read over $__rate_interval, which is never shorter than four
// scrapes, or over all that is shown; or over an hour, where the title says so.
func TestRanges(t *testing.T) {
	ranges := regexp.MustCompile(`(?:rate|increase)\([^\[]*\[([^\]]+)\]`)
	for _, b := range boards(t) {
		for _, q := range b.everyQuery(t) {
			for _, m := range ranges.FindAllStringSubmatch(q.expr, -1) {
				hour := m[1] == "1h" && strings.Contains(q.where, "per hour")
				if m[1] != "$__rate_interval" && m[1] != "$__range" && !hour {
					t.Errorf("%s: a range of %s", q.where, m[1])
				}
			}
		}
	}
}

// A panel that needs a family which lagwatch does not publish by default says so,
// also where it is empty.
func TestOptionalFamiliesAreTold(t *testing.T) {
	all := families(t)
	for _, b := range boards(t) {
		for _, p := range b.everyPanel() {
			for _, q := range p.Targets {
				for name, f := range all {
					if f.optional && regexp.MustCompile(`\b`+name+`\b`).MatchString(q.Expr) &&
						(!strings.Contains(p.Description, name) || !strings.Contains(*p.FieldConfig.Defaults.NoValue, name)) {
						t.Errorf("%s: %s needs %s, which is published only if included, and does not say so", b.UID, p.Title, name)
					}
				}
			}
		}
	}
}
