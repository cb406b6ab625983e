package configs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// LAGWATCH_GROUPS_INCLUDE=a,b was one pattern, and no group was watched.
func TestLoadRefusesCommas(t *testing.T) {
	for _, tt := range []struct {
		name, pattern, remedy string // no remedy where the pattern is fine
	}{
		{name: "two names", pattern: "a,b", remedy: "a|b"},
		{name: "blanks and empty parts", pattern: ", a,  b-.* ,", remedy: "a|b-.*"},
		{name: "inside a group", pattern: "x-(a,b)", remedy: "x-(a|b)"},
		{name: "beside commas that are covered", pattern: `a{1,2},[,]`, remedy: `a{1,2}|[,]`},
		{name: "behind quoted text", pattern: `\Qa,b\E,c`, remedy: `"\\Qa,b\\E|c"`},
		{name: "braces of a shell", pattern: "payments-{eu,us}", remedy: "payments-{eu|us}"},
		{name: "only commas", pattern: ",,", remedy: "a|b"},
		{name: "one name", pattern: "a,", remedy: "a|b"},
		{name: "no pattern without its comma", pattern: "a,*", remedy: "a|b"},
		{name: "long", pattern: strings.Repeat("a", 80) + ",b", remedy: "a|b"},
		{name: "a count", pattern: "a{1,}b{2,3}"},
		{name: "a class", pattern: `[a,b][],][^],][[:alpha:],][\],]`},
		{name: "an escape", pattern: `a\,b`},
		{name: "quoted text", pattern: `\Qa,b\E|\Q,\E`},
		{name: "a bracket that opens nothing", pattern: `\[a|b\]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for where, in := range map[string]sources{
				"env LAGWATCH_GROUPS_INCLUDE":             {env: []string{"LAGWATCH_BROKERS=a:1", "LAGWATCH_GROUPS_INCLUDE=" + tt.pattern}},
				"flag --topics-exclude":                   {flags: []string{"--brokers=a:1", "--topics-exclude=" + tt.pattern}},
				"lagwatch.yaml:2: topics.include":         {yaml: "brokers: a:1\ntopics: {include: '" + tt.pattern + "'}"},
				"lagwatch.yaml:2: groups.exclude: item 1": {yaml: "brokers: a:1\ngroups: {exclude: [x, '" + tt.pattern + "']}"},
				"lagwatch.yaml:2: objectives[0].groups":   {yaml: "brokers: a:1\nobjectives: [{groups: '" + tt.pattern + "'}]"},
				"lagwatch.yaml:2: isolation[0].groups":    {yaml: "brokers: a:1\nisolation: [{groups: '" + tt.pattern + "'}]"},
			} {
				want := ""
				if tt.remedy != "" {
					separator := ": "
					if strings.HasSuffix(where, "item 1") {
						separator = " "
					}
					want = where + separator + quote(tt.pattern) + " is one pattern, with a comma in it; write " + tt.remedy + " for several, or [,] for a comma"
				}
				_, err := Load(in.options(t))
				if diff := cmp.Diff(want, text(err)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// FuzzCommas cuts patterns as a reader of one character after the other would.
func FuzzCommas(f *testing.F) {
	for _, seed := range []string{"a,b", `\Qa,\E,`, "[],],", "[^],],", "[[:^alpha:],],", "a{1,},", `\,`, `[\],],`, "{,},", `\Q\`, "[[],", `\\,`, "[[:,]", "{,{1,}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if _, err := wholePattern(pattern); err != nil {
			return
		}
		got := splitBare(pattern)
		if diff := cmp.Diff(cutSlowly(pattern), got); diff != "" {
			t.Errorf("%q: -twin +got:\n%s", pattern, diff)
		}
		if strings.Join(got, ",") != pattern {
			t.Errorf("%q fell into %q", pattern, got)
		}
		if err := checkCommas(pattern); err != nil {
			checkOneLine(t, err.Error())
		}
	})
}

func cutSlowly(pattern string) []string {
	parts, part := []string(nil), ""
	for pattern != "" {
		n := coverLength(pattern)
		if n == 0 && pattern[0] == ',' {
			parts, part, pattern = append(parts, part), "", pattern[1:]
			continue
		}
		n = max(n, 1)
		part, pattern = part+pattern[:n], pattern[n:]
	}
	return append(parts, part)
}

// coverLength is how much of a pattern its first character quotes, 0 for none.
func coverLength(p string) int {
	switch {
	case strings.HasPrefix(p, `\Q`):
		return strings.Index(p, `\E`) + 2
	case p[0] == '\\':
		return 2
	case p[0] == '{':
		return countLength(p)
	case p[0] == '[':
		return classLength(p)
	}
	return 0
}

// countLength is that of a count such as {2,3}, 0 for any other brace.
func countLength(p string) int {
	count, _, closed := strings.Cut(p[1:], "}")
	least, most, _ := strings.Cut(count, ",")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	if !closed || least == "" || !digits(least) || !digits(most) {
		return 0
	}
	return len(count) + 2
}

func classLength(p string) int {
	i := 1
	if p[i] == '^' {
		i++
	}
	for first := i; i == first || p[i] != ']'; {
		end := strings.Index(p[i:], ":]")
		switch {
		case p[i] == '\\':
			i += 2
		case strings.HasPrefix(p[i:], "[:") && end >= 0 && slices.Contains(posix, strings.Trim(p[i:i+end], "[:^")):
			i += end + 2
		default:
			i++
		}
	}
	return i + 1
}

var posix = strings.Fields("alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit")
