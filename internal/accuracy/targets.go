package main

import (
	"fmt"
	"math"
)

// What estimates are held to, over all scenarios.
const (
	rateP90       = 0.05
	etaGiven      = 0.95
	etaP50        = 0.10
	etaP90        = 0.25
	boundsShare   = 0.90
	ageIntervals  = 1.0
	finitePolls   = 3
	betterAtLeast = 2.0
)

// target is what a figure is held to. The zero value is none.
type target struct {
	text    string
	verdict verdict
}

type verdict int

const (
	unjudged verdict = iota // there was nothing to measure
	met
	missed
)

// String is the target with what came of it.
func (t target) String() string {
	switch {
	case t.text == "":
		return ""
	case t.verdict == met:
		return t.text + ": met"
	case t.verdict == missed:
		return t.text + ": **missed**"
	}
	return t.text
}

func atMost(v, limit float64, show func(float64) string) target {
	return target{"at most " + show(limit), judged(v, v <= limit)}
}

func atLeast(v, limit float64, show func(float64) string) target {
	return target{"at least " + show(limit), judged(v, v >= limit)}
}

func judged(v float64, ok bool) verdict {
	switch {
	case math.IsNaN(v):
		return unjudged
	case ok:
		return met
	}
	return missed
}

// times shows a factor.
func times(v float64) string { return number(v) + "×" }

// missed are the lines whose targets are.
func (r report) missed() []line {
	var list []line
	for _, l := range r.lines() {
		if l.target.verdict == missed {
			list = append(list, l)
		}
	}
	return list
}

// check is an error if a target is missed.
func (r report) check() error {
	list := r.missed()
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("targets that are missed: %d, the first by %q: %s, %s", len(list), list[0].name, list[0].value, list[0].target.text)
}
