package diagnosis

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file instead of comparing with it")

// Each condition is said once, as in the first view of it that holds, and once more
// where it is said in another way.
func TestWords(t *testing.T) {
	var b strings.Builder
	limits := Defaults()
	for c := range Conditions {
		said := map[string]bool{}
		for _, v := range views {
			if v.of != c || v.want != Holds {
				continue
			}
			d, _ := v.watch(&Memory{}, &limits)
			for _, f := range d.Findings {
				if shape := numbers.Replace(f.Sentence); f.Condition == c && !said[shape] {
					said[shape] = true
					write(&b, v.name, &f)
				}
			}
		}
		if len(said) == 0 {
			t.Errorf("no view shows %s", c)
		}
	}
	const file = "testdata/words.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-golden +got); go test ./rates/diagnosis -run TestWords -update writes it:\n%s", diff)
	}
}

// numbers makes sentences equal that differ in numbers only.
var numbers = strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "", "6", "", "7", "", "8", "", "9", "", ",", "", ".", "", "s", "")

func write(b *strings.Builder, name string, f *Finding) {
	fmt.Fprintf(b, "## %s: %s\n%s.\n", f.Condition, name, f.Sentence)
	for _, e := range f.Evidence {
		fmt.Fprintf(b, "  %s = %s %s\n", e.Name, strconv.FormatFloat(e.Value, 'g', 6, 64), e.Unit)
	}
	if len(f.Members) > 0 {
		fmt.Fprintf(b, "  members %s\n", strings.Join(f.Members, ", "))
	}
	if len(f.Partitions) > 0 {
		fmt.Fprintf(b, "  partitions %v\n", f.Partitions)
	}
	for _, s := range f.Next {
		fmt.Fprintf(b, "  → %s\n", s.Text)
		if s.Command != "" {
			fmt.Fprintf(b, "      %s\n", s.Command)
		}
	}
	b.WriteByte('\n')
}
