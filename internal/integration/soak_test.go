//go:build soak

package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

const (
	// faultEvery is the time from one fault to the next.
	faultEvery = 30 * time.Second
	// recoverPolls is how many polls may show something incomplete after a
	// fault is over: Kafka itself has to move leaders and load groups first.
	recoverPolls = 20
)

// TestSoak proves that no page is ever wrong while brokers, leaders, topics,
// groups and members come and go for SOAK_MINUTES, that every fault is
// over on the page soon after it is over, and that nothing leaks. There are
// groups of all four types.
// SOAK_SEED repeats the choices of an earlier run.
func TestSoak(t *testing.T) {
	span, seed := soakSettings(t)
	t.Logf("%v of faults with SOAK_SEED=%d", span, seed)
	s := startSoak(t, seed)
	await.Until(t, time.Minute, "the warm-up to pass", passed(15*time.Second))
	s.lagwatch.await(t, 2*time.Minute, "everything on the page", s.whole)
	begin, heap := s.measure()
	over := passed(span)
	for next := time.Now(); !over(); {
		for _, kind := range s.random.Perm(len(soakFaults)) {
			await.Until(t, 2*faultEvery, "the time of the next fault", func() bool { return time.Now().After(next) || over() })
			if over() {
				break
			}
			next = time.Now().Add(faultEvery)
			s.breakSomething(t, soakFaults[kind])
		}
	}
	s.churn.stop()
	s.lagwatch.await(t, 3*time.Minute, "everything on the page again", s.whole)
	pages := s.judge.stop()
	t.Logf("what broke, and what the page said (%d pages):\n%s", pages, s.table())
	s.checkNoLeak(t, begin, heap)
}

func soakSettings(t *testing.T) (span time.Duration, seed uint64) {
	t.Helper()
	minutes, seed := 5.0, uint64(time.Now().UnixNano())
	if text := os.Getenv("SOAK_MINUTES"); text != "" {
		var err error
		minutes, err = strconv.ParseFloat(text, 64)
		check(t, err)
	}
	if text := os.Getenv("SOAK_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		check(t, err)
	}
	return time.Duration(minutes * float64(time.Minute)), seed
}

// soak is one run.
type soak struct {
	*load
	lagwatch *lagwatch
	stock    stock
	judge    *judge
	churn    *churn
	random   *rand.Rand
	began    time.Time
	rows     []row
	// What there is on the side topic.
	sideEnd, sideCommit int64
}

// row is one fault in the table.
type row struct {
	at          time.Duration
	fault       string
	took, whole time.Duration // the fault itself, and from its end to a complete page
	polls       int           // in that time
	said        string
	after       footprint
	heap        uint64
}

func startSoak(t *testing.T, seed uint64) *soak {
	t.Helper()
	c := startBrokers(t)
	s := &soak{load: startLoad(t, c), random: rand.New(rand.NewPCG(seed, 0)), began: time.Now()}
	check(t, s.createSide(t.Context()))
	check(t, s.createPassing(t.Context()))
	s.startLater(t)
	s.lagwatch = startLagwatch(t, c.Bootstrap())
	s.lagwatch.await(t, 2*time.Minute, "everything on the page", s.whole)
	s.judge = startJudge(t, s.lagwatch, s.stock)
	s.churn = startChurn(t, s.driver, rand.New(rand.NewPCG(seed, 1)))
	return s
}

// breakSomething does one fault, waits until the page is complete again, and
// writes a row.
func (s *soak) breakSomething(t *testing.T, f soakFault) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	began := time.Now()
	what, err := f(ctx, s)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	ended := time.Now()
	first := s.lagwatch.page(t)
	r := row{at: began.Sub(s.began), fault: what, took: ended.Sub(began)}
	last := s.lagwatch.await(t, 2*time.Minute, "a complete page after: "+what, func(p *page) bool {
		began, ok := p.pollBegan()
		return ok && began.After(ended) && p.complete(soakGroups...) && standsStill(p) == nil && s.stock.stands(p) == nil
	})
	r.whole, r.polls = time.Since(ended), last.polls("")-first.polls("")
	r.said = s.judge.said(began)
	r.after, r.heap = s.measure()
	s.rows = append(s.rows, r)
	t.Logf("%s: complete %s after its end, after %d polls; %s", what, seconds(r.whole), r.polls, r.said)
	if r.polls > recoverPolls {
		t.Errorf("%s: complete only after %d polls, want %d at most", what, r.polls, recoverPolls)
	}
}

func (s *soak) measure() (footprint, uint64) {
	return footprintNow(s.cluster.Bootstrap()), liveHeap()
}

// checkNoLeak compares what the process holds with what it held after the
// warm-up. Idle connections live for half a minute.
func (s *soak) checkNoLeak(t *testing.T, begin footprint, heap uint64) {
	t.Helper()
	awaitFootprint(t, s.cluster.Bootstrap(), begin, 2*time.Minute)
	const mib = 1 << 20
	end := liveHeap()
	t.Logf("live heap: %.1f MiB after the warm-up, %.1f MiB at the end", float64(heap)/mib, float64(end)/mib)
	if end > heap+8*mib {
		t.Error("the live heap has grown by more than 8 MiB")
	}
}

func (s *soak) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "at\tfault\ttook\tcomplete after\tpolls\tgoroutines\tfiles\theap\tthe page meanwhile")
	for _, r := range s.rows {
		fmt.Fprintf(w, "%.0fs\t%s\t%.1fs\t%.1fs\t%d\t%d\t%d\t%.1f MiB\t%s\n", r.at.Seconds(), r.fault, r.took.Seconds(),
			r.whole.Seconds(), r.polls, r.after.goroutines, r.after.files, float64(r.heap)/(1<<20), r.said)
	}
	w.Flush()
	return b.String()
}
