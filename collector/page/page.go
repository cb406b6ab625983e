// Package page makes Prometheus's text format (version 0.0.4) of series whose
// names stay the same from page to page, and serves it: each encoding of a page
// is made once, when somebody first asks for it, and shared by all who do.
//
// It knows nothing of Kafka, of views, or of where values come from.
package page

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// Page is a set of series at one moment, in whichever encodings were asked for.
// Safe for concurrent use.
type Page struct {
	write func(*Text)
	size  atomic.Int64 // of the text in bytes; until it was made, as expected

	plain, gzip, zstd lazy
	others            [nFormats][nEncodings]lazy

	users atomic.Int64
	spare *spare

	past    *past
	readers map[*reader]struct{} // by past's lock
	over    bool                 // its readers are cut off; by past's lock
}

// New returns a page of what write writes, with one user. It is called at most
// once for each encoding, from the goroutine that first asks for it, and must
// write the same each time. The text, which may be large, goes into the buffer
// of the page before if nobody uses that any more; before may be nil. From then
// on before is superseded, and its readers may be cut off; see [Handler].
func New(before *Page, write func(*Text)) *Page {
	p := &Page{write: write, spare: &spare{}, past: &past{}, readers: map[*reader]struct{}{}}
	if before != nil {
		p.spare, p.past = before.spare, before.past
		p.size.Store(before.size.Load())
		old := before.lazies()
		for i, l := range p.lazies() {
			l.expect.Store(old[i].expect.Load())
		}
	}
	p.users.Store(1)
	p.past.add(p)
	return p
}

// Use adds a user to a page that has one; each calls Done.
func (p *Page) Use() { p.users.Add(1) }

// Done tells that a user is through with the page and all its bytes.
func (p *Page) Done() {
	if p.users.Add(-1) == 0 {
		p.past.remove(p)
		p.spare.put(p.plain.part.bytes) // nothing, if nobody wanted text
	}
}

// spare is what the pages of one publisher have after one another: the text of
// one that nobody uses any more, and a compressor. Safe for concurrent use.
type spare struct {
	mu       sync.Mutex
	buf      []byte
	deflater *flate.Writer
}

// deflate returns a compressor to out, for one goroutine until it is given back.
func (s *spare) deflate(out io.Writer) *flate.Writer {
	s.mu.Lock()
	z := s.deflater
	s.deflater = nil
	s.mu.Unlock()
	if z == nil {
		return must(flate.NewWriter(out, flate.BestSpeed))
	}
	z.Reset(out)
	return z
}

func (s *spare) deflated(z *flate.Writer) {
	z.Reset(io.Discard) // lets go of the page
	s.mu.Lock()
	s.deflater = z
	s.mu.Unlock()
}

// put keeps the last text, as long as each page has one.
func (s *spare) put(buf []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = buf
}

// take returns an empty buffer for about expect bytes. One that is much larger
// is not kept.
func (s *spare) take(expect int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	buf := s.buf
	s.buf = nil
	if cap(buf) < expect || cap(buf) > 2*expect+flushAt {
		return make([]byte, 0, expect+expect/16)
	}
	return buf[:0]
}

// Size is how many bytes the page has as text; until somebody has asked for it,
// what the page before had.
func (p *Page) Size() int { return int(p.size.Load()) }

// get is a part of the page, made by whoever first asks for it.
func (p *Page) get(l *lazy, made func() part) part {
	l.once.Do(func() {
		l.broken = true // unless it comes to its end
		l.part = made()
		l.broken = false
		l.expect.Store(int64(len(l.part.bytes)))
		l.made.Store(true)
		p.past.trim() // there is more than before
	})
	if l.broken {
		panic("a page could not be made") // half of one must not pass for whole
	}
	return l.part
}

// text is the page as it is. The other encodings don't need it: they are made
// of the same series without the whole text ever being in memory.
func (p *Page) text() part {
	return p.get(&p.plain, func() part {
		t := &Text{buf: p.spare.take(p.Size())}
		p.write(t)
		return p.sized(part{bytes: t.buf, size: len(t.buf)})
	})
}
