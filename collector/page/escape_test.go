package page

import (
	"strconv"
	"testing"
	"unicode/utf8"
)

var labelCases = []struct{ name, raw, want string }{
	{"ordinary", "orders-v2.dlq_1", "orders-v2.dlq_1"},
	{"empty", "", ""},
	{"quotes, newline, tab", "a\"b'c\n\td", "a\"b'c\n\td"},
	{"a backslash", `C:\temp`, `C:\temp`},
	{"two backslashes", `a\\b`, `a\\b`},
	{"emoji and letters of other scripts", "заказы-🦀", "заказы-🦀"},
	{"NUL", "a\x00b", "a\x00b"},
	{"the replacement character itself", "a\ufffdb", "a\ufffdb"},
	{"a byte that is not UTF-8", "a\xffb", `a\xffb`},
	{"nothing but such bytes", "\xc3\x28\xa0", `\xc3(\xa0`},
	{"a character cut short", "ab\xf0\x9f\xa6", `ab\xf0\x9f\xa6`},
	{"an encoded surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
	{"what looks escaped", `a\xffb`, `a\x5cxffb`},
	{"looks escaped, large digits", `a\xFFb`, `a\xFFb`},
	{"looks escaped, cut short", `a\xf`, `a\xf`},
	{"backslash before such a byte", "\\\xff", `\\xff`},
	{"two backslashes that look escaped", `\\xff`, `\\x5cxff`},
	{"half an escape before such a byte", "\\x\xff", `\x\xff`},
	{"an escaped backslash", `\x5cxff`, `\x5cx5cxff`},
}

func TestLabelValue(t *testing.T) {
	for _, c := range labelCases {
		if got := LabelValue(c.raw); got != c.want {
			t.Errorf("%s: LabelValue(%q) = %q, want %q", c.name, c.raw, got, c.want)
		}
		if got := decodeLabel(c.want); got != c.raw {
			t.Errorf("%s: %q reads back as %q", c.name, c.want, got)
		}
	}
}

// decodeLabel reads a label value back: every \xNN is the byte NN.
func decodeLabel(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if looksEscaped(s[i:]) {
			n, _ := strconv.ParseUint(s[i+2:i+4], 16, 8)
			out = append(out, byte(n))
			i += 3
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// Two names must never become one label value: the page would have a duplicate,
// and the scrape fail. What reads back is one of one.
func FuzzLabelValue(f *testing.F) {
	for _, c := range labelCases {
		f.Add(c.raw, c.want)
	}
	f.Add("a\xff", "a\\\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := LabelValue(a), LabelValue(b)
		if !utf8.ValidString(x) {
			t.Errorf("LabelValue(%q) = %q is not UTF-8", a, x)
		}
		if got := decodeLabel(x); got != a {
			t.Errorf("LabelValue(%q) = %q reads back as %q", a, x, got)
		}
		if (x == y) != (a == b) {
			t.Errorf("%q and %q become %q and %q", a, b, x, y)
		}
		if utf8.ValidString(a) && decodeLabel(a) == a && x != a {
			t.Errorf("%q needs no change and became %q", a, x)
		}
	})
}
