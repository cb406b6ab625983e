// Package report says what was measured: the figures, the targets that they are
// held to, and the tables that show both.
package report

import (
	"slices"

	"github.com/lagwatch/lagwatch/internal/bench/synthetic"
)

// Result is what was measured at one size with one choice of families. Figures
// are medians unless they say otherwise; sizes are in bytes.
type Result struct {
	Shape    synthetic.Shape `json:"shape"`
	Families string          `json:"families"`
	Rounds   int             `json:"rounds"`
	Polls    int             `json:"polls"`   // of each client, over all rounds
	Scrapes  int             `json:"scrapes"` // in each encoding, over all rounds
	Least    Client          `json:"least"`
	Lagwatch Client          `json:"lagwatch"`
	// Gzip and Plain are scrapes of lagwatch with the headers of Prometheus,
	// Plain without its compression, from another process.
	Gzip   Page `json:"gzip"`
	Plain  Page `json:"plain"`
	Series int  `json:"series"` // on the page
	// Both is what the process holds that was scraped in both encodings; all else
	// that is of Lagwatch is of one that was scraped in gzip alone.
	Both Memory `json:"both_encodings"`
	// GzipCrowd and PlainCrowd are many scrapes at once, in the same two processes,
	// after everything else.
	GzipCrowd  Crowd `json:"gzip_at_once"`
	PlainCrowd Crowd `json:"plain_at_once"`
	// Young is what the process held, that has gzip alone, before its history was
	// full: after three polls.
	Young Memory `json:"young"`
	// Conditions are what polls of Lagwatch cost with and without them; Calm the same
	// where nearly all groups are calm, zero where that was not measured.
	Conditions Conditions `json:"conditions"`
	Calm       Conditions `json:"calm_conditions,omitzero"`
	// History is of a part of the cluster, in another process.
	History History `json:"history"`
}

// History is what histories take that are full, in bytes for one series, and how
// long estimates from them take.
type History struct {
	PartitionBytes float64 `json:"partition_bytes"`
	PairBytes      float64 `json:"pair_bytes"`
	// Those of the steps alone, as varints.
	LeastPartitionBytes float64 `json:"least_partition_bytes"`
	LeastPairBytes      float64 `json:"least_pair_bytes"`
	// CPUSeconds are of one poll of the whole cluster.
	CPUSeconds float64 `json:"cpu_seconds"`
}

// Conditions are of polls that say why groups lag, and of polls that do not.
type Conditions struct {
	With    Cost `json:"with"`
	Without Cost `json:"without"`
	// Troubled is of how many groups one holds.
	Troubled int `json:"troubled,omitempty"`
}

// Cost is what a poll uses.
type Cost struct {
	CPUSeconds  float64 `json:"cpu_seconds"`
	Allocations float64 `json:"allocations"`
}

// Part is which part of a poll's CPU time conditions take; 0 where noise is more.
func (c Conditions) Part() float64 {
	return max(0, 1-c.Without.CPUSeconds/c.With.CPUSeconds)
}

// Client is what polling costs one client.
type Client struct {
	// Requests are those of one poll, as the brokers count them, by API and
	// version.
	Requests map[string]int `json:"requests"`
	// FirstSeconds is the poll that connects and reads start offsets, once.
	FirstSeconds float64 `json:"first_seconds"`
	Seconds      float64 `json:"seconds"`
	CPUSeconds   float64 `json:"cpu_seconds"`
	Allocated    float64 `json:"allocated_bytes"`
	Allocations  float64 `json:"allocations"`
	Memory
}

// Memory is what a process holds.
type Memory struct {
	Live uint64 `json:"live_heap_bytes"` // reachable after a poll, before the next scrape
	Peak uint64 `json:"peak_bytes"`      // the most that was resident at any time
}

// Page is what one scrape costs.
type Page struct {
	Seconds    float64 `json:"seconds"`     // until its last byte had arrived
	CPUSeconds float64 `json:"cpu_seconds"` // of lagwatch
	// CPUSecondsWithPoll is of a poll and a scrape, where they alternate.
	CPUSecondsWithPoll float64 `json:"cpu_seconds_with_poll"`
	Allocated          float64 `json:"allocated_bytes"`
	Allocations        float64 `json:"allocations"`
	Bytes              float64 `json:"bytes"` // of the body, as it was sent
}

// Total is how many requests a poll sends.
func (c Client) Total() int {
	n := 0
	for _, k := range c.Requests {
		n += k
	}
	return n
}

// Per100000 scales what belongs to the size to 100,000 group-partitions.
func (r Result) Per100000(v float64) float64 { return v * 100_000 / float64(r.Shape.Pairs()) }

// CPUPer100000 is the CPU time of a poll and a scrape as Prometheus does it, in
// seconds for 100,000 group-partitions.
func (r Result) CPUPer100000() float64 { return r.Per100000(r.Gzip.CPUSecondsWithPoll) }

// Median is the middle of a list that is not empty, or the mean of the two in
// the middle.
func Median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
