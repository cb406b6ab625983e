package daemon

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/await"
)

var short = limits{request: 300 * time.Millisecond, idle: time.Minute, write: 300 * time.Millisecond}

// serving starts a server of h with short limits.
func serving(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.Config = newServer(h, short, slog.New(slog.DiscardHandler))
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// pages serves a page of n series, and counts requests that were begun and ended.
func pages(n int) (h http.Handler, begun, ended func() int64) {
	p := page.New(nil, func(t *page.Text) {
		t.Family("x", "gauge", "X.")
		of := page.NewLabels("kafka_cluster", "main")
		for i := range n {
			t.Sample(of, int32(i), nil, 1)
		}
	})
	c := &counts{Handler: &page.Handler{
		Latest: func() *page.Page { p.Use(); return p },
		Own:    prometheus.NewRegistry(),
		Log:    slog.New(slog.DiscardHandler),
	}}
	return c, c.begun.Load, c.ended.Load
}

// A client that promises a body and never sends it used to keep the page without
// limit, since net/http reads the body before it answers.
func TestBodyThatNeverComes(t *testing.T) {
	for _, c := range []struct{ name, request, status string }{
		{"GET", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n", "200 OK"},
		{"GET in chunks", "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "200 OK"},
		{"GET that waits for a go-ahead", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n", "200 OK"},
		{"POST", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n", "405 Method Not Allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _, ended := pages(10_000)
			s := serving(t, h)
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(conn, c.request)
			r, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Status != c.status || !r.Close {
				t.Errorf("%s, connection is closed afterwards: %v, body: %v", r.Status, r.Close, err)
			}
			if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("after the answer: %d bytes, %v", n, err)
			}
			await.Until(t, 5*time.Second, "the page to be free", func() bool { return ended() == 1 })
		})
	}
}

// Half a request is waited for no longer than a whole one.
func TestRequestThatNeverEnds(t *testing.T) {
	h, begun, _ := pages(1)
	conn, err := net.Dial("tcp", serving(t, h).Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n")
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil || begun() != 0 {
		t.Errorf("%v, %d requests were answered", err, begun())
	}
}

// An answer may take many times as long as a request, such as a profile, and the
// connection is there for the next one.
func TestLongAnswers(t *testing.T) {
	waits := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			t.Errorf("the request was given up: %v", context.Cause(r.Context()))
		case <-time.After(4 * short.request):
		}
		fmt.Fprint(w, r.RemoteAddr)
	})
	s := serving(t, waits)
	var first string
	for range 2 {
		r, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || first != "" && string(b) != first {
			t.Errorf("connection of %s, then of %s; %v", first, b, err)
		}
		first = string(b)
	}
}
