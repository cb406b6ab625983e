package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lagwatch/lagwatch/internal/bench/report"
)

// scrapers are how many scrape at once, each over a connection of its own.
const scrapers = 200

// alike is by how many bytes the pages of one poll may differ: each ends with the
// metrics of the process, whose numbers have more digits at one time than at
// another.
const alike = 1 << 10

// crowd measures many scrapes at once, of a page that nobody has asked for yet,
// and the same again beside one that reads the page before at a byte a second. A
// page has about so many bytes.
func (b *bench) crowd(ctx context.Context, encoding string, page float64) (c report.Crowd, err error) {
	c.Scrapers, c.PageBytes = scrapers, page
	b.step(fmt.Sprintf("%d scrapes at once, %s", scrapers, encoding))
	if c.Alone, c.Growth, err = b.rush(ctx, encoding); err != nil {
		return c, err
	}
	b.step(fmt.Sprintf("%d scrapes at once, %s, beside a slow one", scrapers, encoding))
	slow, err := startSlow(ctx, b.url, encoding)
	if err != nil {
		return c, err
	}
	defer slow.stop()
	c.BesideSlow, _, err = b.rush(ctx, encoding)
	return c, err
}

// rush polls and lets all scrape at once.
func (b *bench) rush(ctx context.Context, encoding string) (r report.Rush, growth uint64, err error) {
	if err := b.lagwatch.Call("poll", 1, nil); err != nil {
		return r, 0, err
	}
	if err := b.lagwatch.Call("crowd begins", 1, nil); err != nil {
		return r, 0, err
	}
	sizes, errs := make([]int64, scrapers), make([]error, scrapers)
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	began := time.Now()
	for i := range scrapers {
		all.Go(func() { sizes[i], errs[i] = read(ctx, client, b.url, encoding) })
	}
	all.Wait()
	took := time.Since(began)
	if err := b.lagwatch.Call("crowd ends", 1, &growth); err != nil {
		return r, 0, err
	}
	return outcome(took, sizes, errs), growth, nil
}

// outcome counts who got the whole page. It says what went wrong first, and how
// long all took if nothing did.
func outcome(took time.Duration, sizes []int64, errs []error) (r report.Rush) {
	largest := slices.Max(sizes)
	for i, err := range errs {
		if err == nil && sizes[i] < largest-alike {
			err = fmt.Errorf("%d bytes, where another had %d", sizes[i], largest)
		}
		if err == nil {
			r.Answered++
		} else if r.Failure == "" {
			r.Failure = strings.Join(strings.Fields(err.Error()), " ")
		}
	}
	if r.Failure == "" {
		r.Seconds = took.Seconds()
	}
	return r
}

// slow is a scraper that reads a byte a second.
type slow struct {
	conn net.Conn
	end  chan struct{}
	done chan struct{}
}

// startSlow asks for a page and reads the first byte of it; stop ends it. Its
// buffer is small, so that the rest is lagwatch's to keep.
func startSlow(ctx context.Context, url, encoding string) (*slow, error) {
	req, err := request(ctx, url, encoding)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", req.URL.Host)
	if err != nil {
		return nil, err
	}
	err = errors.Join(conn.(*net.TCPConn).SetReadBuffer(4<<10), conn.SetReadDeadline(time.Now().Add(patience)), req.Write(conn))
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("a scraper that reads a byte a second got none: %w", err)
	}
	s := &slow{conn, make(chan struct{}), make(chan struct{})}
	go s.read()
	return s, nil
}

// read goes on until it is cut off, which one so slow may be.
func (s *slow) read() {
	defer close(s.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-s.end:
			return
		case <-tick.C:
		}
		if _, err := s.conn.Read(make([]byte, 1)); err != nil {
			return
		}
	}
}

func (s *slow) stop() {
	close(s.end)
	s.conn.Close()
	<-s.done
}
