package exercise

import "slices"

// has tells whether each of these operations had its effect.
func (l *ledger) has(operations ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(operations, func(o string) bool { return !l.seen[o] })
}

// held tells whether each of these operations has a delivery that was held up, and,
// where over is said, whether its worker went on.
func (l *ledger) held(over bool, operations ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(operations, func(o string) bool {
		d := l.heldOf(o)
		return d == nil || over && d.Effect == EffectNone
	})
}

// holder is the member whose worker an operation was held up in, "" if none.
func (l *ledger) holder(operation string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.heldOf(operation); d != nil {
		return d.Member
	}
	return ""
}

func (l *ledger) heldOf(operation string) *delivery {
	i := slices.IndexFunc(l.deliveries, func(d *delivery) bool { return d.Held && d.Operation == operation })
	if i < 0 {
		return nil
	}
	return l.deliveries[i]
}

// committed is what the group committed, by partition; one without is absent.
func (l *ledger) committed() map[int32]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[int32]int64{}
	for p, next := range l.positions {
		out[p] = next
	}
	return out
}

// owners are the members by partition; one without, or with two, is absent.
func (l *ledger) owners() map[int32]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out, n := map[int32]string{}, map[int32]int{}
	for t := range l.tenures {
		out[t.partition] = t.member
		n[t.partition]++
	}
	for p := range n {
		if n[p] != 1 {
			delete(out, p)
		}
	}
	return out
}

// since copies the deliveries that changed after a mark, in the order in which they
// were delivered, and returns the next mark.
func (l *ledger) since(mark int) ([]Delivery, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []Delivery{}
	for _, d := range l.deliveries {
		if d.changed > mark {
			out = append(out, d.Delivery)
		}
	}
	return out, l.changes
}

// uncommitted lists the operations that had an effect by a member which has not
// committed them.
func (l *ledger) uncommitted(member string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, d := range l.effects {
		if d.Member == member && d.Offset >= d.tenure.committed && l.open(d.tenure) {
			out = append(out, d.Operation)
		}
	}
	return out
}

// open tells whether a tenure has not ended. The caller holds mu.
func (l *ledger) open(t *tenure) bool {
	_, ok := l.tenures[t]
	return ok
}
