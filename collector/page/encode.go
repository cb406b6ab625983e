package page

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"
)

// encoding is a way to send a page: what is shared by all scrapes, and how a
// scrape adds its own lines after that.
type encoding struct {
	at   int    // in [Page.others]
	name string // as in Content-Encoding, "" for none
	page func(*Page) part
	// end returns what follows a part: more text, and the end.
	end func(p part, more []byte) []byte
}

var (
	identity = &encoding{0, "", (*Page).text, func(_ part, more []byte) []byte { return more }}
	inGzip   = &encoding{1, "gzip", (*Page).gzipped, endGzip}
	inZstd   = &encoding{2, "zstd", (*Page).zstded, endZstd}

	// encodings in the order of preference among those that a scraper likes
	// as much: Prometheus asks for gzip, so that is most likely made already.
	encodings = []*encoding{inGzip, inZstd, identity}
)

// asked is the encoding's name as in Accept-Encoding.
func (e *encoding) asked() string {
	if e == identity {
		return "identity"
	}
	return e.name
}

// stream writes the text through c in pieces.
func (p *Page) stream(c io.Writer) {
	t := NewText(c)
	p.write(t)
	check(t.Flush())
}

// gzipHead is a gzip header (RFC 1952) without a name, a time or a system.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// gzipped is a gzip member without its last block and its trailer. It ends at
// the border of a byte, so that the deflated rest can just follow (RFC 1951,
// and what zlib calls a sync flush): one member, which every client can read,
// whereas not all go on after the first of several.
func (p *Page) gzipped() part {
	return p.get(&p.gzip, func() part {
		out := bytes.NewBuffer(p.gzip.room())
		out.WriteString(gzipHead)
		z := p.spare.deflate(out)
		sum := &summer{to: z}
		p.stream(sum)
		check(z.Flush())
		p.spare.deflated(z)
		return p.sized(part{bytes: out.Bytes(), size: sum.size, sum: sum.sum})
	})
}

// endGzip stores what follows as it is, which takes neither time nor memory: it
// is some KiB, and different at each scrape.
func endGzip(p part, more []byte) []byte {
	const most = 1<<16 - 1 // of a stored block (RFC 1951, section 3.2.4)
	out := make([]byte, 0, len(more)+len(more)/most*5+16)
	sum, size := crc32.Update(p.sum, crc32.IEEETable, more), p.size+len(more)
	for last := false; !last; {
		block := more[:min(len(more), most)]
		more = more[len(block):]
		last = len(more) == 0
		out = append(out, bit(last))
		out = binary.LittleEndian.AppendUint16(out, uint16(len(block)))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(len(block)))
		out = append(out, block...)
	}
	out = binary.LittleEndian.AppendUint32(out, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(size))
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// summer counts and sums up what passes through.
type summer struct {
	to   io.Writer
	size int
	sum  uint32
}

func (s *summer) Write(b []byte) (int, error) {
	s.size += len(b)
	s.sum = crc32.Update(s.sum, crc32.IEEETable, b)
	return s.to.Write(b)
}

// zstded is a whole zstd frame; another may follow (RFC 8878, section 3).
func (p *Page) zstded() part {
	return p.get(&p.zstd, func() part {
		out := bytes.NewBuffer(p.zstd.room())
		z := must(zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)))
		sum := &summer{to: z}
		p.stream(sum)
		check(z.Close())
		return p.sized(part{bytes: out.Bytes(), size: sum.size})
	})
}

// endZstd is a frame of raw blocks, for the same reason (RFC 8878, section 3.1.1).
func endZstd(_ part, more []byte) []byte {
	const (
		magic     = 0xfd2fb528
		oneOfSize = 2<<6 | 1<<5 // a single segment, whose size follows in four bytes
		most      = 1 << 16     // of a block; 128 KiB are allowed
	)
	out := make([]byte, 0, len(more)+len(more)/most*3+16)
	out = binary.LittleEndian.AppendUint32(out, magic)
	out = append(out, oneOfSize)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(more)))
	for last := false; !last; {
		block := more[:min(len(more), most)]
		more = more[len(block):]
		last = len(more) == 0
		head := uint32(bit(last)) | uint32(len(block))<<3
		out = append(out, byte(head), byte(head>>8), byte(head>>16))
		out = append(out, block...)
	}
	return out
}

// must and check are for what cannot fail: compressing into memory.
func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
