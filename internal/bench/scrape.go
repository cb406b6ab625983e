package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/lagwatch/lagwatch/internal/bench/child"
	"github.com/lagwatch/lagwatch/internal/bench/report"
	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// accept is what Prometheus 3 asks for by default.
const accept = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6," +
	"application/openmetrics-text;version=0.0.1;q=0.5," +
	"text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"

// inGzip measures pages as Prometheus takes them.
func (b *bench) inGzip(ctx context.Context) error {
	var gzipped scraped
	for i := range b.rounds {
		b.step(fmt.Sprintf("scrapes in gzip, round %d of %d", i+1, b.rounds))
		if err := b.scrapeRound(ctx, "gzip", &gzipped); err != nil {
			return err
		}
	}
	b.result.Gzip = gzipped.page()
	return nil
}

// inBoth measures pages without compression. The last of a round is there in gzip
// as well, as where two scrapers differ.
func (b *bench) inBoth(ctx context.Context) (err error) {
	if b.result.Series, err = b.countSeries(ctx); err != nil {
		return err
	}
	var plain scraped
	for i := range b.rounds {
		b.step(fmt.Sprintf("scrapes without compression, round %d of %d", i+1, b.rounds))
		if err := b.scrapeRound(ctx, "identity", &plain); err != nil {
			return err
		}
		if _, err := read(ctx, &scraper, b.url, "gzip"); err != nil {
			return err
		}
	}
	b.result.Plain = plain.page()
	return nil
}

// scrapesPerRound is how many scrapes in one encoding are taken together.
func scrapesPerRound(s synthetic.Shape) int { return min(5, pollsPerRound(s)) }

// scraped collects the scrapes in one encoding; withPoll has one element a round.
type scraped struct{ seconds, cpu, withPoll, allocations, allocated, bytes []float64 }

func (s *scraped) page() report.Page {
	return report.Page{
		Seconds: report.Median(s.seconds), CPUSeconds: report.Median(s.cpu), CPUSecondsWithPoll: report.Median(s.withPoll),
		Allocations: report.Median(s.allocations), Allocated: report.Median(s.allocated),
		Bytes: report.Median(s.bytes),
	}
}

// scrapeRound polls and scrapes, some times over. Each scrape comes after a poll,
// and the two are measured together as well: what a poll makes for the next scrape,
// or leaves for the garbage collector, must not look as if it were for free.
func (b *bench) scrapeRound(ctx context.Context, encoding string, s *scraped) error {
	n := scrapesPerRound(b.shape)
	used, err := b.usage(func() error {
		for range n {
			if err := b.lagwatch.Call("poll", 1, nil); err != nil {
				return err
			}
			if err := b.scrape(ctx, encoding, s); err != nil {
				return err
			}
		}
		return nil
	})
	s.withPoll = append(s.withPoll, used.CPUSeconds/float64(n))
	return err
}

// scrape notes what one scrape takes.
func (b *bench) scrape(ctx context.Context, encoding string, s *scraped) error {
	used, err := b.usage(func() error {
		began := time.Now()
		n, err := read(ctx, &scraper, b.url, encoding)
		s.seconds, s.bytes = append(s.seconds, time.Since(began).Seconds()), append(s.bytes, float64(n))
		return err
	})
	s.cpu = append(s.cpu, used.CPUSeconds)
	s.allocations = append(s.allocations, float64(used.Allocations))
	s.allocated = append(s.allocated, float64(used.Allocated))
	return err
}

// usage tells what lagwatch uses while f runs.
func (b *bench) usage(f func() error) (child.Usage, error) {
	var before, after child.Usage
	if err := b.lagwatch.Call("usage", 1, &before); err != nil {
		return after, err
	}
	if err := f(); err != nil {
		return after, err
	}
	err := b.lagwatch.Call("usage", 1, &after)
	return after.Since(before), err
}

// countSeries counts the lines of a page that are samples.
func (b *bench) countSeries(ctx context.Context) (int, error) {
	resp, err := get(ctx, &scraper, b.url, "identity")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n := 0
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if text := lines.Bytes(); len(text) > 0 && text[0] != '#' {
			n++
		}
	}
	return n, lines.Err()
}

// scraper takes pages as they come: what is compressed stays so.
var scraper = http.Client{Transport: &http.Transport{DisableCompression: true}}

// read scrapes and returns how many bytes the body had as it was sent.
func read(ctx context.Context, client *http.Client, url, encoding string) (int64, error) {
	resp, err := get(ctx, client, url, encoding)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, resp.Body)
}

// get scrapes, and returns an answer that is what was asked for. The caller
// closes its body.
func get(ctx context.Context, client *http.Client, url, encoding string) (*http.Response, error) {
	req, err := request(ctx, url, encoding)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	got := cmp.Or(resp.Header.Get("Content-Encoding"), "identity")
	if resp.StatusCode != http.StatusOK || got != encoding {
		resp.Body.Close()
		return nil, fmt.Errorf("scraping %s in %s: status %d, encoding %s", url, encoding, resp.StatusCode, got)
	}
	return resp, nil
}

func request(ctx context.Context, url, encoding string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", encoding)
	return req, nil
}
