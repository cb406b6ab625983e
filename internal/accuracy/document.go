package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/lagwatch/lagwatch/internal/simulate"
)

// What is between these lines of a document is written by the command, the rest by
// people.
const (
	begin = "<!-- Written by `make accuracy`: begin -->"
	end   = "<!-- Written by `make accuracy`: end -->"
)

// how says what is measured and how.
//
//go:embed how.md
var how string

// depicted are the runs that a document shows, with the partition.
var depicted = []struct {
	run       run
	partition int32
}{
	{run{"worked-example", 1}, 0},
	{run{"catch-up-60s", 3}, 0},
	{run{"stuck-record", 3}, 0},
	{run{"hourly-burst", 1}, 0},
	{run{"wave", 1}, 0},
	{run{"restart", 1}, 0},
}

// written is what people wrote before and after the markers of a document.
func written(path string) (before, after string, err error) {
	old, err := os.ReadFile(path)
	if err != nil {
		return "", "", fmt.Errorf("%w; run it where lagwatch's source is, or name another file", err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", "", fmt.Errorf("%s lacks the lines that the tables go between; put them back: %s and %s", path, begin, end)
	}
	return before, after, nil
}

// writeDocument puts what was measured between the markers of a document, and the
// pictures that it shows into a folder of its name.
func writeDocument(path string, r report) error {
	before, after, err := written(path)
	if err != nil {
		return err
	}
	pictures, err := depict(path)
	if err != nil {
		return err
	}
	text := how + r.String() + "\n" + pictures
	return os.WriteFile(path, []byte(before+begin+"\n\n"+text+"\n"+end+after), 0o644)
}

// depict draws the runs that a document shows, and returns the text that shows them.
func depict(document string) (string, error) {
	folder := strings.TrimSuffix(document, filepath.Ext(document))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, d := range depicted {
		s, ok := simulate.Find(d.run.scenario)
		if !ok {
			return "", fmt.Errorf("there is no scenario %q to draw", d.run.scenario)
		}
		title := fmt.Sprintf("%s, seed %d: %s", s.Name, d.run.seed, s.About)
		made := s.Make(d.run.seed)
		list := estimates(made.Trace, brokerOf(made))
		of := pair{simulate.Group, place{simulate.Topic, d.partition}}
		file := filepath.Join(folder, s.Name+".svg")
		if err := os.WriteFile(file, []byte(svg(pictureOf(title, made.Trace, list[of]))), 0o644); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "![%s](%s/%s.svg)\n\n", title, filepath.Base(folder), s.Name)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
