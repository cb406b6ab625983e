package page

import (
	"bytes"
	stdgzip "compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// numbers is a page of n series, and how often it was written.
func numbers(n int, written *int) *Page {
	var mu sync.Mutex
	return New(nil, func(t *Text) {
		mu.Lock()
		*written++
		mu.Unlock()
		of := NewLabels("kafka_cluster", "main")
		t.Family("some", "gauge", "Numbers.")
		for i := range n {
			t.Sample(of, int32(i), nil, float64(i*i))
		}
	})
}

func decode(t *testing.T, encoding string, b []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(b)
	switch encoding {
	case "gzip":
		z, err := stdgzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false) // not all clients go on after the first member
		r = z
	case "zstd":
		z, err := zstd.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", encoding, err)
	}
	return out
}

// Every encoding of every page reads back as its text and what each scrape adds.
func TestEncodings(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 20_000} {
		for _, more := range []string{"", "go_x 1\n", strings.Repeat("process_y{a=\"b\"} 2\n", 10_000)} {
			for _, e := range encodings {
				t.Run(fmt.Sprintf("%d series, %d bytes more, %s", n, len(more), e.name), func(t *testing.T) {
					written := 0
					p := numbers(n, &written)
					want := string(numbers(n, new(int)).text().bytes) + more
					for range 2 { // what is shared is not changed
						part := e.page(p)
						got := decode(t, e.name, append(bytes.Clone(part.bytes), e.end(part, []byte(more))...))
						if string(got) != want {
							t.Fatalf("%d bytes read back, want %d", len(got), len(want))
						}
					}
					if written != 1 {
						t.Errorf("the page was written %d times", written)
					}
					if n > 0 && p.Size() != len(want)-len(more) {
						t.Errorf("size %d, want %d", p.Size(), len(want)-len(more))
					}
				})
			}
		}
	}
}

// Many ask at once for all encodings of a page: each is made once.
func TestMadeOnce(t *testing.T) {
	written := 0
	p := numbers(5000, &written)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			e := encodings[i%len(encodings)]
			part := e.page(p)
			if got := decode(t, e.name, append(bytes.Clone(part.bytes), e.end(part, nil)...)); len(got) == 0 {
				t.Error("an empty page")
			}
		})
	}
	wg.Wait()
	if written != len(encodings) {
		t.Errorf("written %d times, want once for each of %d encodings", written, len(encodings))
	}
}

// Any bytes after any page make one stream: the checksum goes over both.
func FuzzEnd(f *testing.F) {
	var pages []*Page
	for _, n := range []int{0, 1, 40, 400} {
		pages = append(pages, numbers(n, new(int)))
	}
	f.Add(uint8(1), []byte("x 1\n"))
	f.Add(uint8(2), bytes.Repeat([]byte("y"), 1<<16))
	f.Fuzz(func(t *testing.T, which uint8, more []byte) {
		p := pages[int(which)%len(pages)]
		for _, e := range encodings[:2] {
			part := e.page(p)
			got := decode(t, e.name, append(bytes.Clone(part.bytes), e.end(part, more)...))
			if !bytes.HasSuffix(got, more) || len(got) != part.size+len(more) {
				t.Errorf("%s: %d bytes, want %d and %d", e.name, len(got), part.size, len(more))
			}
		}
	})
}

// The text of a page goes into the buffer of the one before, unless somebody is
// still reading that: then its bytes stay as they are.
func TestBufferIsUsedAgain(t *testing.T) {
	first := numbers(1000, new(int))
	text := first.text().bytes
	first.Use() // a slow scraper
	second := New(first, first.write)
	first.Done() // the publisher is through with it, the scraper is not
	if got := second.text().bytes; &got[0] == &text[0] {
		t.Fatal("a page that is being read was written over")
	}
	first.Done()
	third := New(second, first.write)
	if got := third.text().bytes; &got[0] != &text[0] {
		t.Error("the buffer of a page that nobody reads was not used again")
	}
	if tiny := New(third, func(*Text) {}); tiny.Size() != third.Size() {
		t.Errorf("size %d expected, want %d", tiny.Size(), third.Size())
	}
}
