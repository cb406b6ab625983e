package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var formats = []*format{openMetrics1, openMetrics0, protobuf}

// counted counts how often the others are made, and how many at once.
type counted struct {
	http.Handler
	made, now, most atomic.Int32
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.made.Add(1)
	if n := c.now.Add(1); n > c.most.Load() {
		c.most.Store(n)
	}
	defer c.now.Add(-1)
	c.Handler.ServeHTTP(w, r)
}

// Two hundred scrapes at once of what is not text used to gather two hundred
// times, each with all of the page in memory. Each is made once for a page.
func TestOthersAreMadeOnce(t *testing.T) {
	p := numbers(10, new(int))
	h := handlerOf(p)
	others := &counted{Handler: h.Others}
	h.Others = others
	ask := func() {
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				f, e := formats[i%3], encodings[i/3%3]
				r := get(t, h, "Accept", f.accept, "Accept-Encoding", e.asked())
				if got := r.Header.Get("Content-Encoding"); got != e.name {
					t.Errorf("encoding %q, want %q", got, e.name)
				}
				want, _, _ := strings.Cut(f.accept, ";")
				if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
					t.Errorf("type %q for %s", got, f.accept)
				}
				if got := r.Header.Get("Content-Length"); got == "" || got == "0" {
					t.Errorf("%s: length %q", f.accept, got)
				}
				if got := body(t, r); !strings.Contains(got, "own") {
					t.Errorf("%s: %q", f.accept, got)
				}
			})
		}
		wg.Wait()
	}
	ask()
	if made, most := others.made.Load(), others.most.Load(); made != 9 || most != 1 {
		t.Errorf("made %d times, %d at once; want 9 and 1", made, most)
	}
	next := New(p, p.write)
	h.Latest = func() *Page { next.Use(); return next }
	ask()
	if made := others.made.Load(); made != 18 {
		t.Errorf("made %d times for two pages, want 18", made)
	}
}

// What a scraper sends beside its wishes reaches nobody: one who asks for a part
// would else leave that to all.
func TestOthersAreAskedTheSame(t *testing.T) {
	h := handlerOf(numbers(1, new(int)))
	r := httptest.NewRequest(http.MethodHead, "/metrics?name[]=nothing", nil)
	r.Header.Set("Accept", openMetrics1.accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d bytes, header %v", w.Body.Len(), w.Header())
	}
	if got := body(t, get(t, h, "Accept", openMetrics1.accept)); !strings.Contains(got, "own_total") {
		t.Errorf("after a request for a part: %q", got)
	}
}

// Whoever waits for its turn waits no longer than it lasts.
func TestTurn(t *testing.T) {
	var turn turn
	ctx, cancel := context.WithCancel(t.Context())
	if err := turn.begin(ctx); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() { waited <- turn.begin(ctx) }()
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("while it is held: %v", err)
	}
	turn.end()
	if err := turn.begin(ctx); err != nil {
		t.Errorf("when it is free: %v", err)
	}
}

// A scraper whose turn does not come in its time, or who is cut off before, gets
// no answer and keeps no page: an empty one would pass for a page without series.
func TestTurnThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := numbers(1, new(int))
		h := handlerOf(p)
		free, all := make(chan struct{}), h.Others
		h.Others = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-free; all.ServeHTTP(w, r) })
		var first sync.WaitGroup
		first.Go(func() { get(t, h, "Accept", openMetrics1.accept) })
		synctest.Wait()
		waits := func() (ended any) {
			defer func() { ended = recover() }()
			get(t, h, "Accept", protobuf.accept, "X-Prometheus-Scrape-Timeout-Seconds", "5")
			return nil
		}
		begun := time.Now()
		if got := waits(); got != http.ErrAbortHandler || time.Since(begun) != 5*time.Second {
			t.Errorf("its time is over: %v after %v", got, time.Since(begun))
		}
		begun = time.Now()
		var second sync.WaitGroup
		second.Go(func() {
			if got := waits(); got != http.ErrAbortHandler || time.Since(begun) != 0 {
				t.Errorf("cut off: %v after %v", got, time.Since(begun))
			}
		})
		synctest.Wait()
		next := New(p, p.write)
		held(p, 100<<20)
		next.past.trim()
		second.Wait()
		close(free)
		first.Wait()
		if users := p.users.Load(); users != 1 {
			t.Errorf("%d users are left, want the publisher", users)
		}
	})
}

// A page that could not be made answers nobody: half of one would pass for whole,
// to the second scraper and later.
func TestBrokenPage(t *testing.T) {
	breaks := func(*Text) { panic("no memory") }
	refuses := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) })
	half := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "half"); panic("no memory") })
	plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "all") })
	for _, c := range []struct {
		name, accept, encoding string
		others                 http.Handler
	}{
		{"text", "", "identity", nil},
		{"gzip", "", "gzip", nil},
		{"zstd", "", "zstd", nil},
		{"an error", openMetrics1.accept, "identity", refuses},
		{"half a page", protobuf.accept, "gzip", half},
		{"not compressed", protobuf.accept, "gzip", plain},
	} {
		p := New(nil, breaks)
		h := &Handler{Latest: func() *Page { p.Use(); return p }, Own: prometheus.NewRegistry(), Others: c.others, Log: slog.New(slog.DiscardHandler)}
		s := httptest.NewUnstartedServer(h)
		s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
		s.Start()
		for i := range 3 {
			r, _ := http.NewRequest(http.MethodGet, s.URL, nil)
			r.Header.Set("Accept", c.accept)
			r.Header.Set("Accept-Encoding", c.encoding)
			if w, err := s.Client().Do(r); err == nil {
				b, _ := io.ReadAll(w.Body)
				w.Body.Close()
				t.Errorf("%s: scrape %d got %s, %q", c.name, i+1, w.Status, b)
			}
		}
		s.Close()
		if users := p.users.Load(); users != 1 {
			t.Errorf("%s: %d users are left, want the publisher", c.name, users)
		}
	}
}
