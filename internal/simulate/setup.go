package simulate

import "time"

// step is the time between two states of the world, in seconds.
const step = 0.1

// Setup is a world at its beginning, and what will happen in it.
type Setup struct {
	Length    time.Duration
	Producers []Producer // one for each partition
	// Noise is by how much what arrives at each varies around its rate, from ten
	// seconds to ten seconds: the relative standard deviation.
	Noise   float64
	Members []Member
	Commit  Commit
	Polls   Polls
	// Past is what the log had at the beginning.
	Past Past
	// Behind is how many records were unread then, all of them arrived before; by
	// partition, 0 for those it is too short for.
	Behind []int64
	// Retain is how long records are kept, 0 for ever.
	Retain time.Duration
	// Delay is how long a record is on its way to a member.
	Delay time.Duration
	// Standalone says that the members are no members for Kafka: they assign
	// themselves, and commit all the same.
	Standalone bool
	Events     []Event
}

// Past is what each partition's log had before the beginning: records that arrived
// evenly.
type Past struct {
	PerSecond float64
	Span      time.Duration
}

// Member works off the partitions that it owns.
type Member struct {
	// Capacity is in records per second, shared evenly by its partitions of which
	// there is something to do.
	Capacity Curve
	// Jitter is by how much the capacity varies from second to second, or from Swing to
	// Swing if there is one: its relative standard deviation.
	Jitter float64
	Swing  time.Duration
	// Owns are the partitions that it begins with.
	Owns []int
	// Away says that it begins outside of the group.
	Away bool
}

// Commit says when members commit what they have processed: at times, or after so
// many records of a partition.
type Commit struct {
	Every time.Duration
	// Late is by how much more of Every it may be until the next.
	Late  float64
	Batch int64
}

// Polls says when polls look.
type Polls struct {
	Every time.Duration
	// Jitter is by how much of Every a poll may be late.
	Jitter float64
	// Between is how long after the commits the end offsets are read, at most.
	Between time.Duration
	// Lost is which share of polls fails, LostOne which share of partitions in the
	// others.
	Lost, LostOne float64
}

// Event is what happens at one moment, in seconds.
type Event struct {
	At float64
	do func(*world)
}

// Pause makes a member stand still for some seconds, after it committed.
func Pause(member int, at, seconds float64) []Event {
	return []Event{
		{at, func(w *world) { w.commitAll(member); w.members[member].stopped++ }},
		{at + seconds, func(w *world) { w.members[member].stopped-- }},
	}
}

// Crash makes a member stop without a commit. After some seconds another takes over
// its partitions and begins again with what was committed.
func Crash(member, heir int, at, seconds float64) []Event {
	return []Event{
		{at, func(w *world) { w.members[member].stopped++ }},
		{at + seconds, func(w *world) { w.handOver(member, heir) }},
	}
}

// Assign gives a partition to another member, after its owner has committed.
func Assign(partition, to int, at float64) []Event {
	return []Event{{at, func(w *world) { w.assign(partition, to) }}}
}

// Stick makes a partition's next record one that its owner cannot process, for some
// seconds.
func Stick(partition int, at, seconds float64) []Event {
	return []Event{
		{at, func(w *world) { w.parts[partition].stuck = true }},
		{at + seconds, func(w *world) { w.parts[partition].stuck = false }},
	}
}

// Rewind sets the group's position on a partition back by a number of records.
func Rewind(partition int, at float64, by int64) []Event {
	return []Event{{at, func(w *world) { w.parts[partition].rewind(w.now(), by) }}}
}

// Restart makes what polls start anew; for some seconds nobody polls.
func Restart(at, seconds float64) []Event {
	return []Event{{at, func(w *world) { w.downUntil, w.restart = at+seconds, true }}}
}
