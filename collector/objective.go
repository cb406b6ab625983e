package collector

import (
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
)

// Objective is what a group owes to those who wait for it.
type Objective struct {
	// Age is how old its oldest unread record may become.
	Age time.Duration
	// Target is in which share of the time it has to be within Age, below 1.
	Target float64
	// Batch says that it has members now and then, on purpose.
	Batch bool
	// Team is who is told when it is late; "" for nobody in particular.
	Team string
}

// DefaultObjective is what groups owe of which nothing else is said.
func DefaultObjective() Objective { return Objective{Age: 5 * time.Minute, Target: 0.99} }

// Mode is continuous or batch.
func (o *Objective) Mode() string {
	if o.Batch {
		return "batch"
	}
	return "continuous"
}

func (o *Objective) labels() *page.Labels {
	return page.NewLabels("mode", o.Mode(), "team", o.Team)
}
