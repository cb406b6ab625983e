package promtest

import (
	"encoding/json"
	"strings"
)

// LogLine is one line of the log of a Prometheus, or an Alertmanager.
type LogLine struct {
	Level     string `json:"level"` // debug, info, warn or error; empty where the line has none
	Component string `json:"component"`
	Message   string `json:"msg"`
	Address   string `json:"address"`
	Text      string `json:"-"` // the whole line
}

// Log is every whole line that was logged so far, down to level debug.
func (p *program) Log() []LogLine {
	written := p.output.String()
	return parseLog(written[:strings.LastIndexByte(written, '\n')+1])
}

// parseLog reads whole lines. One that is not JSON, such as a stack trace's,
// has its text only.
func parseLog(written string) []LogLine {
	var lines []LogLine
	for text := range strings.Lines(written) {
		var l LogLine
		if json.Unmarshal([]byte(text), &l) != nil {
			l = LogLine{}
		}
		l.Level = strings.ToLower(l.Level) // Prometheus 3 writes WARN
		l.Text = strings.TrimSuffix(text, "\n")
		lines = append(lines, l)
	}
	return lines
}
