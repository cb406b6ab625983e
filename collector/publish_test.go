package collector

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// polledBy is a watcher of a cluster whose polls tell what next returns.
func polledBy(cluster string, next func() (*snapshot.Snapshot, error)) *Watcher {
	poller := pollFunc(func(context.Context) (*snapshot.Snapshot, error) { return next() })
	return New(poller, Options{Cluster: cluster, Interval: interval, StaleAfter: testStale})
}

// All scrapes between two polls share one page. There is a new one after each
// poll, of whichever cluster and however it ended, and once for each view that
// becomes too old, or a stopped lagwatch would show for ever what it last knew.
func TestPageIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := func() (*snapshot.Snapshot, error) {
			defer time.Sleep(300 * time.Millisecond) // as long as the poll says that it took
			return readNow()
		}
		until := func(w *Watcher, age time.Duration) { time.Sleep(time.Until(w.View().Built.Add(age))) }
		a := polledBy("a", func() (*snapshot.Snapshot, error) { return next() })
		b := polledBy("b", func() (*snapshot.Snapshot, error) { return next() })
		p := NewPublisher(testBuild, a, b)
		last := (*page.Page)(nil)
		check := func(what string, renewed bool, shows ...string) {
			t.Helper()
			now := p.Page()
			if renewed != (now != last) {
				t.Errorf("%s: another page %v, want %v", what, now != last, renewed)
			}
			if p.Page() != now {
				t.Errorf("%s: the next scrape has another page", what)
			}
			text := served(t, p, "")
			for _, line := range shows {
				if !strings.Contains(text, line+"\n") {
					t.Errorf("%s: the page lacks %s:\n%s", what, line, text)
				}
			}
			last = now
		}
		aUp, aDown := `lagwatch_up{kafka_cluster="a"} 1`, `lagwatch_up{kafka_cluster="a"} 0`
		bUp, bDown := `lagwatch_up{kafka_cluster="b"} 1`, `lagwatch_up{kafka_cluster="b"} 0`
		lag := `lagwatch_group_lag{kafka_cluster="b",group="g"} 10`
		check("before the first poll", true, aDown, bDown)
		time.Sleep(time.Hour)
		check("still before it", false)
		a.Poll(t.Context())
		check("a is polled", true, aUp, bDown)
		time.Sleep(testStale / 2)
		b.Poll(t.Context())
		check("b is polled", true, aUp, bUp, lag)
		until(a, testStale)
		check("a is exactly stale_after old", false, aUp)
		until(a, testStale+1)
		check("a is too old", true, aDown, bUp, lag)
		until(b, testStale)
		check("a is older", false, aDown, bUp)
		until(b, testStale+1)
		check("both are too old", true, aDown, bDown)
		if strings.Contains(served(t, p, ""), "group_lag{") {
			t.Error("the lag of an old view is shown")
		}
		time.Sleep(24 * time.Hour)
		check("both are much older", false, aDown, bDown)
		b.Poll(t.Context())
		check("b is there again", true, aDown, bUp, lag)
		next = func() (*snapshot.Snapshot, error) { return nothingRead(errTest) }
		b.Poll(t.Context())
		check("a poll of b failed", true, aDown, bDown, lag)
	})
}

// A page is made with room for as much as the last one had, whether or not
// anybody asked for those in between.
func TestExpectedSize(t *testing.T) {
	w := polledBy("main", readNow)
	p := NewPublisher(testBuild, w)
	if size := p.Page().Size(); size != 0 {
		t.Errorf("before any page was made: %d bytes expected", size)
	}
	w.Poll(t.Context())
	if size := p.Page().Size(); size != 0 {
		t.Errorf("the page before was never made: %d bytes expected", size)
	}
	for _, encoding := range []string{"identity", "gzip", "zstd"} {
		size := len(served(t, p, encoding))
		if got := p.Page().Size(); got != size {
			t.Errorf("%s: %d bytes told, %d made", encoding, got, size)
		}
		for range 2 { // the second follows a page that nobody asked for
			w.Poll(t.Context())
			if got := p.Page().Size(); got != size {
				t.Errorf("%s: after a page of %d bytes %d are expected", encoding, size, got)
			}
		}
	}
}

