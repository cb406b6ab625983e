package exercise

import (
	"sync"
)

// Effect is what became of a delivery.
type Effect string

// The effects of a delivery.
const (
	EffectNone      Effect = "none"      // the worker did not come to it
	EffectFirst     Effect = "first"     // the operation was new to the store
	EffectDuplicate Effect = "duplicate" // the store had seen the operation, and absorbed it
)

// Delivery is one event as one consumer got it.
type Delivery struct {
	Event
	Member string `json:"member"`
	Effect Effect `json:"effect"`
	// Again says that the event had been delivered before.
	Again bool `json:"again,omitempty"`
	// Held says that its worker was slow on purpose.
	Held bool `json:"held,omitempty"`
	// Late says that its worker finished when the partition was not its consumer's
	// any more, so that it counted for no commit.
	Late bool `json:"late,omitempty"`
}

// delivery is a Delivery and what the ledger needs to know of it.
type delivery struct {
	Delivery
	tenure  *tenure
	changed int // the ledger's count of changes at its last one
}

// tenure is the time for which a partition is assigned to a member.
type tenure struct {
	member    string
	partition int32
	committed int64 // the last position it committed, -1 if none
}

// ledger writes down what happens, and holds the store that knows the operations it
// has seen. Its methods may be called concurrently.
type ledger struct {
	mu         sync.Mutex
	changes    int
	deliveries []*delivery
	effects    []*delivery          // in the order in which the store took them
	seen       map[string]bool      // operations that had their effect
	delivered  map[string]bool      // operations
	skips      []Skip               // commits that passed a record without an effect
	moved      int                  // times that a partition was assigned to another member than before
	last       map[int32]string     // members by partition, who had it last
	positions  map[int32]int64      // committed by the group
	tenures    map[*tenure]struct{} // that have not ended
}

// Skip is a commit of a position beyond a record that was delivered and not done: a
// successor will not read that record.
type Skip struct {
	Member    string `json:"member"`
	Committed int64  `json:"committed"`
	Event     Event  `json:"skipped"`
}

func newLedger() *ledger {
	return &ledger{
		skips: []Skip{}, seen: map[string]bool{}, delivered: map[string]bool{}, last: map[int32]string{},
		positions: map[int32]int64{}, tenures: map[*tenure]struct{}{},
	}
}

// begin notes that a member was assigned a partition.
func (l *ledger) begin(member string, partition int32) *tenure {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &tenure{member: member, partition: partition, committed: -1}
	l.tenures[t] = struct{}{}
	if before, ok := l.last[partition]; ok && before != member {
		l.moved++
	}
	l.last[partition] = member
	return t
}

// moves is how often a partition was assigned to another member than before.
func (l *ledger) moves() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.moved
}

// end notes that a partition is its member's no more.
func (l *ledger) end(t *tenure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tenures, t)
}

// deliver notes that a member got an event.
func (l *ledger) deliver(t *tenure, e Event) *delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := &delivery{Delivery: Delivery{Event: e, Member: t.member, Effect: EffectNone, Again: l.delivered[e.Operation]}, tenure: t}
	l.delivered[e.Operation] = true
	l.deliveries = append(l.deliveries, d)
	l.touch(d)
	return d
}

func (l *ledger) touch(d *delivery) {
	l.changes++
	d.changed = l.changes
}

// apply is the effect. An operation has one, however often it is applied: the store
// looks for the operation and takes it in one step.
func (l *ledger) apply(d *delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.Effect = EffectFirst
	if l.seen[d.Operation] {
		d.Effect = EffectDuplicate
	}
	l.seen[d.Operation] = true
	l.effects = append(l.effects, d)
	l.touch(d)
}

// hold notes that a worker is slow.
func (l *ledger) hold(d *delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.Held = true
	l.touch(d)
}

// late notes that what a worker finished counts for no commit.
func (l *ledger) late(d *delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.Late = true
	l.touch(d)
}

// commit notes that a position was committed.
func (l *ledger) commit(t *tenure, next int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.deliveries {
		if d.tenure == t && d.Offset >= t.committed && d.Offset < next && d.Effect == EffectNone {
			l.skips = append(l.skips, Skip{t.member, next, d.Event})
		}
	}
	t.committed = next
	l.positions[t.partition] = next
}
