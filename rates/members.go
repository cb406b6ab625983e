package rates

import "time"

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
func MembersNeeded(l Load) (n int, ok bool) { return 0, false }
