package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lagwatch/lagwatch/internal/simulate"
)

// report is what was measured.
type report struct {
	scenarios []simulate.Scenario
	scores    []*score
	total     *score
	first, n  uint64
}

// line is a figure of all scenarios together.
type line struct {
	name   string
	value  string
	target target
}

// lines are the figures that targets are for, and those beside them.
func (r report) lines() []line {
	t := r.total
	list := []line{
		share("arrival rate: error p90", t.arrival.errors.quantile(0.9), upTo(rateP90)),
		share("arrival rate: given", t.arrival.given.share()),
		share("drain rate: error p90", t.drain.errors.quantile(0.9), upTo(rateP90)),
		share("drain rate: given", t.drain.given.share()),
		{"lag age: worst error, in intervals of polls", number(t.age.errors.worst()), atMost(t.age.errors.worst(), ageIntervals, number)},
		share("lag age: given", t.age.given.share()),
		share("ETA of what catches up: given", t.eta.given.share(), from(etaGiven)),
		share("ETA of what catches up: error p50", t.eta.errors.quantile(0.5), upTo(etaP50)),
		share("ETA of what catches up: error p90", t.eta.errors.quantile(0.9), upTo(etaP90)),
		share("ETA of what catches up: error, worst", t.eta.errors.worst()),
		share("ETA of what catches up: truth within low and high", t.bounds.share(), from(boundsShare)),
		share("ETA of what keeps up: given", t.keeps.share(), from(etaGiven)),
		share("ETA of what keeps up: no longer than to the next commit and a poll", t.keepsRight.share()),
		share("ETA of what keeps up, settled or not: +Inf", t.keepsEndless.share()),
		{"longest run of polls with +Inf while a pair keeps up, settled or not", strconv.Itoa(t.falseEndless), target{}},
		share("ETA of what does not shrink: +Inf", t.endless.share()),
		{"longest run of polls with a finite ETA while lag does not shrink", strconv.Itoa(t.finite), atMost(float64(t.finite), finitePolls, number)},
		{"the same, of lags greater than what arrives between two commits and a poll", strconv.Itoa(t.finiteSeen), atMost(float64(t.finiteSeen), finitePolls, number)},
		{"ETA right again after a change: polls, p50", number(t.recovery.quantile(0.5)), target{}},
		{"ETA right again after a change: polls, p90", number(t.recovery.quantile(0.9)), target{}},
		{"ETA not right within six polls and until the next change: times", strconv.Itoa(t.unrecovered), target{}},
		share("ETA before the rates are settled: given", t.early.given.share()),
		share("ETA before the rates are settled: error p90", t.early.errors.quantile(0.9)),
		share("ETA before the rates are settled: error, worst", t.early.errors.worst()),
		share("ETA against what is not processed yet: error p50", t.remaining.quantile(0.5)),
		share("ETA against what is not processed yet: error p90", t.remaining.quantile(0.9)),
	}
	list = append(list, t.others()...)
	for _, q := range []float64{0.5, 0.9} {
		v := t.compared[everywhere].times(q)
		list = append(list, line{fmt.Sprintf("ETA: error p%g of the best alternative, in lagwatch's", 100*q), times(v), atLeast(v, betterAtLeast, times)})
	}
	return list
}

// others are the lines of what is estimated beside rates, ages and drain times of pairs.
func (s *score) others() []line {
	return []line{
		share("ETA of a group of several partitions that catches up: given", s.group.eta.given.share()),
		share("ETA of a group of several partitions that catches up: error p50", s.group.eta.errors.quantile(0.5)),
		share("ETA of a group of several partitions that catches up: error p90", s.group.eta.errors.quantile(0.9)),
		share("ETA of a group of which a partition does not shrink: +Inf", s.group.endless.share()),
		share("ETA of a group of several partitions that keeps up: +Inf", s.group.keepsEndless.share()),
		share("processing time while behind: given", s.processing.given.share()),
		share("processing time while behind: error p50", s.processing.errors.quantile(0.5)),
		share("processing time while behind: error p90", s.processing.errors.quantile(0.9)),
		share("processing time while a pair keeps up, which shows none: given", s.idleProcessing.share()),
		share("commit age once there was a commit: given", s.commitAge.given.share()),
		{"commit age: error p90, in intervals of polls", number(s.commitAge.errors.quantile(0.9)), target{}},
		{"commit age: worst error, in intervals of polls", number(s.commitAge.errors.worst()), target{}},
		share("retention headroom by time, where records are deleted: given", s.headroom.given.share()),
		{"retention headroom: worst error, in intervals of polls", number(s.headroom.errors.worst()), target{}},
		{"retention headroom: too long by, worst, in intervals of polls", number(s.headroomLate.worst()), target{}},
	}
}

