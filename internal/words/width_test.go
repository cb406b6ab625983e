package words

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"
)

// Columns are those of a terminal. A letter was one column, so names of wide letters
// shifted all that stood behind them.
func TestTable(t *testing.T) {
	var b strings.Builder
	w := NewTable(&b)
	fmt.Fprint(w, "GROUP\tLAG\tWHY\n日本語\t7\tno consumers\nge\u0301ne\t12\t\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "GROUP   LAG  WHY\n日本語  7    no consumers\nge\u0301ne    12   \n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Where every letter is one column, a table is that of text/tabwriter.
func TestTableIsThatOfTabwriter(t *testing.T) {
	for _, text := range []string{"", "a\n", "a\tb\n", "aaa\t\tb\nc\t\td\n", "a\tbb\tc\nddd\te\tf", "\t\t\n"} {
		var got, want strings.Builder
		ours, theirs := NewTable(&got), tabwriter.NewWriter(&want, 0, 0, 2, ' ', 0)
		fmt.Fprint(ours, text)
		fmt.Fprint(theirs, text)
		if err := ours.Flush(); err != nil {
			t.Fatal(err)
		}
		theirs.Flush()
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Errorf("%q (-tabwriter +ours):\n%s", text, d)
		}
	}
}
