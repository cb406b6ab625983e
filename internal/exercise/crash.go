package exercise

import (
	"context"
	"fmt"
	"strings"
)

// crash stops a consumer with two partitions. On the first a worker is slow again, so
// that a position beyond it would lose what it is at; then the consumer does more on
// both and commits no more, and is gone.
func (x *run) crash(ctx context.Context, s *Step) error {
	p := x.busiest()
	stuck := orders[p][0]
	x.gates.hold(operation(stuck, 5))
	waits := func(e Event) bool { return e.Key != stuck }
	before, last := batch(5, 6), batch(7, 7)
	if err := x.write(ctx, before); err != nil {
		return err
	}
	if err := x.wait(ctx, "a worker to be held up", func() bool { return x.ledger.held(false, operation(stuck, 5)) }); err != nil {
		return err
	}
	if err := x.settle(ctx, "the other workers", operations(before, waits)); err != nil {
		return err
	}
	victim := x.members[x.ledger.holder(operation(stuck, 5))]
	victim.pause()
	if err := x.write(ctx, last); err != nil {
		return err
	}
	if err := x.settle(ctx, "the last effects before the crash", operations(last, waits)); err != nil {
		return err
	}
	if err := x.see(ctx, s); err != nil {
		return err
	}
	s.say("The worker on %s is slow, so consumer %s commits %s of partition %d and no more, whatever else is done there. "+
		"It does its share of %d further events, and before it commits them it is cut off: it does not leave, it commits nothing.",
		operation(stuck, 5), victim.name, x.position(p), p, len(last))
	s.say("Effects without a commit, which will be done again: %s.", strings.Join(x.ledger.uncommitted(victim.name), ", "))
	s.say("lagwatch, a moment before: what is not committed is lag, whatever was done with it.")
	delete(x.members, victim.name)
	x.gone = append(x.gone, victim)
	victim.vanish()
	return nil
}

// busiest is the first partition of the consumer that has most.
func (x *run) busiest() int32 {
	owners, n := x.ledger.owners(), map[string]int{}
	for _, owner := range owners {
		n[owner]++
	}
	best := int32(0)
	for p := range int32(partitions) {
		if n[owners[p]] > n[owners[best]] {
			best = p
		}
	}
	return best
}

// replay waits until the others have everything.
func (x *run) replay(ctx context.Context, s *Step) error {
	from := x.ledger.committed()
	victim := x.gone[0].name
	if err := x.shared(ctx); err != nil {
		return err
	}
	if err := x.wait(ctx, "the successors to have read", func() bool { return x.caughtUp() && x.quiet() }); err != nil {
		return err
	}
	s.say("The session of %s is over after %s, and the group shares its partitions out: %s.", victim, x.opts.SessionTimeout, x.shares())
	again, _ := x.ledger.since(x.mark)
	n, duplicates := 0, 0
	var places []string
	for p := range int32(partitions) {
		read := 0
		for _, d := range again {
			if d.Partition == p && d.Again {
				read++
				if d.Effect == EffectDuplicate {
					duplicates++
				}
			}
		}
		if n += read; read > 0 {
			places = append(places, fmt.Sprintf("%d of partition %d from %d on", read, p, from[p]))
		}
	}
	s.say("Read again: %s. Of these %d events %d had had their effect, and the store absorbed them.", strings.Join(places, ", "), n, duplicates)
	return nil
}
