package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lagwatch/lagwatch/internal/words"
)

// leastSentence is how many columns of a sentence are worth showing.
const leastSentence = 16

// layOut makes the lines of the table of groups, its head first.
func layOut(list []entry, width int) []string {
	heads := []string{"GROUP", "STATE", "MEMBERS", "LAG", "AGE", "CATCHES UP IN", "WHY"}
	var rows [][]string
	longest := len("WHY")
	for _, e := range list {
		name := ""
		if e.finding != nil {
			name = e.finding.Condition.String()
			longest = max(longest, len(name))
		}
		rows = append(rows, append(slices.Clone(e.cells), name))
	}
	lines := table(heads, rows, []string{"MEMBERS", "STATE", "AGE", "CATCHES UP IN"}, width)
	if over := widest(lines) - width; over > 0 {
		cutNames(rows, over)
		lines = table(heads, rows, []string{"MEMBERS", "STATE", "AGE", "CATCHES UP IN"}, width)
	}
	room := width - words.Width(lines[0]) + len("WHY") - longest
	for i := range lines {
		text := ""
		switch {
		case i == 0:
		case list[i-1].finding == nil:
			text = list[i-1].remark
		case room >= leastSentence:
			text = ": " + oneLine(list[i-1].finding.Sentence)
		}
		lines[i] = words.Cut(strings.TrimRight(lines[i]+text, " "), width) + "\n"
	}
	return lines
}

// cutNames shortens the first cells, so that the longest is by so many columns shorter.
func cutNames(rows [][]string, by int) {
	most := 0
	for _, row := range rows {
		most = max(most, words.Width(row[0]))
	}
	for _, row := range rows {
		row[0] = words.Cut(row[0], max(4, most-by))
	}
}

// table lays out rows under their heads. While they are wider than width, a column is
// left out, the first of spare first; they may be wider still.
func table(heads []string, rows [][]string, spare []string, width int) []string {
	var b strings.Builder
	w := words.NewTable(&b)
	for _, row := range slices.Concat([][]string{heads}, rows) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush() // b takes all
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if widest(lines) <= width || len(spare) == 0 {
		return lines
	}
	i := slices.Index(heads, spare[0])
	without := func(row []string) []string { return slices.Concat(row[:i], row[i+1:]) }
	var left [][]string
	for _, row := range rows {
		left = append(left, without(row))
	}
	return table(without(heads), left, spare[1:], width)
}

func widest(lines []string) int {
	most := 0
	for _, line := range lines {
		most = max(most, words.Width(line))
	}
	return most
}
