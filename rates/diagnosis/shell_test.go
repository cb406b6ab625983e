package diagnosis

import (
	"os/exec"
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"orders":      "orders",
		"a.b-c_d:1/2": "a.b-c_d:1/2",
		"":            "''",
		"two words":   "'two words'",
		"it's":        `'it'\''s'`,
		"$(reboot)":   "'$(reboot)'",
		"a;b":         "'a;b'",
		"grün":        "'grün'",
		"a\x1b[31mb":  `"$(printf 'a\033[31mb')"`,
		"50%\t\\n":    `"$(printf '50%%\011\\n')"`,
		"a\n":         `"$(printf 'a')"'` + "\n'",
		"\u202eabc":   `"$(printf '\342\200\256abc')"`,
	} {
		if got := quote(s); got != want {
			t.Errorf("%q is quoted %s, want %s", s, got, want)
		}
	}
}

// What a shell makes of it is what it was.
func FuzzQuote(f *testing.F) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		f.Skip("no shell to ask: " + err.Error())
	}
	for _, s := range []string{"", "a", "it's", "a\nb\n\n", "\n", "%s%d\\0\\c", "\x01\x7f\xff\u00ff9", "!$`\"\\", "-n", "\u202e", "~/x", "a=b", "#", "*", "é\x1b9", "-\x88"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			return // no argument can have it
		}
		out, err := exec.Command(sh, "-c", "printf '%s.' "+quote(s)).Output()
		if err != nil || string(out) != s+"." {
			t.Errorf("%q becomes %q by %s (%v)", s, out, quote(s), err)
		}
	})
}

// A name that looks like an option is none.
func TestOption(t *testing.T) {
	for _, tt := range [][2]string{{"g", "--group g"}, {"-g h", "--group='-g h'"}, {"", "--group ''"}} {
		if got := option("--group", tt[0]); got != tt[1] {
			t.Errorf("%q is given as %s, want %s", tt[0], got, tt[1])
		}
	}
}

// A number of thousands was written with a comma in a line to paste: partition 1234
// became orders:1,234, and so the command reset partitions 1 and 234.
func TestPastedPartitions(t *testing.T) {
	limits, pasted := Defaults(), 0
	for _, v := range views {
		if v.of != StalledPartition || v.want != Holds {
			continue
		}
		poll := v.poll
		v.poll = func(g *Group, n int) {
			if poll != nil {
				poll(g, n)
			}
			for i := range g.Partitions {
				g.Partitions[i].ID += 1234
			}
		}
		d, _ := v.watch(&Memory{}, &limits)
		for _, f := range d.Findings {
			for _, s := range f.Next {
				if strings.Contains(s.Command, ":1,2") {
					t.Errorf("%s: %s", v.name, s.Command)
				}
				if strings.Contains(s.Command, ":12") {
					pasted++
				}
			}
		}
	}
	if pasted == 0 {
		t.Error("no line names a partition")
	}
}
