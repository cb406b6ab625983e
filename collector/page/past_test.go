package page

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// publisher has a latest page, as the collector's does.
type publisher struct {
	mu   sync.Mutex
	page *Page
}

func (p *publisher) latest() *Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page.Use()
	return p.page
}

func (p *publisher) next() {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.page
	p.page = New(before, before.write)
	before.Done()
}

func (p *publisher) alive() int {
	o := p.latest().past
	defer p.page.Done()
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pages)
}

// starts asks for a page and reads one byte of it.
func starts(t *testing.T, s *httptest.Server, header string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", header)
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Slow readers used to keep a page each, as many as there were polls in the time
// of a scrape. Now those of the oldest are cut off, and who reads is answered.
func TestOldPagesAreCutOff(t *testing.T) {
	first := numbers(400_000, new(int)) // more than sockets hold
	p := &publisher{page: first}
	h := handlerOf(first)
	h.Latest = p.latest
	s := httptest.NewServer(h)
	t.Cleanup(s.Close) // once the slow ones are gone
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	size := len(first.text().bytes)
	may := 1 + 2 + pastRoom/size // the newest, twice as much, and the room of small ones
	for i := range may + 6 {
		starts(t, s, "X-Prometheus-Scrape-Timeout-Seconds: 60\r\n")
		if scrape(t, client, s.URL, identity, size) == 0 {
			t.Fatalf("no page beside %d slow scrapers", i+1)
		}
		p.next()
		await.Until(t, 20*time.Second, fmt.Sprintf("at most %d pages after %d polls", may+1, i+1),
			func() bool { return p.alive() <= may+1 })
	}
	if alive := p.alive(); alive < may {
		t.Errorf("%d pages are alive: readers were cut off while there was room for %d", alive, may)
	}
}

// held makes a page take bytes without making them.
func held(p *Page, bytes int64) {
	p.plain.expect.Store(bytes)
	p.plain.made.Store(true)
}

// Who is cut off: from the oldest, and only while there is too much.
func TestPast(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name  string
		sizes []int64 // of superseded pages, from the oldest, and of the newest
		cut   []bool
	}{
		{"one page", []int64{1000 * mib}, nil},
		{"the page before", []int64{100 * mib, 100 * mib}, []bool{false}},
		{"two before", []int64{100 * mib, 100 * mib, 100 * mib}, []bool{false, false}},
		{"three before", []int64{100 * mib, 100 * mib, 100 * mib, 100 * mib}, []bool{true, false, false}},
		{"exactly as much as may be", []int64{32 * mib, 100 * mib, 100 * mib, 100 * mib}, []bool{false, false, false}},
		{"a byte more", []int64{32*mib + 1, 100 * mib, 100 * mib, 100 * mib}, []bool{true, false, false}},
		{"small ones", []int64{mib, mib, mib, mib, mib, mib, mib, mib, 1}, make([]bool, 8)},
		{"large ones before a small one", []int64{100 * mib, 100 * mib, mib}, []bool{true, true}},
	} {
		var pages []*Page
		var before *Page
		cut := make([]atomic.Int32, len(c.sizes))
		for i, size := range c.sizes {
			before = New(before, func(*Text) {})
			held(before, size)
			before.read(func() { cut[i].Add(1) })
			pages = append(pages, before)
		}
		before.past.trim()
		before.past.trim() // tells each once
		for i := range pages {
			if want := i < len(c.cut) && c.cut[i]; (cut[i].Load() == 1) != want || cut[i].Load() > 1 {
				t.Errorf("%s: page %d: cut off %d times, want %v", c.name, i, cut[i].Load(), want)
			}
		}
	}
}

// One who took a page before it was cut off and begins after that is too; one
// who has left is not, since its connection may already have another request.
func TestCutOffLateAndNever(t *testing.T) {
	old := New(nil, func(*Text) {})
	held(old, 100<<20)
	left, late := 0, 0
	leave := old.read(func() { left++ })
	leave()
	leave()
	next := New(old, func(*Text) {})
	held(next, 1)
	next.past.trim()
	defer old.read(func() { late++ })()
	if left != 0 || late != 1 {
		t.Errorf("one who had left was cut off %d times, one who came late %d times", left, late)
	}
	old.Done()
	next.Done()
	if n := len(next.past.pages); n != 0 {
		t.Errorf("%d pages are kept that nobody uses", n)
	}
}
