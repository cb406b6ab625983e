package newest

import (
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// table has the labels of each family of docs/metrics.md, which is made of the metric
// table of the main module.
func table(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(root + "/docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	families := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 6 || !strings.HasPrefix(cells[1], " `lagwatch_") {
			continue
		}
		name := strings.Trim(cells[1], " `")
		families[name] = []string{}
		for label := range strings.SplitSeq(cells[4], ",") {
			if label = strings.TrimSpace(label); label != "" {
				families[name] = append(families[name], label)
			}
		}
	}
	if len(families) < 40 {
		t.Fatalf("%d families in the table", len(families))
	}
	families["up"] = []string{"job"}
	return families
}

// expression is PromQL, and where it stands.
type expression struct{ where, text string }

// The recorded series and those of lagwatch itself are all that there is to name.
func TestRulesNameWhatThereIs(t *testing.T) {
	groups, errs := rulefmt.ParseFile(shipped, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	families := table(t)
	var list []expression
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			list = append(list, expression{r.Alert + r.Record, r.Expr})
			for name, text := range r.Annotations {
				list = append(list, queries(r.Alert+"/"+name, text)...)
			}
			if r.Record != "" {
				families[r.Record] = []string{"kafka_cluster", "group"}
				if r.Record == "lagwatch:group_objective:info" {
					families[r.Record] = append(families[r.Record], "mode", "team")
				}
			}
		}
	}
	list = append(list, pasted(t)...)
	if len(list) < 200 {
		t.Errorf("%d expressions: some are not found", len(list))
	}
	families["ALERTS"] = []string{"alertname", "alertstate", "severity", "kafka_cluster", "group"}
	for _, e := range list {
		checkNames(t, e, families)
	}
}

var asked = regexp.MustCompile("printf `([^`]*)`")

// queries are those within an annotation.
func queries(where, text string) (out []expression) {
	for _, m := range asked.FindAllStringSubmatch(text, -1) {
		out = append(out, expression{where, strings.ReplaceAll(strings.ReplaceAll(m[1], "%q", `"x"`), "%%", "%")})
	}
	return out
}

var fenced = regexp.MustCompile("(?s)```promql\n(.*?)```")

// pasted are those of the runbooks and docs/alerts.md.
func pasted(t *testing.T) (out []expression) {
	t.Helper()
	files, err := filepath.Glob(root + "/docs/runbooks/*.md")
	if err != nil || len(files) < 20 {
		t.Fatalf("%v, runbooks: %v", err, files)
	}
	for _, file := range append(files, root+"/docs/alerts.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
			out = append(out, expression{filepath.Base(file), m[1]})
		}
	}
	return out
}

// checkNames checks that an expression parses, and that what it names is there.
func checkNames(t *testing.T, e expression, families map[string][]string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(e.text)
	if err != nil {
		t.Errorf("%s: %v\n%s", e.where, err, e.text)
		return
	}
	var has []string // the labels of all that it names
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			known, there := families[v.Name]
			if !there {
				t.Errorf("%s names %s, which there is not", e.where, v.Name)
			}
			has = append(has, known...)
			for _, m := range v.LabelMatchers {
				if m.Name != labels.MetricName && !slices.Contains(known, m.Name) {
					t.Errorf("%s: %s has no label %s", e.where, v.Name, m.Name)
				}
			}
		}
		return nil
	})
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		var used []string
		switch n := n.(type) {
		case *parser.AggregateExpr:
			used = n.Grouping
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				used = slices.Concat(n.VectorMatching.MatchingLabels, n.VectorMatching.Include)
			}
		}
		for _, label := range used {
			if !slices.Contains(has, label) {
				t.Errorf("%s: nothing in it has a label %s\n%s", e.where, label, e.text)
			}
		}
		return nil
	})
}
