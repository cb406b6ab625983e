package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// pictures draws each pair of a run, as text or into files.
func (o options) pictures(w io.Writer, name string, t trace.Trace, all map[pair][]sample) error {
	for _, p := range inOrder(all) {
		title := strings.TrimPrefix(fmt.Sprintf("%s, %s on %s/%d", name, p.group, p.topic, p.partition), ", ")
		drawn := pictureOf(title, t, all[p])
		if o.draw {
			text(w, drawn)
		}
		if o.svg == "" {
			continue
		}
		file := filepath.Join(o.svg, fileName(title)+".svg")
		if err := os.WriteFile(file, []byte(svg(drawn)), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(w, "wrote", file)
	}
	return nil
}

// fileName keeps letters and digits of a title.
func fileName(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}
