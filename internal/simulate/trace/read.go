package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// longest is how long a line may be: a poll of some hundred thousand positions.
const longest = 64 << 20

// Read reads what Write wrote, or what somebody else did who follows docs/traces.md.
// It is strict: what is unknown, missing, twice, or out of order is an error, which
// begins with the name of the trace and the line.
func Read(r io.Reader, name string) (Trace, error) {
	var t Trace
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longest)
	check := checker{}
	n := 0
	for lines.Scan() {
		n++
		if err := t.line(n, lines.Bytes(), &check); err != nil {
			return Trace{}, fmt.Errorf("%s:%d: %s", name, n, oneLine(err))
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return Trace{}, fmt.Errorf("%s:%d: the line is longer than %d MiB", name, n+1, longest>>20)
	} else if err != nil {
		return Trace{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(t.Polls) == 0 {
		return Trace{}, fmt.Errorf("%s:%d: there is no poll; a trace is a header line and a line for each poll", name, n+1)
	}
	return t, nil
}

func (t *Trace) line(n int, text []byte, check *checker) error {
	if n == 1 {
		return t.first(text)
	}
	var l pollLine
	if err := strict(text, &l); err != nil {
		return err
	}
	p, err := l.poll()
	if err != nil {
		return err
	}
	t.Polls = append(t.Polls, p)
	return check.poll(p)
}

// first reads the header. A line that does not name the format is none.
func (t *Trace) first(text []byte) error {
	if err := keys(text); err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	var named struct {
		Format *json.RawMessage `json:"format"`
	}
	if json.Unmarshal(text, &named) != nil || named.Format == nil {
		return fmt.Errorf(`there is no header; the first line has to be {"format":%q,"version":%d,"times":%q,"offsets":%q,"interval":…}`, format, version, times, offsets)
	}
	var first firstLine
	if err := strict(text, &first); err != nil {
		return fmt.Errorf("the header: %w", err)
	}
	t.Header = first.Header
	return first.check()
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
