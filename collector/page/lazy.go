package page

import (
	"sync"
	"sync/atomic"
)

// lazy is one encoding of one format, made on first use.
type lazy struct {
	once   sync.Once
	part   part
	made   atomic.Bool
	broken bool
	expect atomic.Int64 // how many bytes; of the page before until it was made
}

// room is an empty buffer of about the size that the encoding will have.
func (l *lazy) room() []byte {
	expect := int(l.expect.Load())
	return make([]byte, 0, expect+expect/16+512)
}

// part is the encoding of a page without its end, so that more can follow; in
// formats that are not text, all of it.
type part struct {
	bytes []byte
	size  int    // of the text, in bytes
	sum   uint32 // CRC-32 of the text, where the end needs it
	kind  string // Content-Type, "" for that of text
}

// sized notes how large the text of the page is.
func (p *Page) sized(t part) part {
	p.size.Store(int64(t.size))
	return t
}

// lazies are all that a page can be, always in the same order.
func (p *Page) lazies() []*lazy {
	all := []*lazy{&p.plain, &p.gzip, &p.zstd}
	for f := range p.others {
		for e := range p.others[f] {
			all = append(all, &p.others[f][e])
		}
	}
	return all
}

// held is how many bytes the page takes, in all that it was made.
func (p *Page) held() (bytes int64) {
	for _, l := range p.lazies() {
		if l.made.Load() {
			bytes += l.expect.Load()
		}
	}
	return bytes
}

// expected is how many bytes the page takes once it was asked for in all that
// it and the pages before were.
func (p *Page) expected() (bytes int64) {
	for _, l := range p.lazies() {
		bytes += l.expect.Load()
	}
	return bytes
}
