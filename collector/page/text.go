package page

import (
	"io"
	"strconv"
	"strings"
)

// Text writes series in the text format 0.0.4, as expfmt would.
type Text struct {
	buf    []byte
	head   string // the lines before the first sample of the family, "" once written
	name   string // of the family, and what follows it in each line
	out    io.Writer
	failed error
}

// flushAt is how many bytes are collected before they are passed on, where
// they are.
const flushAt = 64 << 10

var escapeHelp = strings.NewReplacer(`\`, `\\`, "\n", `\n`)

// NewText returns one that writes to out as it goes; Flush writes the rest.
func NewText(out io.Writer) *Text { return &Text{out: out, buf: make([]byte, 0, flushAt+4<<10)} }

// Family begins a metric family; the samples that follow belong to it. One
// without samples leaves nothing on the page. kind is gauge or counter.
func (t *Text) Family(name, kind, help string) {
	t.head = "# HELP " + name + " " + escapeHelp.Replace(help) + "\n# TYPE " + name + " " + kind + "\n"
	t.name = name + "{"
}

// NoPartition is the partition of series that have none.
const NoPartition = -1

// Sample writes one sample. Its labels are those of a thing, then the partition
// if there is one, then more, which may be nil. There is at least one.
func (t *Text) Sample(of *Labels, partition int32, more *Labels, value float64) {
	b := t.buf
	if t.head != "" {
		b = append(b, t.head...)
		t.head = ""
	}
	b = append(b, t.name...)
	b = append(b, of.text...)
	if partition >= 0 {
		b = append(b, `,partition="`...)
		b = strconv.AppendInt(b, int64(partition), 10)
		b = append(b, '"')
	}
	if more != nil {
		if of.text != "" {
			b = append(b, ',')
		}
		b = append(b, more.text...)
	}
	b = append(b, '}', ' ')
	b = appendValue(b, value)
	t.buf = append(b, '\n')
	if len(t.buf) >= flushAt && t.out != nil {
		_ = t.Flush() // the last one tells
	}
}

// Flush writes what was collected, and returns the first error of all writes.
func (t *Text) Flush() error {
	if t.failed == nil {
		_, t.failed = t.out.Write(t.buf)
	}
	t.buf = t.buf[:0]
	return t.failed
}
