package diagnosis

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The document has a heading for each condition, in order, to which alerts link, and the
// thresholds as they are.
func TestDocs(t *testing.T) {
	const file, begins, ends = "../../docs/conditions.md", " -update -->\n", "<!-- end -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := 0
	for c := range Conditions {
		i := strings.Index(text[at:], "\n## "+c.String()+"\n")
		if i < 0 {
			t.Fatalf("no heading for %s after the one before", c)
		}
		at += i
	}
	head, rest, ok := strings.Cut(text, begins)
	table, tail, closed := strings.Cut(rest, ends)
	if !ok || !closed {
		t.Fatal("no place for the table of thresholds")
	}
	want := thresholdTable()
	if *update {
		if err := os.WriteFile(file, []byte(head+begins+want+ends+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("(-want +got); -update writes it:\n%s", diff)
	}
	for _, k := range Keys() {
		if !strings.Contains(head, "`"+k.Name+"`") {
			t.Errorf("no condition says where %s counts", k.Name)
		}
	}
}

func thresholdTable() string {
	var b strings.Builder
	b.WriteString("| key | default | unit | what it is |\n|---|--:|---|---|\n")
	for _, k := range Keys() {
		fmt.Fprintf(&b, "| `%s` | %v | %s | %s |\n", k.Name, k.Default, k.Unit, k.Help)
	}
	return b.String()
}
