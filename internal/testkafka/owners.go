package testkafka

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ConsumerState is what a consumer reported last.
type ConsumerState struct {
	Consumer, Group string
	// MemberID and Generation are as in Event.
	MemberID   string
	Generation *int
	// Assignment is sorted.
	Assignment []TopicPartition
}

// eventLog keeps all events and the state that follows from them.
type eventLog struct {
	mu      sync.Mutex
	list    []Event
	states  map[string]ConsumerState // by consumer, of those that run
	ended   error
	changed chan struct{} // closed, and replaced, by every change
}

func newEventLog() *eventLog {
	return &eventLog{states: map[string]ConsumerState{}, changed: make(chan struct{})}
}

func (l *eventLog) add(line []byte) error {
	e, err := parseEvent(line)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, e)
	l.apply(e)
	l.wake()
	return nil
}

func (l *eventLog) apply(e Event) {
	switch e.Kind {
	case Assigned, Revoked, Lost, NewGeneration:
		l.states[e.Consumer] = ConsumerState{e.Consumer, e.Group, e.MemberID, e.Generation, e.Assignment}
	case Closed, Failed:
		delete(l.states, e.Consumer)
	case Committed, CommitFailed, Processed, Held, LoggedEpoch, LoggedAssignment:
	}
}

// end wakes all who wait: nothing will happen any more.
func (l *eventLog) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = err
	l.wake()
}

func (l *eventLog) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// wait returns when met, which is called with l.mu held, says so.
func (l *eventLog) wait(ctx context.Context, met func() (bool, error)) error {
	for {
		l.mu.Lock()
		ok, err := met()
		changed, ended := l.changed, l.ended
		l.mu.Unlock()
		switch {
		case ok || err != nil:
			return err
		case ended != nil:
			return ended
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// owners needs l.mu.
func (l *eventLog) owners(group string) map[string][]TopicPartition {
	owners := map[string][]TopicPartition{}
	for id, state := range l.states {
		if state.Group == group {
			owners[id] = slices.Clone(state.Assignment)
		}
	}
	return owners
}

// Events returns a copy of all events from number from on, in the order in
// which the driver reported them. Event 0 is the first since it started; none is
// ever forgotten.
func (d *Driver) Events(from int) []Event {
	d.events.mu.Lock()
	defer d.events.mu.Unlock()
	return slices.Clone(d.events.list[min(max(from, 0), len(d.events.list)):])
}

// WaitEvent returns the first event from number from on that match accepts, and
// its number. It waits for one until ctx ends.
func (d *Driver) WaitEvent(ctx context.Context, from int, match func(Event) bool) (Event, int, error) {
	var found Event
	next := max(from, 0)
	err := d.events.wait(ctx, func() (bool, error) {
		for ; next < len(d.events.list); next++ {
			if match(d.events.list[next]) {
				found = d.events.list[next]
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return Event{}, 0, fmt.Errorf("waiting for an event: %w", err)
	}
	return found, next, nil
}

// State returns what a consumer that runs has reported. It is not ok before its
// first report and after its end.
func (d *Driver) State(consumer string) (state ConsumerState, ok bool) {
	d.events.mu.Lock()
	defer d.events.mu.Unlock()
	state, ok = d.events.states[consumer]
	state.Assignment = slices.Clone(state.Assignment)
	return state, ok
}

// Owners returns which partitions the consumers of a group have, by consumer
// id, as they reported it. A consumer that has reported nothing yet, or has
// ended, is absent. Share consumers are never there: see LoggedAssignment.
func (d *Driver) Owners(group string) map[string][]TopicPartition {
	d.events.mu.Lock()
	defer d.events.mu.Unlock()
	return d.events.owners(group)
}

// WaitAssigned waits until met accepts the group's owners, which are as Owners
// returns them. met must be quick and must not call the driver. A consumer of
// the group that fails meanwhile ends the wait.
func (d *Driver) WaitAssigned(ctx context.Context, group string, met func(map[string][]TopicPartition) bool) error {
	checked := len(d.Events(0))
	err := d.events.wait(ctx, func() (bool, error) {
		for ; checked < len(d.events.list); checked++ {
			if e := d.events.list[checked]; e.Kind == Failed && e.Group == group {
				return false, fmt.Errorf("consumer %s failed: %s", e.Consumer, e.Error)
			}
		}
		return met(d.events.owners(group)), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the assignment of group %s, now %v%s: %w", group, d.Owners(group), d.failures(group), err)
	}
	return nil
}

// failures tells which consumers of a group have failed so far.
func (d *Driver) failures(group string) string {
	var text strings.Builder
	for _, e := range d.Events(0) {
		if e.Kind == Failed && e.Group == group {
			fmt.Fprintf(&text, "; consumer %s has failed: %s", e.Consumer, e.Error)
		}
	}
	return text.String()
}

// Spread is a condition for WaitAssigned: so many consumers have at least one
// partition each, and all have so many partitions, each of them once.
func Spread(consumers, partitions int) func(map[string][]TopicPartition) bool {
	return func(owners map[string][]TopicPartition) bool {
		busy, total := 0, 0
		distinct := map[TopicPartition]bool{}
		for _, list := range owners {
			if len(list) > 0 {
				busy++
			}
			total += len(list)
			for _, p := range list {
				distinct[p] = true
			}
		}
		return busy == consumers && total == partitions && len(distinct) == partitions
	}
}
