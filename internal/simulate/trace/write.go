package trace

import (
	"bufio"
	"encoding/json"
	"io"
)

// What the first line says of the format.
const (
	format  = "lagwatch-trace"
	version = 1
	times   = "seconds"
	offsets = "positions"
)

// firstLine is the header with the units.
type firstLine struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Times   string `json:"times"`
	Offsets string `json:"offsets"`
	Header
}

// Write writes a trace as JSON Lines.
func Write(w io.Writer, t Trace) error {
	buffered := bufio.NewWriter(w)
	lines := json.NewEncoder(buffered)
	if err := lines.Encode(firstLine{format, version, times, offsets, t.Header}); err != nil {
		return err
	}
	for _, p := range t.Polls {
		if err := lines.Encode(p); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