// The formats that go through a registry show the view that the page shows, and
// each describes the process.
func TestFormatsShowOneView(t *testing.T) {
	p := publisherOf(richStory(Options{}).v, firstView("other"))
	want := map[string]string{}
	for _, f := range formats {
		r := scrape(p.Handler(slog.New(slog.DiscardHandler)), f.accept, f.encoding)
		got, all := map[string]string{}, []string(nil)
		for name, family := range familiesIn(t, r) {
			all = append(all, name)
			if strings.HasPrefix(name, Prefix) {
				got[name] = strings.Join(valuesOf(family), "\n")
			}
		}
		if len(want) == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) < 20 {
			t.Errorf("%s as %s, %d families (-text +this):\n%s", r.Header.Get("Content-Type"), f.encoding, len(got), diff)
		}
		if !slices.Contains(all, "go_goroutines") || !slices.Contains(all, "process_start_time_seconds") {
			t.Errorf("%s does not describe the process", r.Header.Get("Content-Type"))
		}
	}
}

// Scrapes in all formats while polls go on: each is a whole page, and no scraper
// is shown a poll older than one that it has seen.
func TestScrapesWhilePollsGoOn(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var polls atomic.Int32
	watch := func(name string, seed uint64) *Watcher {
		c := newHostile(seed)
		return New(pollFunc(func(context.Context) (*snapshot.Snapshot, error) {
			polls.Add(1)
			return c.next()
		}), Options{Cluster: name, Interval: time.Millisecond, StaleAfter: 1_000_000 * time.Hour, MaxSeries: 100})
	}
	a, b := watch("a", 1), watch("b", 2)
	h := NewPublisher(testBuild, a, b).Handler(slog.New(slog.DiscardHandler))
	var running, scrapers sync.WaitGroup
	for _, w := range []*Watcher{a, b} {
		running.Go(func() { _ = w.Run(ctx) })
	}
	for i := range 2 * len(formats) {
		scrapers.Go(func() {
			f, before := formats[i%len(formats)], 0.0
			for pages := 0; ctx.Err() == nil && (polls.Load() < 100 || pages < 10); pages++ {
				n := pollsOn(familiesIn(t, scrape(h, f.accept, f.encoding)))
				if n < before {
					t.Errorf("%q: a page of %v polls after one of %v", f.accept, n, before)
				}
				before = n
			}
		})
	}
	scrapers.Wait()
	if ctx.Err() != nil {
		t.Errorf("only %d polls in a minute", polls.Load())
	}
	cancel()
	running.Wait()
}

// pollsOn is how many polls a page knows of.
func pollsOn(families map[string]*dto.MetricFamily) (n float64) {
	for _, m := range untyped(families[Prefix+"polls_total"]) {
		n += m.GetGauge().GetValue()
	}
	return n
}

// What a view becomes when it is too old is the same whoever asks, and when: the
// registry and the page agree, and the page can be shared.
func TestOldViewIsOneView(t *testing.T) {
	w := newStory()
	v := w.poll(0, logOf("t", 1, ends(0, 9)), groupOf("g", members(), commits(on("t", 4))))
	texts := map[string]bool{}
	for _, later := range []time.Duration{testStale + time.Nanosecond, time.Hour, 1000 * time.Hour} {
		p := publisherOf(v)
		p.now = func() time.Time { return v.Built.Add(later) }
		texts[served(t, p, "")] = true
		texts[textOf(t, familiesOf(t, p.moment().views...))] = true
	}
	if len(texts) != 1 {
		t.Errorf("%d different pages of one old view", len(texts))
	}
}
