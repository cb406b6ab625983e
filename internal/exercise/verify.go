package exercise

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// verify checks what happened, and fills the report's lists. Nothing goes on by now.
func (x *run) verify() []Check {
	r := &Report{}
	l := x.ledger
	x.report.Lost, x.report.Duplicates, x.report.Skips = l.lost(x.produced), l.duplicates(), l.skips
	r.add("one partition per order", fmt.Sprintf("%d orders on %d partitions", 2*partitions, partitions), onePartition(x.produced))
	r.add("order", "the first effects of each order came in the order of its events", inOrder(l.effects))
	r.add("nothing lost", fmt.Sprintf("%d events, each had its effect", len(x.produced)), nothingLost(x.report.Lost))
	r.add("nothing withdrawn", fmt.Sprintf("none of %d aborted events was delivered", len(x.withdrawn)), l.notDelivered(x.withdrawn))
	r.add("no record skipped", "no commit passed a record that was not done", notSkipped(l.skips))
	r.add("duplicates", fmt.Sprintf("%d, exactly the records between an effect and its commit", len(x.report.Duplicates)), l.explained())
	r.add("lagwatch", fmt.Sprintf("saw owners, rebalances, positions and lag as the consumers have them in %d steps", len(x.report.Steps)), seen(x.report.Steps))
	return r.Checks
}

// onePartition fails for a key with events on two partitions.
func onePartition(events []Event) error {
	at := map[string]int32{}
	for _, e := range events {
		if p, ok := at[e.Key]; ok && p != e.Partition {
			return fmt.Errorf("%s is on partitions %d and %d", e.Key, p, e.Partition)
		}
		at[e.Key] = e.Partition
	}
	return nil
}

// inOrder fails for a key whose first effects came in another order than its events.
func inOrder(effects []*delivery) error {
	last := map[string]int{}
	for _, d := range effects {
		if d.Effect != EffectFirst {
			continue
		}
		if d.Number <= last[d.Key] {
			return fmt.Errorf("%s had its effect after %s", d.Operation, operation(d.Key, last[d.Key]))
		}
		last[d.Key] = d.Number
	}
	return nil
}

// lost are the events that had no effect, by partition and offset.
func (l *ledger) lost(events []Event) []Event {
	out := []Event{}
	for _, e := range events {
		if !l.seen[e.Operation] {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return out
}

func nothingLost(lost []Event) error {
	if len(lost) == 0 {
		return nil
	}
	var places []string
	for _, e := range lost {
		places = append(places, fmt.Sprintf("%s (%s, offset %d of partition %d)", e.Operation, e.Stage, e.Offset, e.Partition))
	}
	return fmt.Errorf("%d lost: %s", len(lost), strings.Join(places, ", "))
}

func (l *ledger) notDelivered(events []Event) error {
	for _, e := range events {
		if l.delivered[e.Operation] {
			return fmt.Errorf("%s was delivered", e.Operation)
		}
	}
	return nil
}

func notSkipped(skips []Skip) error {
	if len(skips) == 0 {
		return nil
	}
	s := skips[0]
	return fmt.Errorf("%d skipped: the first by consumer %s, which committed %d of partition %d while %s at %d was not done",
		len(skips), s.Member, s.Committed, s.Event.Partition, s.Event.Operation, s.Event.Offset)
}

// duplicates are the deliveries whose effect the store absorbed.
func (l *ledger) duplicates() []Delivery {
	out := []Delivery{}
	for _, d := range l.effects {
		if d.Effect == EffectDuplicate {
			out = append(out, d.Delivery)
		}
	}
	return out
}

// explained compares, for each operation, how often it was absorbed with how often
// a consumer that had done it lost the partition before it had committed it.
func (l *ledger) explained() error {
	absorbed, uncommitted := map[string]int{}, map[string]int{}
	for _, d := range l.effects {
		if d.Effect == EffectDuplicate {
			absorbed[d.Operation]++
		}
		if d.Offset >= d.tenure.committed {
			uncommitted[d.Operation]++
		}
	}
	var errs []error
	for o := range l.seen {
		if absorbed[o] != uncommitted[o] {
			errs = append(errs, fmt.Errorf("%s was absorbed %d times, and done %d times without a commit", o, absorbed[o], uncommitted[o]))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// seen fails where lagwatch saw something else than the consumers know.
func seen(steps []*Step) error {
	for _, s := range steps {
		if len(s.Differs) > 0 {
			return fmt.Errorf("step %d: %s", s.Number, strings.Join(s.Differs, "; "))
		}
	}
	return nil
}
