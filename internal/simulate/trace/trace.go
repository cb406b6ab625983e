// Package trace is what a sequence of polls saw of consumer groups, as plain values
// and as JSON Lines; docs/traces.md describes the format. A simulated trace also
// says what was true.
package trace

import "time"

// Trace is what the polls of some while saw.
type Trace struct {
	Header Header
	// Polls are in the order of time.
	Polls []Poll
}

// Header is what holds for a whole trace.
type Header struct {
	// Interval is the usual time between two polls.
	Interval Moment `json:"interval"`
	// Name and Seed say what it is a trace of; "" and 0 if nothing does.
	Name string `json:"name,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
}

// Moment is a moment of a trace, since it began, or a time between two. In JSON it
// is in seconds, to the millisecond.
type Moment time.Duration

// Seconds is the moment in seconds.
func (m Moment) Seconds() float64 { return time.Duration(m).Seconds() }

// Poll is what one poll saw. What it could not read is not in it.
type Poll struct {
	At Moment `json:"t"`
	// Restart says that whoever estimates knows nothing of the polls before.
	Restart   bool       `json:"restart,omitempty"`
	Logs      []Log      `json:"logs"`
	Positions []Position `json:"positions"`
}

// Log is where the log of a partition began and ended. A partition occurs once.
type Log struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
	// At is when the end was read, not before the commits of the same poll.
	At Moment `json:"t"`
}

// Position is what a group had committed on a partition whose log was read too. A
// group and partition occur once.
type Position struct {
	Group     string `json:"group"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Committed int64  `json:"committed"`
	At        Moment `json:"t"`
	// Owner is the member that has the partition, "" for none or unknown.
	Owner string `json:"owner,omitempty"`
	// Truth is nil where nobody knows it.
	Truth *Truth `json:"truth,omitempty"`
}

// Truth is what really was when the end offset was read. Rates are in offsets per
// second, times in seconds.
type Truth struct {
	// Arrival is how fast the log grows on average with what its producers do now.
	Arrival float64 `json:"arrival"`
	// Drain is how fast the group works: as it can while it is behind, as fast as
	// records arrive while it keeps up, 0 while it stands still.
	Drain float64 `json:"drain"`
	// Age is how long the oldest record that is not committed has been waiting.
	Age float64 `json:"age"`
	// ETA is the published lag divided by how much faster Drain is than Arrival:
	// 0 where the lag is 0 or the group keeps up, +Inf where it is not faster.
	ETA Infinite `json:"eta"`
	// Remaining is the same of what is not processed yet, committed or not.
	Remaining Infinite `json:"remaining"`
	// KeepsUp says that all has been processed but for what just arrived: the lag
	// is gone with the next commit.
	KeepsUp bool `json:"keeps_up,omitempty"`
	// Gap is the longest usual time between two commits.
	Gap float64 `json:"gap"`
	// CommitAge is how long before the position was read the committed offset had last
	// changed; nil where it never has.
	CommitAge *float64 `json:"commit_age,omitempty"`
	// Polls and Commits count what was seen since both rates are what they are now,
	// within 5 %, and since the history was last cut. Where nothing is committed
	// because nothing is done, Commits counts how often Gap has passed.
	Polls   int `json:"polls"`
	Commits int `json:"commits"`
}

// Infinite is a number that may be +Inf, which in JSON is the string "+Inf".
type Infinite float64
