// Package report says what was measured: the figures, the targets that they are
// held to, and the tables that show both.
package report

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// Result is what was measured at one size with one choice of families. Every
// figure is a median over the rounds, unless it says otherwise.
type Result struct {
	Shape    synthetic.Shape
	Families string
	Rounds   int
	// Polls is how many polls of each client were measured, over all rounds.
	Polls    int
	Least    Client
	Lagwatch Client
	// Plain and Gzip are scrapes of lagwatch with the headers of Prometheus,
	// Plain without its compression.
	Plain, Gzip Page
	Series      int // on the page
}

// Client is what polling costs one client.
type Client struct {
	Requests   map[string]int // of one poll, as the brokers count them, by API
	First      time.Duration  // the poll that connects and reads start offsets
	Poll       time.Duration
	CPU        time.Duration // of a poll
	Allocated  float64       // bytes of a poll
	Allocs     float64       // allocations of a poll
	LiveHeap   uint64        // bytes, once, at the end
	PeakMemory uint64        // bytes, once, at the end
}

// Page is what one scrape costs.
type Page struct {
	Took      time.Duration // until its last byte had arrived
	CPU       time.Duration // of lagwatch
	Allocated float64       // bytes
	Bytes     int64         // on the wire, without headers
}

// Total is how many requests a poll sends.
func (c Client) Total() int {
	n := 0
	for _, k := range c.Requests {
		n += k
	}
	return n
}

// Per100000 is the CPU time of one poll and one scrape, for 100,000
// group-partitions.
func (r Result) Per100000() time.Duration {
	return time.Duration(float64(r.Lagwatch.CPU+r.Gzip.CPU) * 100_000 / float64(r.Shape.Pairs()))
}

// Median is the middle of a list that is not empty, or the mean of the two in
// the middle.
func Median[T ~int64 | ~float64](list []T) T {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
