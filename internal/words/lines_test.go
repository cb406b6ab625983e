package words

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"fits", "ab cd", []string{"ab cd"}},
		{"does not", "ab cd e", []string{"ab cd", "e"}},
		{"a word too long", "a bcdefgh i", []string{"a", "bcdefgh", "i"}},
		{"counts letters, not bytes", "äö üß", []string{"äö üß"}},
		{"a wide letter is two columns", "日 語 a", []string{"日 語", "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Wrap(tt.text, "", 5)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestWrapIndents(t *testing.T) {
	want := []string{"abcde", "- b", "- cd", "- efghij", "- k"}
	if d := cmp.Diff(want, Wrap("abcde b cd efghij k", "- ", 4)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		line    string
		columns int
		want    string
	}{
		{"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"ab", 1, "…"}, {"", 1, ""}, {"ab", 0, "ab"},
		{"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, // never wider, and no half of a letter
	} {
		if got := Cut(tt.line, tt.columns); got != tt.want {
			t.Errorf("%q in %d columns is %q, want %q", tt.line, tt.columns, got, tt.want)
		}
	}
}
