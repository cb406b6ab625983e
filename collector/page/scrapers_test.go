package page

import (
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"
)

// peak is how far the heap grows while f runs, beyond what it is when f begins.
func peak(f func()) uint64 {
	var before, m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	done, highest := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		var most uint64
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse+m.StackInuse)
			select {
			case <-done:
				highest <- most
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(done)
	return max(<-highest, before.HeapInuse+before.StackInuse) - before.HeapInuse - before.StackInuse
}

// Two hundred scrapers at once: all are answered, from one copy of the page.
// Beside it each takes what a connection takes, at both ends.
func TestManyScrapers(t *testing.T) {
	const scrapers, perScraper = 200, 192 << 10
	for _, e := range []*encoding{identity, inGzip} {
		t.Run("encoding "+e.name, func(t *testing.T) {
			p := numbers(100_000, new(int))
			s := httptest.NewServer(handlerOf(p))
			defer s.Close()
			size := len(e.page(p).bytes)
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer client.CloseIdleConnections()
			sums := make([]uint32, scrapers)
			grown := peak(func() {
				var wg sync.WaitGroup
				for i := range scrapers {
					wg.Go(func() { sums[i] = scrape(t, client, s.URL, e, size) })
				}
				wg.Wait()
			})
			for i, sum := range sums {
				if sum != sums[0] || sum == 0 {
					t.Fatalf("scraper %d read other bytes than the first", i)
				}
			}
			t.Logf("%d scrapes of %d KiB: heap and stacks +%d KiB", scrapers, size>>10, grown>>10)
			if most := uint64(size + scrapers*perScraper); grown > most {
				t.Errorf("heap and stacks grew by %d KiB, more than %d KiB", grown>>10, most>>10)
			}
		})
	}
}

// scrape reads a page to its end and returns the checksum of what is shared.
func scrape(t *testing.T, client *http.Client, url string, e *encoding, size int) uint32 {
	r, _ := http.NewRequest(http.MethodGet, url, nil)
	if e.name != "" {
		r.Header.Set("Accept-Encoding", e.name)
	}
	w, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer w.Body.Close()
	sum := crc32.NewIEEE()
	if n, err := io.CopyN(sum, w.Body, int64(size)); err != nil {
		t.Errorf("%d of %d bytes: %v", n, size, err)
	}
	if _, err := io.Copy(io.Discard, w.Body); err != nil {
		t.Error(err)
	}
	return sum.Sum32()
}

// One who reads a byte and then nothing holds up nobody, and is cut off when its
// own time for a scrape is over.
func TestSlowScraper(t *testing.T) {
	p := numbers(500_000, new(int)) // more than sockets hold
	p.text()                        // making it could take the second that a scrape has
	s := httptest.NewServer(handlerOf(p))
	defer s.Close()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Prometheus-Scrape-Timeout-Seconds: 1\r\n\r\n")
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	size := len(p.text().bytes)
	for range 5 {
		if scrape(t, client, s.URL, identity, size) == 0 {
			t.Fatal("no page beside a slow scraper")
		}
	}
	// Cut off: the rest never comes, and the server is done with it.
	s.Config.SetKeepAlivesEnabled(false)
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }() // waits for all that is being answered
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Fatal("a scraper that does not read is still being answered")
	}
}
