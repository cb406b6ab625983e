package diagnosis

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Diagnosis is what holds of a group.
type Diagnosis struct {
	Verdicts [Conditions]Verdict
	// Findings are one for each condition that holds, the headline first.
	Findings []Finding
}

// Finding is a condition that holds, with what proves it. It is never changed.
type Finding struct {
	Condition Condition
	// Since is when it was first seen to hold.
	Since snapshot.Instant
	// Sentence is one sentence, with numbers, that says why the group lags.
	Sentence string
	// Evidence are the numbers that prove it.
	Evidence []Evidence
	// Members are the ids of the members that it concerns, and Partitions the
	// partitions that matter most, the worst first; ten at most of either.
	Members    []string
	Partitions []TopicPartition
	// Next is what to do, a step each; a step may be a line to paste.
	Next []Step
}

// Evidence is a number and what it is of.
type Evidence struct {
	Name  string // in words of the metrics, like lag or lag_age
	Value float64
	Unit  string // "offsets", "seconds", "offsets/second", "partitions", …; "" for a ratio
}

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// Step is one thing to do: words, and the command that does it, "" if none.
type Step struct {
	Text, Command string
}

// Age is for how long it has held.
func (f *Finding) Age(now snapshot.Instant) time.Duration { return now.Sub(f.Since) }
