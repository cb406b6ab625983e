package integration

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/internal/await"
	"github.com/lagwatch/lagwatch/internal/daemon"
)

// scrapePace is the time from one scrape to the next of whoever waits or watches.
// Polls are a second apart, so no poll goes unseen.
const scrapePace = 100 * time.Millisecond

// lagwatch is lagwatch serve, run in this process on a free port.
type lagwatch struct {
	url    string
	log    *logBuffer
	daemon *daemon.Daemon
	client *http.Client
	cancel context.CancelFunc
	done   chan error
}

// startLagwatch starts lagwatch with an interval of one second, as its command
// does. Settings are lines of the cluster's part of the config file, such as
// "start_offset_interval: 1s". It is stopped when the test ends; what it logged
// is shown if the test failed.
func startLagwatch(t testing.TB, brokers []string, settings ...string) *lagwatch {
	t.Helper()
	l := &lagwatch{
		log:    &logBuffer{},
		client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableCompression: true}},
		done:   make(chan error, 1),
	}
	d, err := daemon.New(loadConfig(t, brokers, settings), slog.New(slog.NewTextHandler(l.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	l.daemon, l.url = d, "http://"+d.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	go func() { l.done <- d.Run(ctx) }()
	t.Cleanup(func() { l.end(t) })
	return l
}

func loadConfig(t testing.TB, brokers, settings []string) *configs.Config {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "interval: 1s\nclusters:\n  - brokers: [%s]\n", strings.Join(brokers, ", "))
	for _, line := range settings {
		fmt.Fprintf(&text, "    %s\n", line)
	}
	file := filepath.Join(t.TempDir(), "lagwatch.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("lagwatch serve", pflag.ContinueOnError)
	configs.AddFlags(flags)
	if err := flags.Parse([]string{"--config", file, "--listen", "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	c, err := configs.Load(configs.Options{Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// end stops lagwatch as a signal would. It may be called again.
func (l *lagwatch) end(t testing.TB) {
	t.Helper()
	if l.cancel == nil {
		return
	}
	l.cancel()
	l.cancel = nil
	l.client.CloseIdleConnections()
	select {
	case err := <-l.done:
		if err != nil {
			t.Errorf("lagwatch ended with %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("lagwatch still runs 5 s after it was stopped")
	}
	// A series that was given twice is left off the page, and said here.
	if strings.Contains(l.log.String(), "error gathering metrics") {
		t.Error("not every series could be put on the page")
	}
	if t.Failed() {
		t.Logf("lagwatch logged:\n%s", l.log)
	}
}

// read scrapes once. The error says what is wrong with the page, too: a series
// that stands on it twice is an error.
func (l *lagwatch) read() (*page, error) {
	asked := time.Now()
	r, err := l.client.Get(l.url + "/metrics")
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("scrape: HTTP status %s", r.Status)
	}
	return parsePage(r.Body, asked)
}

// page scrapes once.
func (l *lagwatch) page(t testing.TB) *page {
	t.Helper()
	p, err := l.read()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// await scrapes until ok accepts a page, and returns that. what completes
// "waited 5s for …".
func (l *lagwatch) await(t testing.TB, limit time.Duration, what string, ok func(*page) bool) *page {
	t.Helper()
	var last *page
	var next time.Time
	await.Until(t, limit, what, func() bool {
		if time.Now().Before(next) {
			return false
		}
		last = l.page(t)
		// A large page that took its time must not starve what is watched.
		next = time.Now().Add(max(scrapePace, time.Since(last.asked)))
		return ok(last)
	})
	return last
}

// awaitPoll returns a page of a good poll that began after a moment and renewed
// every part of some groups: all that it says of them was read later than that.
func (l *lagwatch) awaitPoll(t testing.TB, after time.Time, groups ...string) *page {
	t.Helper()
	return l.await(t, 30*time.Second, "a poll", func(p *page) bool {
		began, ok := p.pollBegan()
		return ok && began.After(after) && p.complete(groups...)
	})
}

// awaitEqual scrapes until get returns want, and returns that page. Otherwise
// the test fails with the difference that was left.
func awaitEqual[T any](t testing.TB, l *lagwatch, limit time.Duration, what string, want T, get func(*page) T) *page {
	t.Helper()
	diff := "no page"
	defer func() {
		if diff != "" {
			t.Logf("%s (-want +page):\n%s", what, diff)
		}
	}()
	return l.await(t, limit, what, func(p *page) bool {
		diff = cmp.Diff(want, get(p))
		return diff == ""
	})
}

// watch scrapes at its pace in the background and hands every page to check,
// in order, until stop is called, which tells how many pages there were. What
// check finds wrong fails the test.
func (l *lagwatch) watch(t testing.TB, check func(*page) error) (stop func() int) {
	ended, finished := make(chan struct{}), make(chan struct{})
	pages, wrong := 0, 0
	go func() {
		defer close(finished)
		tick := time.NewTicker(scrapePace)
		defer tick.Stop()
		for {
			p, err := l.read()
			if err == nil {
				pages++
				err = check(p)
			}
			if err != nil {
				if wrong++; wrong <= 10 {
					t.Errorf("page %d at %s: %v", pages, time.Now().Format(time.StampMilli), err)
				}
			}
			select {
			case <-tick.C:
			case <-ended:
				return
			}
		}
	}()
	var once sync.Once
	stop = func() int {
		once.Do(func() { close(ended) })
		<-finished
		return pages
	}
	t.Cleanup(func() { stop() })
	return stop
}

// logBuffer is a bytes.Buffer for several goroutines.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
