package words

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// cells counts columns as terminals do outside of East Asia, whatever LANG says here:
// what one reader pastes is what another gets.
var cells = &runewidth.Condition{StrictEmojiNeutral: true}

// Width is how many columns of a terminal a line takes: two for a letter of Chinese,
// Japanese or Korean, none for an accent that stands by itself.
func Width(line string) int { return cells.StringWidth(line) }

// Table lays out lines whose cells are parted by tabs, two spaces between columns; the
// last cell of a line is no column. It takes columns of a terminal, where text/tabwriter
// takes runes.
type Table struct {
	to   io.Writer
	text strings.Builder
}

// NewTable returns a table that Flush writes to w.
func NewTable(w io.Writer) *Table { return &Table{to: w} }

// Write implements [io.Writer]; it returns no error.
func (t *Table) Write(p []byte) (int, error) { return t.text.Write(p) }

// Flush writes the lines so far.
func (t *Table) Flush() error {
	var rows [][]string
	var widths []int
	for line := range strings.Lines(t.text.String()) {
		row := strings.Split(line, "\t")
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell)+2)
		}
		rows = append(rows, row)
	}
	t.text.Reset()
	var b strings.Builder
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-Width(cell)))
		}
		b.WriteString(row[last])
	}
	_, err := io.WriteString(t.to, b.String())
	return err
}
