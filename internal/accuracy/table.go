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
		{"arrival rate: error p90", percent(t.arrival.errors.quantile(0.9)), atMost(t.arrival.errors.quantile(0.9), rateP90)},
		{"arrival rate: given", percent(t.arrival.given.share()), target{}},
		{"drain rate: error p90", percent(t.drain.errors.quantile(0.9)), atMost(t.drain.errors.quantile(0.9), rateP90)},
		{"drain rate: given", percent(t.drain.given.share()), target{}},
		{"lag age: worst error, in intervals of polls", number(t.age.errors.worst()), target{"at most 1", t.age.errors.worst() <= ageIntervals}},
		{"lag age: given", percent(t.age.given.share()), target{}},
		{"ETA of what catches up: given", percent(t.eta.given.share()), atLeast(t.eta.given.share(), etaGiven)},
		{"ETA of what catches up: error p50", percent(t.eta.errors.quantile(0.5)), atMost(t.eta.errors.quantile(0.5), etaP50)},
		{"ETA of what catches up: error p90", percent(t.eta.errors.quantile(0.9)), atMost(t.eta.errors.quantile(0.9), etaP90)},
		{"ETA of what catches up: error, worst", percent(t.eta.errors.worst()), target{}},
		{"ETA of what catches up: truth within low and high", percent(t.bounds.share()), atLeast(t.bounds.share(), boundsShare)},
		{"ETA of what keeps up: given", percent(t.keeps.share()), atLeast(t.keeps.share(), etaGiven)},
		{"ETA of what keeps up: no longer than to the next commit and a poll", percent(t.keepsRight.share()), target{}},
		{"ETA of what does not shrink: +Inf", percent(t.endless.share()), target{}},
		{"longest run of polls with a finite ETA while lag does not shrink", strconv.Itoa(t.finite), target{fmt.Sprint("at most ", finitePolls), t.finite <= finitePolls}},
		{"ETA right again after a change: polls, p50", number(t.recovery.quantile(0.5)), target{}},
		{"ETA right again after a change: polls, p90", number(t.recovery.quantile(0.9)), target{}},
		{"ETA not right within six polls and until the next change: times", strconv.Itoa(t.unrecovered), target{}},
		{"ETA before the rates are settled: given", percent(t.early.given.share()), target{}},
		{"ETA before the rates are settled: error p90", percent(t.early.errors.quantile(0.9)), target{}},
		{"ETA before the rates are settled: error, worst", percent(t.early.errors.worst()), target{}},
		{"ETA against what is not processed yet: error p50", percent(t.remaining.quantile(0.5)), target{}},
		{"ETA against what is not processed yet: error p90", percent(t.remaining.quantile(0.9)), target{}},
	}
	return append(list, r.compared()...)
}

// compared are how many times as far off the better alternative is.
func (r report) compared() []line {
	var list []line
	for _, q := range []float64{0.5, 0.9} {
		times := r.total.compared[everywhere].times(q)
		list = append(list, line{fmt.Sprintf("ETA: error p%g of the best alternative, in lagwatch's", 100*q), number(times) + "×", factor(times)})
	}
	return list
}

// missed are the lines whose targets are.
func (r report) missed() []line {
	var list []line
	for _, l := range r.lines() {
		if l.target.text != "" && !l.target.met {
			list = append(list, l)
		}
	}
	return list
}

func (r report) write(w io.Writer) {
	fmt.Fprintf(w, "%d scenarios, seeds %d to %d.\n\n", len(r.scenarios), r.first, r.first+r.n-1)
	fmt.Fprint(w, "| all scenarios | | target |\n|---|--:|---|\n")
	for _, l := range r.lines() {
		fmt.Fprintf(w, "| %s | %s | %s |\n", l.name, l.value, l.target)
	}
	r.writeScenarios(w)
	r.writeOthers(w)
	r.writeWorst(w)
}

func (r report) writeScenarios(w io.Writer) {
	fmt.Fprint(w, "\n| scenario | arrival p90 | drain p90 | age worst | ETA given | p50 | p90 | worst | in bounds | kept up | +Inf | finite run | right after, p50 | p90 | never | early worst |\n"+
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, s := range r.scores {
		e := s.eta.errors
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d | %s | %s | %d | %s |\n", r.scenarios[i].Name,
			percent(s.arrival.errors.quantile(0.9)), percent(s.drain.errors.quantile(0.9)), number(s.age.errors.worst()),
			percent(s.eta.given.share()), percent(e.quantile(0.5)), percent(e.quantile(0.9)), percent(e.worst()), percent(s.bounds.share()),
			percent(s.keepsRight.share()), percent(s.endless.share()), s.finite,
			number(s.recovery.quantile(0.5)), number(s.recovery.quantile(0.9)), s.unrecovered, percent(s.early.errors.worst()))
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
	return strconv.FormatFloat(v, 'g', 3, 64)
}
