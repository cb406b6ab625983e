//go:build breaking || soak

package integration

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// scrape is one answer of /metrics, and what the machine alone made of that
// moment: how long a plain handler took that was asked at the same time, and
// how long threads of this process waited for a processor meanwhile.
type scrape struct {
	took, beside, starved time.Duration
	starvedBefore         time.Duration // since the process began
	text                  []byte        // of a page that is not parsed yet
	err                   error
	done                  bool
	*page
}

// recorder scrapes at a steady rate, whether or not the scrape before has been
// answered, and keeps every answer.
type recorder struct {
	url     string
	plain   *httptest.Server
	clients [2]*http.Client
	end     context.CancelFunc
	running sync.WaitGroup

	mu   sync.Mutex
	list []*scrape
}

// record starts a recorder. It ends with the test, or by stop.
func record(t *testing.T, l *lagwatch, every time.Duration) *recorder {
	t.Helper()
	r := &recorder{url: l.url + "/metrics"}
	for i := range r.clients {
		r.clients[i] = &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
	}
	text, _, err := ask(r.clients[0], r.url)
	check(t, err)
	r.plain = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(text) }))
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	r.running.Go(func() { r.run(ctx, every) })
	t.Cleanup(r.stop)
	return r
}

// stop may be called again.
func (r *recorder) stop() {
	r.end()
	r.running.Wait()
	for _, c := range r.clients {
		c.CloseIdleConnections()
	}
	r.plain.Close()
}

func (r *recorder) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s := &scrape{starvedBefore: starvedSoFar(), page: &page{asked: time.Now()}}
			r.mu.Lock()
			r.list = append(r.list, s)
			r.mu.Unlock()
			r.running.Go(func() { r.fill(s) })
		case <-ctx.Done():
			return
		}
	}
}

// fill asks both servers at the same time.
func (r *recorder) fill(s *scrape) {
	var besideTook time.Duration
	var both sync.WaitGroup
	both.Go(func() { _, besideTook, _ = ask(r.clients[1], r.plain.URL) })
	text, took, err := ask(r.clients[0], r.url)
	both.Wait()
	starved := starvedSoFar() - s.starvedBefore
	r.mu.Lock()
	defer r.mu.Unlock()
	s.took, s.beside, s.starved, s.text, s.err, s.done = took, besideTook, starved, text, err, true
}

// parsed is a scrape with its page.
func (s scrape) parsed() scrape {
	if s.err != nil {
		return s
	}
	if p, err := parsePage(bytes.NewReader(s.text), s.asked); err != nil {
		s.err = err
	} else {
		s.page = p
	}
	s.text = nil
	return s
}

func ask(c *http.Client, url string) (text []byte, took time.Duration, err error) {
	began := time.Now()
	resp, err := c.Get(url)
	if err != nil {
		return nil, time.Since(began), err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	if took = time.Since(began); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.200s", resp.StatusCode, text)
	}
	return text, took, err
}

// between returns the scrapes that were asked for in a span of time, when all
// of them are answered.
func (r *recorder) between(t *testing.T, from, to time.Time) []scrape {
	t.Helper()
	var out []scrape
	await.Until(t, 30*time.Second, "the last scrapes", func() (ok bool) {
		out, ok = r.answered(from, to)
		return ok
	})
	for i := range out {
		out[i] = out[i].parsed()
	}
	return out
}

// answered is not ok while a scrape of that span is to come, or not answered.
func (r *recorder) answered(from, to time.Time) (out []scrape, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.list {
		switch {
		case s.asked.After(to):
			return out, true
		case !s.done:
			return nil, false
		case s.asked.After(from):
			out = append(out, *s)
		}
	}
	return nil, false
}

// checkAnswered fails the test where a scrape failed, and reports the times.
func checkAnswered(t *testing.T, list []scrape) {
	t.Helper()
	var took, beside []time.Duration
	for _, s := range list {
		if s.err != nil {
			t.Errorf("the scrape at %s failed: %v", clock(s.asked), s.err)
			continue
		}
		took, beside = append(took, s.took), append(beside, s.beside)
	}
	t.Logf("%d scrapes: %s; a plain handler beside them: %s", len(list), spread(took), spread(beside))
}

// checkAtOnce is checkAnswered that also fails the test where a scrape took
// more than 50 ms, four times that under the race detector. Time in which the
// machine had no processor for this process, or in which the plain handler took
// as long, is not lagwatch's: it is reported and comes on top.
func checkAtOnce(t *testing.T, list []scrape) {
	t.Helper()
	const limit = 50 * time.Millisecond * raceFactor
	checkAnswered(t, list)
	var slow []string
	for _, s := range list {
		if s.took <= limit {
			continue
		}
		why := fmt.Sprintf("at %s %v, of which %v without a processor; the plain handler took %v", clock(s.asked), s.took, s.starved, s.beside)
		slow = append(slow, why)
		if s.took-max(s.beside, s.starved) > limit {
			t.Errorf("a slow scrape %s", why)
		}
	}
	if len(slow) > 0 {
		t.Logf("%d of %d above %v:\n%s", len(slow), len(list), limit, strings.Join(slow, "\n"))
	}
}

// within goes back from a scrape by a span of time, and returns how long
// threads of this process waited for a processor in it, and how many timeouts
// its polls counted.
func within(list []scrape, i int, span time.Duration) (starved time.Duration, timeouts int) {
	first := i
	for first > 0 && list[first-1].asked.After(list[i].asked.Add(-span)) {
		first--
	}
	first = max(0, first-1)
	count := func(s scrape) int { return int(s.sum("lagwatch_poll_errors_total", labels{"reason": "timeout"})) }
	return list[i].starvedBefore - list[first].starvedBefore, count(list[i]) - count(list[first])
}

// checkRate fails the test where there were fewer scrapes than so many a
// second.
func checkRate(t *testing.T, list []scrape, span time.Duration, least float64) {
	t.Helper()
	if rate := float64(len(list)) / span.Seconds(); rate < least {
		t.Errorf("%d scrapes in %s are %.1f a second, want %v", len(list), seconds(span), rate, least)
	}
}

func spread(list []time.Duration) string {
	if len(list) == 0 {
		return "none"
	}
	slices.Sort(list)
	at := func(part float64) time.Duration {
		return list[int(part*float64(len(list)-1))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %v, p99 %v, max %v", at(0.5), at(0.99), at(1))
}
