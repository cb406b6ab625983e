// Package page makes Prometheus's text format (version 0.0.4) of series whose
// names stay the same from page to page, and serves it: each encoding of a page
// is made once, when somebody first asks for it, and shared by all who do.
//
// It knows nothing of Kafka, of views, or of where values come from.
package page

import (
	"sync"
	"sync/atomic"
)

// Page is a set of series at one moment, in whichever encodings were asked for.
// Safe for concurrent use.
type Page struct {
	write func(*Text)
	size  atomic.Int64 // of the text in bytes; until it was made, as expected

	plain, gzip, zstd lazy
}

// New returns a page of what write writes. It is called at most once for each
// encoding, from the goroutine that first asks for it, and must write the same
// each time. expect is about how many bytes that will be, 0 if nobody knows.
func New(expect int, write func(*Text)) *Page {
	p := &Page{write: write}
	p.size.Store(int64(expect))
	return p
}

// Size is how many bytes the page has as text; until somebody has asked for it,
// what New was told to expect.
func (p *Page) Size() int { return int(p.size.Load()) }

// lazy is one encoding, made on first use.
type lazy struct {
	once sync.Once
	part part
}

// part is the encoding of a page without its end, so that more can follow.
type part struct {
	bytes []byte
	size  int    // of the text, in bytes
	sum   uint32 // CRC-32 of the text, where the end needs it
}

func (p *Page) get(l *lazy, made func() part) part {
	l.once.Do(func() {
		l.part = made()
		p.size.Store(int64(l.part.size))
	})
	return l.part
}

// text is the page as it is. The other encodings don't need it: they are made
// of the same series without the whole text ever being in memory.
func (p *Page) text() part {
	return p.get(&p.plain, func() part {
		expect := p.Size()
		t := &Text{buf: make([]byte, 0, expect+expect/16)}
		p.write(t)
		return part{bytes: t.buf, size: len(t.buf)}
	})
}
