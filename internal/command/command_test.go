package command

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, arg string
		err       error
		code      int
		says      string
	}{
		{"all is well", "do", nil, OK, ""},
		{"it could not be done", "do", Failed(errors.New("no\n\tdisk")), Error, "prog: no disk\n"},
		{"it was called wrongly", "do", errors.New("no such size"), Usage, "prog: no such size; see 'prog do --help'\n"},
		{"a marked error within another", "do", errors.Join(Failed(errors.New("gone"))), Error, "prog: gone\n"},
		{"what was looked for is there", "do", Found(), Holds, ""},
		{"no such command", "dance", nil, Usage, "prog: unknown command \"dance\" for \"prog\"; see 'prog --help'\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := &cobra.Command{Use: "prog", SilenceErrors: true, SilenceUsage: true}
			root.AddCommand(&cobra.Command{Use: "do", RunE: func(*cobra.Command, []string) error { return tt.err }})
			var stdout, stderr strings.Builder
			if code := Run(t.Context(), root, []string{tt.arg}, &stdout, &stderr); code != tt.code || stderr.String() != tt.says || stdout.Len() > 0 {
				t.Errorf("exit status %d, want %d; on stderr %q, want %q; on stdout %q", code, tt.code, stderr.String(), tt.says, stdout.String())
			}
		})
	}
	if Failed(nil) != nil {
		t.Error("no error is a failure")
	}
}
