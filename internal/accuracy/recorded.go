package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
	"github.com/lagwatch/lagwatch/rates"
)

// readTrace reads a file of docs/traces.md.
func readTrace(path string) (trace.Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return trace.Trace{}, err
	}
	defer f.Close()
	return trace.Read(f, path)
}

// writeTrace writes such a file.
func writeTrace(path string, t trace.Trace) error {
	f, err := createNew(path)
	if err != nil {
		return err
	}
	if err := trace.Write(f, t); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return f.Close()
}

// createNew opens a file for writing that is not there yet, or has nothing in it: a
// recording cannot be made again.
func createNew(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		err = fmt.Errorf("%s exists; remove it or name another", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// recorded is what is estimated on a trace of which the truth need not be known.
type recorded struct {
	name    string
	polls   int
	last    trace.Moment // when the last one began
	samples map[pair][]sample
	score   *score // of the samples whose truth is known
	known   int
}

// estimated replays a trace. Nobody is asked when records arrived.
func estimated(name string, t trace.Trace) recorded {
	r := recorded{name: name, polls: len(t.Polls), last: t.Polls[len(t.Polls)-1].At, samples: estimates(t, broker{})}
	known := map[pair][]sample{}
	for p, list := range r.samples {
		for _, x := range list {
			if x.truth != nil {
				known[p] = append(known[p], x)
				r.known++
			}
		}
	}
	r.score = scored(run{t.Header.Name, t.Header.Seed}, t.Header.Interval.Seconds(), known)
	return r
}

func (r recorded) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d polls. Estimates of the last one, at %s s, and in how many polls of a pair they were given; ? is not known, or not read in the last poll:\n\n", r.name, r.polls, moments(r.last))
	fmt.Fprint(w, "| group | topic | partition | polls | last read, s | lag | arrival/s | given | drain/s | given | lag age, s | given | ETA, s | given |\n"+
		"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, p := range inOrder(r.samples) {
		writePair(w, p, r.samples[p], r.polls-1)
	}
	if r.known > 0 {
		fmt.Fprintf(w, "\nThe truth is known of %d positions:\n\n", r.known)
		writeLines(w, "of these", report{total: r.score}.lines())
	}
}

// writePair is a line of the table. What the last poll did not read has no estimates:
// those of a poll before hold no longer.
func writePair(w io.Writer, p pair, list []sample, lastPoll int) {
	var arrivals, drains, ages, etas ratio
	for _, x := range list {
		arrivals.count(x.arrival.Known)
		drains.count(x.estimate.Drain.Known())
		ages.count(x.estimate.LagAge.Known())
		etas.count(x.estimate.DrainSeconds.Known())
	}
	last := list[len(list)-1]
	lag, at := strconv.FormatInt(last.lag, 10), moments(last.at)
	if last.poll != lastPoll {
		last, lag = sample{}, "?"
	}
	e := last.estimate
	eta := cell(e.DrainSeconds)
	if e.DrainSeconds.Known() {
		eta += fmt.Sprintf(" (%s–%s)", cell(e.DrainLow), cell(e.DrainHigh))
	}
	fmt.Fprintf(w, "| %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", p.group, p.topic, p.partition, len(list), at, lag,
		cell(last.arrivalValue()), percent(arrivals.share()), cell(e.Drain), percent(drains.share()),
		cell(e.LagAge), percent(ages.share()), eta, percent(etas.share()))
}

// moments shows a moment with all of its digits: it may count from 1970.
func moments(m trace.Moment) string { return strconv.FormatFloat(m.Seconds(), 'f', -1, 64) }

// cell shows a value, and "?" where it is not known.
func cell(v rates.Value) string {
	if got, ok := v.Get(); ok {
		return strconv.FormatFloat(got, 'g', 4, 64)
	}
	return "?"
}
