// Package boundary keeps the position that the consumer of a partition may commit
// while its workers finish out of order.
//
// A committed position says that everything before it is done. So it is the offset
// of the first record that was delivered and is not done: with 100 to 103 delivered
// and 100, 101 and 103 done it is 102. Offsets that were never delivered, because
// compaction removed them or a transaction was aborted or ended there, hold nothing
// up: Kafka delivers the records of a partition in the order of their offsets, so
// what a later record has passed does not come any more.
package boundary

import (
	"cmp"
	"slices"
)

// Tracker follows one partition for as long as it is assigned to a consumer: from
// the assignment to the revocation, after which there is a new Tracker. The zero
// value is ready. Its methods must not be called concurrently.
type Tracker struct {
	open    []record // delivered; the first of them is not done
	last    int64    // the greatest offset that was delivered
	floor   int64    // what is not worth a commit: no position above it was reached
	began   bool     // something was delivered
	revoked bool
}

type record struct {
	offset int64
	done   bool
}

// Deliver notes that a record was handed to the consumer, in the order in which
// Kafka delivers. It reports false, and changes nothing, for an offset below zero or
// not above the one before, and after a revocation: that record is not waited for.
// A log that was cut, and is read again from an earlier offset, needs a new Tracker.
func (t *Tracker) Deliver(offset int64) bool {
	if t.revoked || offset < 0 || t.began && offset <= t.last {
		return false
	}
	if !t.began {
		t.began, t.floor = true, offset
	}
	t.open = append(t.open, record{offset: offset})
	t.last = offset
	return true
}

// Done notes that a delivered record needs no more work. It reports false, and
// changes nothing, where that does not count: the record was not delivered here or
// is done already, or the partition was revoked.
func (t *Tracker) Done(offset int64) bool {
	if t.revoked {
		return false
	}
	i, ok := slices.BinarySearchFunc(t.open, offset, func(r record, o int64) int { return cmp.Compare(r.offset, o) })
	if !ok || t.open[i].done {
		return false
	}
	t.open[i].done = true
	n := slices.IndexFunc(t.open, func(r record) bool { return !r.done })
	if n < 0 {
		n = len(t.open)
	}
	t.open = slices.Delete(t.open, 0, n)
	return true
}

// Next is the position to commit: every record that was delivered below it is done.
// While one is not, it is the offset of the first of those. At the end of what was
// fetched so far it is the offset after the last delivered record and never more,
// although the log may go on with offsets that hold no record: whether they do is
// not known before a later record is delivered. It reports false where there is
// nothing to commit: nothing was delivered, no progress since [Tracker.Committed],
// or the partition was revoked.
func (t *Tracker) Next() (next int64, ok bool) {
	if t.revoked || !t.began {
		return 0, false
	}
	next = t.last + 1
	if len(t.open) > 0 {
		next = t.open[0].offset
	}
	if next <= t.floor {
		return 0, false
	}
	return next, true
}

// Committed notes that a position from [Tracker.Next] was committed. A commit that
// failed is not noted, and is due again.
func (t *Tracker) Committed(next int64) { t.floor = max(t.floor, next) }

// Revoke ends it: nothing is left to commit, and what finishes later is dropped.
// The last commit comes before it.
func (t *Tracker) Revoke() { *t = Tracker{revoked: true} }
