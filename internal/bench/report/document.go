package report

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// What is between these lines of the document is written by the command, the
// rest by people.
const (
	begin = "<!-- Written by `make bench`: begin -->"
	end   = "<!-- Written by `make bench`: end -->"
)

// head is the document before anything was measured.
//
//go:embed head.md
var head string

// WriteDocument puts text between the markers of a document. One that does not
// exist yet begins with what is measured, and how.
func WriteDocument(path, text string) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(head), nil
	}
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s lacks the lines that the tables go between; put them back: %s and %s", path, begin, end)
	}
	if err := os.WriteFile(path, []byte(before+begin+"\n\n"+text+"\n"+end+after), 0o644); err != nil {
		return fmt.Errorf("%w; run it where lagwatch's source is, or name another file", err)
	}
	return nil
}
