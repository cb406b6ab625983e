package words

import "strings"

// Wrap breaks a text between words into lines of so many columns, of which each after
// the first begins with indent. A word that is longer has a line of its own. There is no
// line of nothing.
func Wrap(text, indent string, columns int) (lines []string) {
	line, begun := "", false
	for _, word := range strings.Fields(text) {
		if begun && Width(line)+1+Width(word) > columns {
			lines, line, begun = append(lines, line), indent, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	if begun {
		lines = append(lines, line)
	}
	return lines
}

// Cut is a line of so many columns at most, 0 for no limit; "…" stands for what is left
// out.
func Cut(line string, columns int) string {
	if columns <= 0 {
		return line
	}
	return cells.Truncate(line, columns, "…")
}
