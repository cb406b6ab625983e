package rates

import (
	"math"
	"time"
)

// Load is what one group has to do and can, for [MembersNeeded].
type Load struct {
	// Partitions is how many partitions it reads, Members how many own some.
	Partitions, Members int
	// Arrival is the sum of the arrival rates, Busiest the largest of one
	// partition, in offsets per second. PerMember is the drain rate of a member
	// seen while it was behind.
	Arrival, Busiest, PerMember float64
	// Lag is the sum in offsets, LargestLag that of one partition; Within how soon
	// it shall be drained.
	Lag, LargestLag int64
	Within          time.Duration
}

// MembersNeeded is how many members would keep up and drain the backlog in time;
// never above the number of partitions, and false where one partition alone is more
// than a member can do, or where nothing is known of what a member can do.
//
// It is (arrival + lag / within) / what a member does, rounded up: 1 at least where
// there is anything to do, and 0 where nothing arrives and nothing is unread. The
// largest lag is taken to be on the busiest partition.
func MembersNeeded(l Load) (n int, ok bool) {
	if !(l.PerMember > 0) || math.IsInf(l.PerMember, 1) || l.Partitions <= 0 {
		return 0, false
	}
	total, one := toDo(l.Arrival, l.Lag, l.Within), toDo(l.Busiest, l.LargestLag, l.Within)
	// What is not known, and what is infinite, compares false.
	if !(total >= 0) || !(one*(1-rounding) <= l.PerMember) {
		return 0, false
	}
	needed := math.Ceil(total / l.PerMember * (1 - rounding))
	return int(min(needed, float64(l.Partitions))), true
}

// rounding is what sums of rates may be too large by, so that ten members' work is
// not that of eleven.
const rounding = 1e-9

// toDo is what has to be done in a second.
func toDo(arrival float64, lag int64, within time.Duration) float64 {
	if lag <= 0 {
		return arrival
	}
	return arrival + float64(lag)/max(within, 0).Seconds()
}