// share is the line of one, which may have a target.
func share(name string, v float64, held ...func(float64) target) line {
	l := line{name: name, value: percent(v)}
	for _, to := range held {
		l.target = to(v)
	}
	return l
}

func upTo(limit float64) func(float64) target {
	return func(v float64) target { return atMost(v, limit, percent) }
}

func from(limit float64) func(float64) target {
	return func(v float64) target { return atLeast(v, limit, percent) }
}

// String is the report in Markdown.
func (r report) String() string {
	var b strings.Builder
	r.write(&b)
	return b.String()
}

func (r report) write(w io.Writer) {
	fmt.Fprintf(w, "Scenarios: %d, of each the seeds %d to %d.\n\n", len(r.scenarios), r.first, r.first+r.n-1)
	writeLines(w, "all scenarios", r.lines())
	r.writeScenarios(w, drainColumns)
	r.writeScenarios(w, otherColumns)
	r.writeOthers(w)
	r.writeWorst(w)
	fmt.Fprint(w, "\n| scenario | what happens |\n|---|---|\n")
	for _, s := range r.scenarios {
		fmt.Fprintf(w, "| %s | %s |\n", s.Name, s.About)
	}
}

func writeLines(w io.Writer, of string, list []line) {
	fmt.Fprintf(w, "| %s | | target |\n|---|--:|---|\n", of)
	for _, l := range list {
		fmt.Fprintf(w, "| %s | %s | %s |\n", l.name, l.value, l.target)
	}
}

// writeOthers compares with the alternatives, by scenario in all polls, and over all
// scenarios in each choice of polls.
func (r report) writeOthers(w io.Writer) {
	fmt.Fprint(w, "\n| ETA: error p50, p90, given | lagwatch |")
	for _, name := range alternativeNames {
		fmt.Fprintf(w, " %s |", name)
	}
	fmt.Fprintf(w, "\n|---%s|\n", strings.Repeat("|--:", contestants))
	for i, s := range r.scores {
		if c := s.compared[everywhere]; len(c[0].errors) > 0 {
			c.write(w, r.scenarios[i].Name)
		}
	}
	for i, c := range r.total.compared {
		c.write(w, "all scenarios: "+comparisonNames[i])
	}
}

func (c contest) write(w io.Writer, name string) {
	fmt.Fprintf(w, "| %s |", name)
	for _, m := range c {
		fmt.Fprintf(w, " %s, %s, %s |", percent(m.errors.quantile(0.5)), percent(m.errors.quantile(0.9)), percent(m.given.share()))
	}
	fmt.Fprintln(w)
}

func (r report) writeWorst(w io.Writer) {
	lists := []struct {
		name string
		list []worst
		show func(float64) string
	}{
		{"ETA, settled: error", r.total.worstETA, percent},
		{"ETA, not settled: error", r.total.worstEarly, percent},
		{"ETA finite while lag does not shrink: polls", r.total.worstFinite, number},
		{"ETA +Inf while a pair keeps up: polls", r.total.worstEndless, number},
		{"lag age: intervals", r.total.worstAge, number},
	}
	fmt.Fprint(w, "\n| worst | | draw it |\n|---|--:|---|\n")
	for _, l := range lists {
		for _, x := range l.list {
			fmt.Fprintf(w, "| %s | %s | `make accuracy SCENARIO=%s SEED=%d DRAW=1` at %.0f s |\n", l.name, l.show(x.error), x.run.scenario, x.run.seed, x.at.Seconds())
		}
	}
}

func percent(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v >= 10:
		return fmt.Sprintf("%.0f×", v)
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
