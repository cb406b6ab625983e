package trace

import (
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

// Writer writes a trace as JSON Lines, poll by poll.
type Writer struct{ lines *json.Encoder }

// NewWriter writes the header.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	lines := json.NewEncoder(w)
	return &Writer{lines}, lines.Encode(firstLine{format, version, times, offsets, h})
}

// Poll writes one poll, in one Write. One that read nothing says so, with empty lists.
func (w *Writer) Poll(p Poll) error {
	if p.Logs == nil {
		p.Logs = []Log{}
	}
	if p.Positions == nil {
		p.Positions = []Position{}
	}
	return w.lines.Encode(p)
}

// Write writes a whole trace.
func Write(w io.Writer, t Trace) error {
	lines, err := NewWriter(w, t.Header)
	if err != nil {
		return err
	}
	for _, p := range t.Polls {
		if err := lines.Poll(p); err != nil {
			return err
		}
	}
	return nil
}
