package report

import "fmt"

// Targets, of lagwatch with default families. Memory is what the best known
// exporter took at the same sizes.
const (
	pollRatio  = 2.0  // of the least work's seconds
	cpuSeconds = 0.26 // of a poll and a page, for 100,000 group-partitions
	// conditionsPart is which part of a poll's CPU time conditions may take, from
	// conditionsFrom group-partitions on.
	conditionsPart, conditionsFrom = 0.1, 100_000
	// linear is by how much a group-partition may cost more than at the size
	// before. It is above 1 for noise, and since large has a quarter more
	// partitions for each group-partition than small.
	linear = 1.5
)

// peakMiB is the peak memory to stay under, by size.
var peakMiB = map[string]float64{"small": 59, "large": 362}

// Target is what a figure is held to. The zero value is none.
type Target struct {
	Text  string
	Met   bool
	Cause string // why it is missed, "" if nobody knows
}

// String is the target with what came of it, "" if there is none.
func (t Target) String() string {
	switch {
	case t.Text == "":
		return ""
	case t.Met:
		return t.Text + ": met"
	}
	text := t.Text + ": **missed**"
	if t.Cause != "" {
		text += " (" + t.Cause + ")"
	}
	return text
}

// pollTarget is for the sizes that have one, with whatever families.
func (r Result) pollTarget() Target {
	if _, ok := peakMiB[r.Shape.Name]; !ok {
		return Target{}
	}
	return Target{Text: fmt.Sprintf("at most %g×", pollRatio), Met: r.Lagwatch.Seconds <= pollRatio*r.Least.Seconds}
}

func (r Result) cpuTarget() Target {
	if r.Families != DefaultFamilies {
		return Target{}
	}
	return Target{Text: fmt.Sprintf("at most %g", cpuSeconds), Met: r.CPUPer100000() <= cpuSeconds}
}

func (r Result) conditionsTarget(c Conditions) Target {
	if r.Shape.Pairs() < conditionsFrom {
		return Target{}
	}
	return Target{Text: fmt.Sprintf("less than %g", conditionsPart), Met: c.Part() < conditionsPart}
}

func (r Result) peakTarget() Target {
	limit, ok := peakMiB[r.Shape.Name]
	if !ok || r.Families != DefaultFamilies {
		return Target{}
	}
	return Target{Text: fmt.Sprintf("under %g", limit), Met: float64(r.Lagwatch.Peak) < limit*mib}
}

// growthTarget compares with the next smaller size of the same families.
func (r Result) growthTarget(smaller Result) Target {
	cpu := r.CPUPer100000() / smaller.CPUPer100000()
	peak := r.Per100000(float64(r.Lagwatch.Peak)) / smaller.Per100000(float64(smaller.Lagwatch.Peak))
	return Target{
		Text: fmt.Sprintf("at most %g× %s (CPU %.2f×, memory %.2f×)", linear, smaller.Shape.Name, cpu, peak),
		Met:  cpu <= linear && peak <= linear,
	}
}

// DefaultFamilies is the name of the choice of families that targets are for.
const DefaultFamilies = "default"
