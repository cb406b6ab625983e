package ownership

import "github.com/lagwatch/lagwatch/internal/snapshot"

// Room is how many members of a group can be assigned anything: at least Least and at
// most Most, of which both are the same where it is known exactly. Partitions are those
// of the topics that they subscribe to.
type Room struct{ Least, Most, Partitions int }

// RoomOf is that of a group, by the partition counts of the topics. Assignors that
// deal out the partitions one by one keep a member busy for each. "range" deals out
// each topic anew and begins with the same members: those that are more than the
// largest topic has partitions get nothing, where all subscribe alike. How many tasks a
// Streams application has depends on its topology, of which Kafka tells nothing for all
// groups: no fewer than the largest topic has partitions. Of other assignors nothing is
// known. A share group has no such limit; for one it is the number of partitions.
func RoomOf(kind snapshot.GroupType, assignor string, alike bool, partitions []int) Room {
	sum, largest := 0, 0
	for _, n := range partitions {
		sum, largest = sum+n, max(largest, n)
	}
	switch {
	case kind == snapshot.TypeShare:
		return Room{sum, sum, sum}
	case kind == snapshot.TypeStreams || assignor == "stream":
		return Room{largest, sum, sum}
	}
	switch assignor {
	case "range":
		if alike {
			return Room{largest, largest, sum}
		}
		return Room{largest, sum, sum}
	case "roundrobin", "sticky", "cooperative-sticky", "uniform":
		return Room{sum, sum, sum}
	}
	return Room{0, sum, sum}
}

// Exact tells whether it is known exactly.
func (r Room) Exact() bool { return r.Least == r.Most }
