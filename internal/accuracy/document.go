package main

import (
	"fmt"
	"os"
	"strings"
)

// What is between these lines of a document is written by the command, the rest by
// people.
const (
	begin = "<!-- Written by `make accuracy`: begin -->"
	end   = "<!-- Written by `make accuracy`: end -->"
)

// writeDocument puts text between the markers of a document.
func writeDocument(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; run it where lagwatch's source is, or name another file", err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s lacks the lines that the tables go between; put them back: %s and %s", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n\n"+text+"\n"+end+after), 0o644)
}
