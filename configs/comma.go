package configs

import (
	"fmt"
	"regexp"
	"strings"
)

// checkCommas refuses a valid pattern with a comma that stands for itself. Who
// writes one means two patterns, as brokers may be written, and would get one
// that matches no usual name.
func checkCommas(pattern string) error {
	parts := splitBare(pattern)
	if len(parts) == 1 {
		return nil
	}
	return fmt.Errorf("%s is one pattern, with a comma in it; write %s for several, or [,] for a comma",
		quote(pattern), alternatives(parts))
}

// commaOrCover finds commas, and before them whatever may cover some: quoted
// text, an escape, a class, a count.
var commaOrCover = regexp.MustCompile(`(?s),|\\Q.*?\\E|\\.|\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\{[0-9]+,[0-9]*\}`)

// splitBare cuts a valid pattern at commas outside of escapes, [] and counts. In
// RE2 other braces, such as a shell's {eu,us}, stand for themselves.
func splitBare(pattern string) []string {
	var parts []string
	begin := 0
	for _, at := range commaOrCover.FindAllStringIndex(pattern, -1) {
		if pattern[at[0]:at[1]] == "," {
			parts = append(parts, pattern[begin:at[0]])
			begin = at[1]
		}
	}
	return append(parts, pattern[begin:])
}

// alternatives writes parts as the one pattern that was meant, where that is
// one and short enough to be copied.
func alternatives(parts []string) string {
	var names []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			names = append(names, part)
		}
	}
	out := strings.Join(names, "|")
	if _, err := wholePattern(out); err != nil || len(names) < 2 || len(out) > maxQuoted {
		return "a|b"
	}
	return plain(out)
}
