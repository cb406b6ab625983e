package configs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func TestLoadRefusesFiles(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "missing, by flag",
			in:   sources{flags: []string{"--config=nope.yaml"}},
			want: "flag --config: nope.yaml: cannot be read: no such file or directory; name one that can be",
		},
		{
			name: "missing, by environment, with a strange name",
			in:   sources{env: []string{"LAGWATCH_CONFIG=no\npe.yaml"}},
			want: `env LAGWATCH_CONFIG: "no\npe.yaml": cannot be read: no such file or directory; name one that can be`,
		},
		{
			name: "directory",
			in:   sources{flags: []string{"--config=."}},
			want: "flag --config: .: cannot be read: is a directory; name one that can be",
		},
		{
			name: "only a comment",
			in:   sources{yaml: "# nothing\n"},
			want: "lagwatch.yaml: is empty; name clusters in it, or leave the file out",
		},
		{
			name: "null",
			in:   sources{yaml: "---\n"},
			want: "lagwatch.yaml: is empty; name clusters in it, or leave the file out",
		},
		{
			name: "list",
			in:   sources{yaml: "- a:9092\n"},
			want: "lagwatch.yaml: is a list, not a mapping; write keys like clusters:",
		},
		{
			name: "text",
			in:   sources{yaml: "a:9092\n"},
			want: "lagwatch.yaml: is a string, not a mapping; write keys like clusters:",
		},
		{
			name: "tab",
			in:   sources{yaml: "log:\n\tlevel: info\n"},
			want: "lagwatch.yaml: line 2 is indented with a tab; use spaces",
		},
		{
			name: "syntax",
			in:   sources{yaml: "listen: [a\nlog: b\n"},
			want: "lagwatch.yaml: is not YAML (line 1: did not find expected ',' or ']'); correct that place",
		},
		{
			name: "several documents",
			in:   sources{yaml: "listen: ':1'\n---\nlisten: ':2'\n"},
			want: "lagwatch.yaml: has several YAML documents; keep one and remove the --- lines",
		},
		{
			name: "an anchor in itself",
			in:   sources{yaml: "clusters: &a [*a]\n"},
			want: "lagwatch.yaml: is not sound YAML (anchor 'a' value contains itself); correct that place",
		},
		{
			name: "a merge of itself",
			in:   sources{yaml: "log: &a {<<: *a}\n"},
			want: "lagwatch.yaml: is not sound YAML (anchor 'a' value contains itself); correct that place",
		},
		{
			name: "large",
			in:   sources{yaml: strings.Repeat("#", 1<<20) + "\n"},
			want: "lagwatch.yaml: is larger than 1 MiB; name a lagwatch config file",
		},
	})
}

func TestLoadRefusesAnEmptyFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lagwatch.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Options{File: "lagwatch.yaml"})
	if err == nil || err.Error() != "lagwatch.yaml: is empty; name clusters in it, or leave the file out" {
		t.Errorf("got %v", err)
	}
}

func TestLoadWrapsFileErrors(t *testing.T) {
	if _, err := Load(Options{File: "nope.yaml"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want one that is fs.ErrNotExist", err)
	}
}
