package page

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// LabelValue makes a valid label value of any string that Kafka may send, in a
// way that never makes one of two. A byte that is not UTF-8 is written as \xNN
// with small hexadecimal digits; a backslash that would look like the start of
// that is itself written as \x5c. Every other string stays as it is.
func LabelValue(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, `\x`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || looksEscaped(s[i:]) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			i++
			continue
		}
		b.WriteString(s[i : i+size])
		i += size
	}
	return b.String()
}

// looksEscaped tells whether s begins as an escaped byte does.
func looksEscaped(s string) bool {
	return len(s) >= 4 && s[0] == '\\' && s[1] == 'x' && isHex(s[2]) && isHex(s[3])
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
