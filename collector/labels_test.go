package collector

import (
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/lagwatch/lagwatch/internal/snapshot"
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
		if got := labelValue(c.raw); got != c.want {
			t.Errorf("%s: labelValue(%q) = %q, want %q", c.name, c.raw, got, c.want)
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
		x, y := labelValue(a), labelValue(b)
		if !utf8.ValidString(x) {
			t.Errorf("labelValue(%q) = %q is not UTF-8", a, x)
		}
		if got := decodeLabel(x); got != a {
			t.Errorf("labelValue(%q) = %q reads back as %q", a, x, got)
		}
		if (x == y) != (a == b) {
			t.Errorf("%q and %q become %q and %q", a, b, x, y)
		}
		if utf8.ValidString(a) && decodeLabel(a) == a && x != a {
			t.Errorf("%q needs no change and became %q", a, x)
		}
	})
}

// Kafka puts no limit on the names of groups and clients: a page with the worst
// of them can be read by Prometheus, and no two become one.
func TestStrangeNames(t *testing.T) {
	var all []part
	names := map[string]bool{}
	for _, c := range labelCases {
		for _, name := range []string{c.raw, c.want} {
			if names[name] {
				continue
			}
			names[name] = true
			m := snapshot.Member{ID: "m", ClientID: name, Host: name, Assignment: []snapshot.TopicPartitions{owns(name, 0)}}
			all = append(all, logOf(name, 1, ends(0, 10)), groupOf(name, members(m), commits(on(name, 4))))
		}
	}
	families := parse(t, pageOf(t, newStory().poll(0, all...)))
	for _, family := range []string{"lagwatch_group_partition_lag", "lagwatch_group_partition_owner", "lagwatch_group_lag", "lagwatch_partition_end_offset"} {
		seen := map[string]bool{}
		for _, m := range families[family].GetMetric() {
			series := ""
			for _, l := range m.Label {
				series += "\x00" + l.GetName() + "\x00" + l.GetValue()
			}
			seen[series] = true
		}
		if len(seen) != len(names) {
			t.Errorf("%s: %d series of %d names", family, len(seen), len(names))
		}
	}
	back := map[string]bool{}
	for _, m := range families["lagwatch_group_lag"].GetMetric() {
		for _, l := range m.Label {
			if l.GetName() == "group" {
				back[decodeLabel(l.GetValue())] = true
			}
		}
	}
	for name := range names {
		if !back[name] {
			t.Errorf("group %q cannot be found on the page", name)
		}
	}
}
