package main

import "fmt"

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

// target is what a figure is held to, and whether it is.
type target struct {
	text string
	met  bool
}

func (t target) String() string {
	switch {
	case t.text == "":
		return ""
	case t.met:
		return t.text + ": met"
	}
	return t.text + ": **missed**"
}

func atMost(v, limit float64) target {
	return target{"at most " + percent(limit), v <= limit}
}

func atLeast(v, limit float64) target {
	return target{"at least " + percent(limit), v >= limit}
}

func factor(v float64) target {
	return target{fmt.Sprintf("at least %g×", betterAtLeast), v >= betterAtLeast}
}
