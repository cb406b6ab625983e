package exercise

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// The consumers. The one that crashes is whoever has two partitions by then.
const first, second, third = "a", "b", "c"

// script are the steps, one after the other.
func (x *run) script(ctx context.Context) error {
	for _, s := range []struct {
		title string
		do    func(context.Context, *Step) error
	}{
		{"Two consumers", x.twoConsumers},
		{"Workers finish out of order", x.outOfOrder},
		{"A third consumer joins", x.thirdConsumer},
		{"Offsets that hold no event", x.gaps},
		{"A consumer stops after its effects, before its commit", x.crash},
		{"Its successors read again", x.replay},
	} {
		if err := x.step(ctx, s.title, s.do); err != nil {
			return fmt.Errorf("step %d, %s: %w", len(x.report.Steps)+1, strings.ToLower(s.title), err)
		}
	}
	return nil
}

// step does one step and shows it.
func (x *run) step(ctx context.Context, title string, do func(context.Context, *Step) error) error {
	s := &Step{Number: len(x.report.Steps) + 1, Title: title}
	x.begin(s.Heading())
	if err := do(ctx, s); err != nil {
		return err
	}
	if s.Saw.State == "" {
		if err := x.see(ctx, s); err != nil {
			return err
		}
	}
	s.Deliveries, x.mark = x.ledger.since(x.mark)
	x.report.Steps = append(x.report.Steps, s)
	if x.opts.Show != nil {
		x.opts.Show(s)
	}
	return nil
}

func (x *run) twoConsumers(ctx context.Context, s *Step) error {
	if err := x.join(ctx, first); err != nil {
		return err
	}
	alone := func() bool { return x.watch.look().ownedBy(first) == partitions }
	if err := x.wait(ctx, "lagwatch to see the first consumer", alone); err != nil {
		return err
	}
	if err := x.join(ctx, second); err != nil {
		return err
	}
	s.say("Consumer %s came first and got all %d partitions; then %s came, and the group shared them out: %s.",
		first, partitions, second, x.shares())
	return nil
}

// shares says who owns what.
func (x *run) shares() string {
	of := map[string][]string{}
	owners := x.ledger.owners()
	for p := range int32(partitions) {
		of[owners[p]] = append(of[owners[p]], fmt.Sprint(p))
	}
	var out []string
	for _, name := range []string{first, second, third} {
		if list := of[name]; len(list) > 0 {
			out = append(out, name+" has "+strings.Join(list, " and "))
		}
	}
	return strings.Join(out, ", ")
}

// slow are the operations of the step in which workers finish out of order: on each
// partition the second event of the first order.
func slow() []string {
	var out []string
	for _, keys := range orders {
		out = append(out, operation(keys[0], 2))
	}
	return out
}

func (x *run) outOfOrder(ctx context.Context, s *Step) error {
	x.gates.hold(slow()...)
	events := batch(1, 3)
	if err := x.write(ctx, events); err != nil {
		return err
	}
	finish := operations(events, func(e Event) bool { return !leads(e.Key) || e.Number < 2 })
	if err := x.wait(ctx, "workers to be held up", func() bool { return x.ledger.held(false, slow()...) }); err != nil {
		return err
	}
	if err := x.settle(ctx, "the other workers to finish", finish); err != nil {
		return err
	}
	s.say("%d events of %d orders: each key stays on one partition. On each partition the worker on one event is slow; "+
		"later ones of the other order are done, and the next of its own order waits.", len(events), 2*partitions)
	s.say("%s", x.boundary(0))
	return nil
}

// boundary says what a partition's consumer delivered, finished and committed.
func (x *run) boundary(p int32) string {
	all, _ := x.ledger.since(0)
	var got, done []string
	for _, d := range all {
		if d.Partition != p {
			continue
		}
		got = append(got, fmt.Sprint(d.Offset))
		if d.Effect != EffectNone {
			done = append(done, fmt.Sprint(d.Offset))
		}
	}
	return fmt.Sprintf("Partition %d: delivered %s; done %s; committed %s.", p, strings.Join(got, ", "), strings.Join(done, ", "), x.position(p))
}

func (x *run) position(p int32) string {
	if c, ok := x.ledger.committed()[p]; ok {
		return fmt.Sprint(c)
	}
	return "nothing"
}

func (x *run) thirdConsumer(ctx context.Context, s *Step) error {
	before, from := x.ledger.owners(), x.ledger.committed()
	if err := x.join(ctx, third); err != nil {
		return err
	}
	owners := x.ledger.owners()
	var moved []int32
	for p := range int32(partitions) {
		if owners[p] != before[p] {
			moved = append(moved, p)
		}
	}
	if err := x.wait(ctx, "the new owner to have read", func() bool { return x.caughtUp(moved...) && x.quiet() }); err != nil {
		return err
	}
	x.gates.release(slow()...)
	if err := x.wait(ctx, "the slow workers", func() bool { return x.ledger.held(true, slow()...) && x.caughtUp() && x.quiet() }); err != nil {
		return err
	}
	s.say("Consumer %s joins: %s.", third, x.shares())
	for _, p := range moved {
		s.say("Partition %d goes from %s to %s, which reads from the committed %d on. What %s had done beyond that is delivered again; "+
			"the store absorbs it. When the slow worker of %[2]s ends at last, nothing is committed for it.", p, before[p], owners[p], from[p], before[p])
	}
	return nil
}

// caughtUp tells whether everything that was written to some partitions, or to all,
// is committed.
func (x *run) caughtUp(only ...int32) bool {
	committed := x.ledger.committed()
	return !slices.ContainsFunc(x.produced, func(e Event) bool {
		return (len(only) == 0 || slices.Contains(only, e.Partition)) && committed[e.Partition] <= e.Offset
	})
}

func (x *run) gaps(ctx context.Context, s *Step) error {
	events := batch(4, 4)
	if err := x.writeInTransactions(ctx, withdrawn(4), events); err != nil {
		return err
	}
	if err := x.settle(ctx, "the events of the transaction", operations(events, nil)); err != nil {
		return err
	}
	ends, err := x.cluster.ends(ctx)
	if err != nil {
		return err
	}
	s.say("A transaction with %d events is aborted, one with %d is committed. Nobody gets the aborted ones, nor the markers that end "+
		"transactions: on partition 0 offsets %s hold no event, and no commit waits for them.", len(x.withdrawn), len(events), x.empty(0, ends[0]))
	s.say("The boundary is after the last event that was delivered; a marker behind it counts as lag until the next event comes.")
	return nil
}

// empty lists the offsets of a partition below its end at which there is no event.
func (x *run) empty(p int32, end int64) string {
	var out []string
	for o := range end {
		if !slices.ContainsFunc(x.produced, func(e Event) bool { return e.Partition == p && e.Offset == o }) {
			out = append(out, fmt.Sprint(o))
		}
	}
	return strings.Join(out, ", ")
}

// say adds a paragraph.
func (s *Step) say(format string, args ...any) { s.Says = append(s.Says, fmt.Sprintf(format, args...)) }

// operations are those of events that keep accepts, of all if it is nil.
func operations(events []Event, keep func(Event) bool) []string {
	var out []string
	for _, e := range events {
		if keep == nil || keep(e) {
			out = append(out, e.Operation)
		}
	}
	return out
}
