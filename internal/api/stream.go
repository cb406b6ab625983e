package api

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/klauspost/compress/gzip"
)

// long is the size, in bytes, from which an answer is compressed for a client that takes
// that: of a hundred thousand partitions it has tens of megabytes, and little patience.
const long = 16 << 10

// compressed is where an answer is written that is sent in gzip.
func (a *answer) compressed(to io.Writer) *gzip.Writer {
	a.w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // fails for other levels only
	return z
}

// stream answers with a document, to which it adds a list, a piece at a time: there may
// be ten thousand.
func stream[T any](a *answer, head any, list string, items iter.Seq[T]) {
	text, err := encode(head)
	if err != nil {
		a.json(http.StatusInternalServerError, head) // says that it cannot be written
		return
	}
	if !a.body {
		a.start("application/json", http.StatusOK)
		return
	}
	p := &pieces{a: a}
	w := bufio.NewWriterSize(p, long)
	fmt.Fprintf(w, "%s,%q:[", text[:len(text)-1], list)
	separator := ""
	for item := range items {
		text, err := encode(item)
		if err != nil {
			panic(http.ErrAbortHandler) // half an answer must not pass for a whole one
		}
		_, _ = w.WriteString(separator)
		if _, err := w.Write(text); err != nil {
			return // the reader is gone
		}
		separator = ","
	}
	_, _ = w.WriteString("]}\n")
	if w.Flush() == nil {
		p.end()
	}
}

// pieces are those of an answer with the status 200, which starts with the first one.
type pieces struct {
	a  *answer
	to io.Writer // nil before
}

// Write implements [io.Writer]. A first piece that is long is that of a long answer.
func (p *pieces) Write(b []byte) (int, error) {
	if p.to == nil {
		p.to = p.a.w
		if p.a.gzip && len(b) >= long {
			p.to = p.a.compressed(p.a.w)
		}
		p.a.start("application/json", http.StatusOK)
	}
	return p.to.Write(b)
}

func (p *pieces) end() {
	if z, ok := p.to.(*gzip.Writer); ok {
		_ = z.Close() // one who is gone knows
	}
}
