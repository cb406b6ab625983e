package alerts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lagwatch/lagwatch/alerts"
	"github.com/lagwatch/lagwatch/collector"
)

const runbooks = "../docs/runbooks"

// Whoever is woken finds the page of that alert, with all that it promises.
func TestRunbooks(t *testing.T) {
	files, err := filepath.Glob(runbooks + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(runbooks + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{runbooks + "/README.md"}
	for _, a := range alerts.List(alerts.Options{}) {
		file := runbooks + "/" + a.Name + ".md"
		want = append(want, file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range []string{
			"# " + a.Name + "\n", "**" + string(a.Severity) + "**", a.When, "## What it means\n", "*What it is not:*", "## Look at first\n", "```promql\n",
			"Dashboard ", "## Usual causes\n", "## What to do\n", "## When to silence it\n", "## When it comes at the wrong time\n",
		} {
			if !bytes.Contains(text, []byte(part)) {
				t.Errorf("%s lacks %q", file, part)
			}
		}
		if explains := bytes.Contains(text, []byte("lagwatch explain GROUP")); explains != slices.Contains(a.Labels, "group") {
			t.Errorf("%s: explain %v, of a group %v", file, explains, !explains)
		}
		if row := "| [" + a.Name + "](" + a.Name + ".md) | " + string(a.Severity) + " | " + a.When + " |\n"; !bytes.Contains(index, []byte(row)) {
			t.Errorf("the index lacks %q", row)
		}
	}
	slices.Sort(files)
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("runbooks that belong to no alert, or the other way round:\n%v\n%v", files, want)
	}
}

var aMetric = regexp.MustCompile(`\blagwatch_[a-z_]+\b`)

// A query that is pasted and finds nothing wastes the first minute.
func TestRunbooksNameMetrics(t *testing.T) {
	known := map[string]bool{}
	for _, m := range collector.Metrics() {
		known[m.Name] = true
	}
	files, _ := filepath.Glob(runbooks + "/*.md")
	for _, file := range append(files, "../docs/alerts.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range aMetric.FindAllString(string(text), -1) {
			if !known[name] {
				t.Errorf("%s names %s, which there is not", file, name)
			}
		}
	}
}

// The table of docs/alerts.md is that of the rules.
func TestAlertsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| [Kafka") || strings.HasPrefix(line, "| [Lagwatch") {
			rows = append(rows, line)
		}
	}
	var want []string
	for _, a := range alerts.List(alerts.Options{}) {
		after := "at once"
		if a.For > 0 {
			after = alerts.FormatDuration(a.For)
		}
		want = append(want, "| ["+a.Name+"](runbooks/"+a.Name+".md) | "+string(a.Severity)+" | "+after+" | "+a.When+" |\n")
	}
	if *update {
		t.Logf("the table:\n%s", strings.Join(want, ""))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the table is\n%s, not\n%s", strings.Join(rows, ""), strings.Join(want, ""))
	}
	for _, th := range alerts.Thresholds() {
		if !bytes.Contains(text, []byte("`"+th.Name+"`")) {
			t.Errorf("threshold %s is not told", th.Name)
		}
	}
}
