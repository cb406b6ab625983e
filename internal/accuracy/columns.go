package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// column is a figure of each scenario. It may have a target, which the whole is held to.
type column struct {
	name  string
	value func(*score) figure
}

// figure is what a cell shows.
type figure struct {
	text   string
	target target
}

// String marks what misses its target.
func (f figure) String() string {
	if f.target.verdict == missed {
		return "**" + f.text + "**"
	}
	return f.text
}

func inPercent(v float64, held ...func(float64) target) figure {
	l := share("", v, held...)
	return figure{l.value, l.target}
}

func plainly(v float64) figure { return figure{number(v), target{}} }

func drainColumn(name string, quantile float64, held ...func(float64) target) column {
	return column{name, func(s *score) figure { return inPercent(s.eta.errors.quantile(quantile), held...) }}
}

// drainColumns are the figures of rates, ages and drain times of pairs.
var drainColumns = []column{
	{"arrival p90", func(s *score) figure { return inPercent(s.arrival.errors.quantile(0.9), upTo(rateP90)) }},
	{"drain p90", func(s *score) figure { return inPercent(s.drain.errors.quantile(0.9), upTo(rateP90)) }},
	{"age, worst", func(s *score) figure {
		v := s.age.errors.worst()
		return figure{number(v), atMost(v, ageIntervals, number)}
	}},
	{"catches up: given", func(s *score) figure { return inPercent(s.eta.given.share(), from(etaGiven)) }},
	drainColumn("p50", 0.5, upTo(etaP50)),
	drainColumn("p90", 0.9, upTo(etaP90)),
	drainColumn("worst", 1),
	{"in bounds", func(s *score) figure { return inPercent(s.bounds.share(), from(boundsShare)) }},
	{"keeps up: given", func(s *score) figure { return inPercent(s.keeps.share(), from(etaGiven)) }},
	{"keeps up: right", func(s *score) figure { return inPercent(s.keepsRight.share()) }},
	{"keeps up: +Inf", func(s *score) figure { return inPercent(s.keepsEndless.share()) }},
	{"does not shrink: +Inf", func(s *score) figure { return inPercent(s.endless.share()) }},
	{"finite run", func(s *score) figure {
		return figure{strconv.Itoa(s.finite), atMost(float64(s.finite), finitePolls, number)}
	}},
	{"polls until right, p50", func(s *score) figure { return plainly(s.recovery.quantile(0.5)) }},
	{"p90", func(s *score) figure { return plainly(s.recovery.quantile(0.9)) }},
	{"never", func(s *score) figure { return figure{strconv.Itoa(s.unrecovered), target{}} }},
	{"not settled, worst", func(s *score) figure { return inPercent(s.early.errors.worst()) }},
}

// otherColumns are the figures of all else.
var otherColumns = []column{
	{"group catches up: given", func(s *score) figure { return inPercent(s.group.eta.given.share()) }},
	{"p50", func(s *score) figure { return inPercent(s.group.eta.errors.quantile(0.5)) }},
	{"p90", func(s *score) figure { return inPercent(s.group.eta.errors.quantile(0.9)) }},
	{"does not shrink: +Inf", func(s *score) figure { return inPercent(s.group.endless.share()) }},
	{"keeps up: +Inf", func(s *score) figure { return inPercent(s.group.keepsEndless.share()) }},
	{"processing time: given", func(s *score) figure { return inPercent(s.processing.given.share()) }},
	{"p50", func(s *score) figure { return inPercent(s.processing.errors.quantile(0.5)) }},
	{"p90", func(s *score) figure { return inPercent(s.processing.errors.quantile(0.9)) }},
	{"given while it keeps up", func(s *score) figure { return inPercent(s.idleProcessing.share()) }},
	{"commit age: given", func(s *score) figure { return inPercent(s.commitAge.given.share()) }},
	{"p90", func(s *score) figure { return plainly(s.commitAge.errors.quantile(0.9)) }},
	{"worst", func(s *score) figure { return plainly(s.commitAge.errors.worst()) }},
	{"headroom: given", func(s *score) figure { return inPercent(s.headroom.given.share()) }},
	{"worst", func(s *score) figure { return plainly(s.headroom.errors.worst()) }},
	{"too long by", func(s *score) figure { return plainly(s.headroomLate.worst()) }},
}

// writeScenarios is a table with a line for each scenario. Bold is what misses a target.
func (r report) writeScenarios(w io.Writer, columns []column) {
	fmt.Fprint(w, "\n| scenario |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprintf(w, "\n|---%s|\n", strings.Repeat("|--:", len(columns)))
	for i, s := range r.scores {
		fmt.Fprintf(w, "| %s |", r.scenarios[i].Name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", c.value(s))
		}
		fmt.Fprintln(w)
	}
}
