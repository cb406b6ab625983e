package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// recorder makes a trace of what a lagwatch shows.
type recorder struct {
	url    string
	out    io.Writer
	client http.Client

	interval time.Duration // from poll to poll, as the page says
	trace    *trace.Writer // nil before the first poll
	first    float64       // when that ended, as a Unix time
	last     float64
	polls    int
}

// record writes into a file until ctx is done, and says each time it has something.
func record(ctx context.Context, url, file string, says io.Writer) error {
	f, err := createNew(file)
	if err != nil {
		return err
	}
	r := &recorder{url: url, out: f, client: http.Client{Timeout: 10 * time.Second}}
	return errors.Join(r.run(ctx, func() {
		fmt.Fprintf(says, "accuracy: polls in %s: %d; Ctrl-C ends it\n", file, r.polls)
	}), f.Close())
}

// run looks twice in an interval, so that no poll is missed. A page that cannot be
// had is a poll that was missed, but for the first.
func (r *recorder) run(ctx context.Context, wrote func()) error {
	for {
		p, ended, err := r.look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && r.polls == 0:
			return err
		case err == nil && p != nil:
			if err := r.write(p, ended); err != nil {
				return err
			}
			wrote()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.interval / 2):
		}
	}
}

// look fetches the page and when the poll on it ended; nil if there is none that was
// not on the page before.
func (r *recorder) look(ctx context.Context) (p page, ended float64, err error) {
	if p, err = r.fetch(ctx); err != nil {
		return nil, 0, err
	}
	seconds, err := p.only("poll_interval_seconds")
	if err != nil {
		return nil, 0, err
	}
	r.interval = max(time.Millisecond, time.Duration(seconds*float64(time.Second)))
	if ended, err = p.only("last_success_timestamp_seconds"); err != nil {
		return nil, 0, err
	}
	if up, err := p.only("up"); err != nil || up != 1 || ended <= r.last {
		return nil, 0, err
	}
	return p, ended, nil
}

func (r *recorder) write(p page, ended float64) (err error) {
	if r.trace == nil {
		if r.trace, err = trace.NewWriter(r.out, trace.Header{Interval: trace.Moment(r.interval)}); err != nil {
			return err
		}
		r.first = ended
	}
	at := trace.Moment(math.Round((ended-r.first)*1000)) * trace.Moment(time.Millisecond)
	r.last = ended
	r.polls++
	return r.trace.Poll(p.poll(at))
}

func (r *recorder) fetch(ctx context.Context) (page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	answer, err := r.client.Do(request)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("there is no page at %s: %w; is a lagwatch running there?", r.url, failed.Err)
	} else if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s; give the address of lagwatch's /metrics", r.url, answer.Status)
	}
	return parse(answer.Body)
}
