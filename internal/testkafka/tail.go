package testkafka

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// How much of a log goes into an error.
const (
	tailLines = 20
	tailBytes = 16 << 10
)

// tail returns the last lines of a file, or a note why it can't.
func tail(path string) string {
	text, err := readTail(path)
	if err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	return lastLines(strings.TrimSpace(text), tailLines)
}

func readTail(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-tailBytes)
	b, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	return string(b), err
}

// lastLines returns the last n lines of text, each cut to a readable length.
func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	const width = 400
	for i, line := range lines {
		if len(line) > width {
			lines[i] = line[:width] + "…"
		}
	}
	return strings.Join(lines, "\n")
}
