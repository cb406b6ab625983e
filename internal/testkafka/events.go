package testkafka

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// EventKind says what happened to a consumer.
type EventKind int

// The kinds of events. The zero value is none of them.
const (
	// Assigned, Revoked and Lost are the calls of a rebalance listener. A thread
	// of a streams application has none: it reports any change as Assigned.
	Assigned EventKind = iota + 1
	Revoked
	Lost
	// NewGeneration is a generation, epoch or member id that came without a
	// change of partitions.
	NewGeneration
	// Committed is a commit that Kafka acknowledged.
	Committed
	// CommitFailed is a commit that a rebalance prevented. Error says why.
	CommitFailed
	// Processed is a batch of a share consumer with ReportCommits.
	Processed
	// Held is the record that a share consumer with HoldOne holds from now on;
	// Offsets has it.
	Held
	// LoggedEpoch is an epoch that the client of a share consumer or a streams
	// thread wrote to its log; it tells it nowhere else. Epochs that come without
	// any change for the member may be left out. LoggedAssignment is what a share
	// consumer logged that it is assigned. Neither shows in Driver.State.
	LoggedEpoch
	LoggedAssignment
	// Closed is the end that the test asked for.
	Closed
	// Failed is the end by an exception. Error says which.
	Failed
)

// eventNames are the driver's words.
var eventNames = map[EventKind]string{
	Assigned: "assigned", Revoked: "revoked", Lost: "lost", NewGeneration: "generation",
	Committed: "committed", CommitFailed: "commit-failed", Processed: "processed", Held: "held",
	LoggedEpoch: "logged-epoch", LoggedAssignment: "logged-assignment", Closed: "closed", Failed: "failed",
}

func (k EventKind) String() string {
	if name, ok := eventNames[k]; ok {
		return name
	}
	return "unknown event"
}

func parseEventKind(name string) (EventKind, error) {
	for kind, known := range eventNames {
		if name == known {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("unknown event %q", name)
}

// Event is something that happened to a consumer of the driver.
type Event struct {
	Kind EventKind
	// At is when the consumer noticed.
	At time.Time
	// Consumer is the id of its ConsumerSpec, or the client id of a streams
	// thread's consumer.
	Consumer, Group string
	// MemberID is empty for events other than Assigned, Revoked, Lost,
	// NewGeneration and LoggedEpoch, and for a consumer that isn't a member.
	MemberID string
	// Generation is the classic generation or the member epoch; nil where it is
	// not known, as after a member was thrown out.
	Generation *int
	// Partitions are those assigned, revoked or lost by this event; none for
	// streams threads.
	Partitions []TopicPartition
	// Assignment is all that the consumer has after it, sorted.
	Assignment []TopicPartition
	// Offsets are those of a Committed or Held event.
	Offsets Offsets
	// Before is when a synchronous commit was sent; zero for automatic ones.
	Before time.Time
	// Records is how many were in a Processed batch.
	Records int
	// Error belongs to CommitFailed and Failed.
	Error string
}

// wireEvent is an Event as the driver writes it, with times in nanoseconds
// since 1970.
type wireEvent struct {
	Event      string           `json:"event"`
	At         int64            `json:"at"`
	Before     int64            `json:"before"`
	Consumer   string           `json:"consumer"`
	Group      string           `json:"group"`
	MemberID   string           `json:"memberId"`
	Generation *int             `json:"generation"`
	Partitions []TopicPartition `json:"partitions"`
	Assignment []TopicPartition `json:"assignment"`
	Offsets    Offsets          `json:"offsets"`
	Records    int              `json:"records"`
	Error      string           `json:"error"`
}

func parseEvent(line []byte) (Event, error) {
	var w wireEvent
	if err := json.Unmarshal(line, &w); err != nil {
		return Event{}, fmt.Errorf("reading an event: %w", err)
	}
	kind, err := parseEventKind(w.Event)
	if err != nil {
		return Event{}, fmt.Errorf("reading an event: %w", err)
	}
	slices.SortFunc(w.Partitions, comparePartitions)
	slices.SortFunc(w.Assignment, comparePartitions)
	e := Event{
		Kind: kind, At: time.Unix(0, w.At), Consumer: w.Consumer, Group: w.Group,
		MemberID: w.MemberID, Generation: w.Generation, Partitions: w.Partitions,
		Assignment: w.Assignment, Offsets: w.Offsets, Records: w.Records, Error: w.Error,
	}
	if w.Before != 0 {
		e.Before = time.Unix(0, w.Before)
	}
	return e, nil
}
