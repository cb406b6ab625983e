package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/screen"
	"github.com/lagwatch/lagwatch/internal/words"
)

// bare is a text without what makes it bold.
func bare(text string) string {
	return strings.NewReplacer("\x1b[1m", "", "\x1b[m", "").Replace(text)
}

func small() screen.Screen {
	s := screen.Screen{Head: "GROUPS\n"}
	for _, id := range []string{"a", "b", "c"} {
		s.Groups = append(s.Groups, screen.Group{ID: id, Row: id + "\n", Title: id + "1\n", Reasons: id + "2\n", Partitions: id + "3\n" + id + "4\n"})
	}
	return s
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		name          string
		turn          int
		width, height int
		want          string
	}{
		{"room for all", 0, 80, 24, "HEAD\nGROUPS\na\nb\nc\n\na1\na2\na3\na4\n\nb1\nb2\nb3\nb4\n\nc1\nc2\nc3\nc4"},
		{"first turn", 0, 80, 15, "HEAD\n  GROUPS\n▸ a\n▸ b\n  c\n▸ in detail below, the others in turn\na1\na2\na3\na4\n\nb1\nb2\nb3\nb4"},
		{"second turn", 1, 80, 15, "HEAD\n  GROUPS\n  a\n  b\n▸ c\n▸ in detail below, the others in turn\nc1\nc2\nc3\nc4"},
		{"third turn is the first again", 2, 80, 15, "HEAD\n  GROUPS\n▸ a\n▸ b\n  c\n▸ in detail below, the others in turn\na1\na2\na3\na4\n\nb1\nb2\nb3\nb4"},
		{"the end of the table", 4, 80, 8, "HEAD\n  GROUPS\n  b\n▸ c\n2–3 of 3 groups; ▸ in detail below, the others in turn\nc1\nc2\nc3"},
		{"details in two turns", 0, 80, 8, "HEAD\n  GROUPS\n▸ a\n  b\n1–2 of 3 groups; ▸ in detail below, the others in turn\na1\na2\na3"},
		{"the other half", 1, 80, 8, "HEAD\n  GROUPS\n▸ a\n  b\n1–2 of 3 groups; ▸ in detail below, the others in turn\na1 (continued)\na3\na4"},
		{"narrow", 0, 3, 4, "HE…\n  …\n▸ a\n1–…"},
		{"no room", 0, 80, 1, "HEAD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, turns := "", turns{}
			for range tt.turn*turnLasts + 1 {
				got = bare(turns.fit("HEAD\n", small(), tt.width, tt.height))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// In any terminal each group and each line of its details has its turn, also while groups
// change places. At 80 columns and 24 lines there were no details at all, and the last
// groups were never shown.
func TestEverythingHasItsTurn(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {160, 50}, {60, 16}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(size[1])))
			s, left := screen.Screen{Head: "GROUP\n"}, map[string]bool{}
			for i := range 23 {
				g := screen.Group{ID: fmt.Sprint("g", i), Row: fmt.Sprintf("g%d-row\n", i), Title: fmt.Sprintf("g%d-title\n", i)}
				for n := range r.IntN(8) {
					g.Reasons += fmt.Sprintf("g%d-reason-%d\n", i, n)
				}
				for n := range r.IntN(12) {
					g.Partitions += fmt.Sprintf("g%d-partition-%d\n", i, n)
				}
				s.Groups = append(s.Groups, g)
				for line := range strings.Lines(g.Row + g.Details()) {
					left[strings.TrimSpace(line)] = true
				}
			}
			var turns turns
			frames := 0
			for ; len(left) > 0 && frames < 60*turnLasts; frames++ {
				text := bare(turns.fit(strings.Repeat("heading\n", 4), s, size[0], size[1]))
				lines := strings.Split(text, "\n")
				if len(lines) > size[1] {
					t.Fatalf("%d lines", len(lines))
				}
				for _, line := range lines {
					if words.Width(line) > size[0] {
						t.Errorf("%d columns: %s", words.Width(line), line)
					}
					delete(left, strings.TrimPrefix(strings.TrimPrefix(line, "▸ "), "  "))
				}
				if i := r.IntN(22); true { // a lag grew
					s.Groups[i], s.Groups[i+1] = s.Groups[i+1], s.Groups[i]
				}
			}
			if len(left) > 0 {
				t.Errorf("%d lines never had their turn: %v", len(left), left)
			}
			t.Logf("after %d turns all was shown", frames/turnLasts+1)
		})
	}
}
