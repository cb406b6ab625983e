package diagnosis

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote makes one word of a POSIX shell of s, whatever is in it. What cannot be shown
// is written as octal numbers, so that pasting it does nothing to a terminal.
func quote(s string) string {
	if s != "" && strings.IndexFunc(s, special) < 0 {
		return s
	}
	if strings.IndexFunc(s, unprintable) < 0 {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	// A substitution loses newlines at its end.
	text := strings.TrimRight(s, "\n")
	ends := s[len(text):]
	var b strings.Builder
	if text != "" {
		b.WriteString(`"$(printf '`)
		escape(&b, text)
		b.WriteString(`')"`)
	}
	if ends != "" {
		b.WriteString("'" + ends + "'")
	}
	return b.String()
}

// special tells whether a rune means something to some shell.
func special(r rune) bool {
	return !(r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:@%+,", r)))
}

// unprintable tells whether a rune may do more to a terminal than be shown.
func unprintable(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// escape writes s as a format of printf.
func escape(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '-' && i == 0: // printf takes it for an option
			b.WriteString(`\055`)
		case r == '\'':
			b.WriteString(`'\''`)
		case r == '%':
			b.WriteString("%%")
		case r == '\\':
			b.WriteString(`\\`)
		case unprintable(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(b, `\%03o`, c)
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
}

// option is an option with its value, which may begin with a dash.
func option(name, value string) string {
	if strings.HasPrefix(value, "-") {
		return name + "=" + quote(value)
	}
	return name + " " + quote(value)
}
