// Package ownership follows who owns which partitions of a group: how often that
// changed, how many partitions moved, and for how long nobody could read in peace.
package ownership

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Source is what a count of rebalances is known from.
type Source uint8

// The sources.
const (
	Generation Source = iota // of a classic group, as its members tell it
	Epoch                    // of a consumer, share or streams group
	Observed                 // seen changes of members, assignment or state: a lower bound
	Sources                  // how many there are
)

var sources = [...]string{"generation", "epoch", "observed"}

func (s Source) String() string { return sources[s] }

// Totals only grow, from 0 when the group is first seen.
type Totals struct {
	Rebalances [Sources]uint64
	// Moved is how many partitions got another owner than their last one.
	Moved uint64
	// Unstable is for how long the group was seen to be between two assignments.
	Unstable time.Duration
}

// Round is one or several rebalances that one poll saw.
type Round struct {
	At     time.Time // when the poll saw it
	Source Source
	Count  int // how many there were since the poll before, ≥ 1
	// Generation is the generation or epoch since then; unknown where Source is
	// Observed.
	Generation snapshot.Maybe[int32]
	// Moved is how many partitions got another owner than their last one, then and
	// until the next round: groups of the consumer protocol hand them over in the
	// polls after it. Joined and Left are how many members came and went, then and
	// since the round before; a static member that comes back has done neither.
	Moved, Joined, Left int
}

// Recent is what happened in the last while.
type Recent struct {
	// Known says that the group's state and members could be followed till now. What
	// was counted before stands all the same.
	Known bool
	// Window is how far it looks back, less if the group is watched for less long.
	Window time.Duration
	Rounds int
	Moved  int
	// Unstable is for how long of the window the group was between two assignments,
	// Since for how long it has been now, 0 if it is stable.
	Unstable, Since time.Duration
	// Quiet is how long ago a round, or members or owners that are not as they were, was
	// last seen, whether it has been counted yet or not; unknown if none was.
	Quiet snapshot.Maybe[time.Duration]
}
