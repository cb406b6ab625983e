package reasons

import (
	"fmt"
	"os"
	"strings"
)

// table is what was measured with the seeds from the first on, in Markdown.
func table(list []*tally, first uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Runs of each: %d, of the seeds %d to %d.\n\n", list[0].runs, first, first+uint64(list[0].runs)-1)
	b.WriteString("| what happens | the reason | target | runs: right | nothing | another | polls after: right | nothing | another | said after, p50 | p90 |\n")
	b.WriteString("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, t := range list {
		t.row(&b)
	}
	b.WriteString("\n| what happens | another reason was said | runs | polls | seed |\n|---|---|--:|--:|--:|\n")
	for _, t := range list {
		for _, m := range t.wrong {
			fmt.Fprintf(&b, "| %s | `%s` | %d | %d | %d |\n", t.world.name, m.condition, m.runs, m.polls, m.seed)
		}
	}
	b.WriteString("\n| | |\n|---|---|\n")
	for _, t := range list {
		fmt.Fprintf(&b, "| %s | %s |\n", t.world.name, t.world.about)
	}
	return b.String()
}

func (t *tally) row(b *strings.Builder) {
	var want []string
	for _, c := range t.world.want {
		want = append(want, "`"+c.String()+"`")
	}
	target := "met"
	if !t.met() {
		target = "**missed**"
	}
	fmt.Fprintf(b, "| %s | %s | %s |", t.world.name, strings.Join(want, " or "), target)
	writeAnswers(b, t.first, t.calm())
	writeAnswers(b, t.later, t.calm())
	fmt.Fprintf(b, " %s | %s |\n", t.took(0.5), t.took(0.9))
}

// writeAnswers writes how often each was said. Where nothing is to be said, that is
// right.
func writeAnswers(b *strings.Builder, n [answers]int, calm bool) {
	nothing := fmt.Sprint(n[none])
	if calm {
		nothing = "–"
	}
	fmt.Fprintf(b, " %d | %s | %d |", n[right], nothing, n[other])
}

func (t *tally) took(share float64) string {
	if d, ok := t.quantile(share); ok && !t.calm() {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return "–"
}

// What is between these lines of a document is written by the test, the rest by people.
const (
	begin = "<!-- Written by `make reasons`: begin -->"
	end   = "<!-- Written by `make reasons`: end -->"
)

// write puts text between the markers of a document.
func write(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s lacks the lines that the tables go between; put them back: %s and %s", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n\n"+text+"\n"+end+after), 0o644)
}
