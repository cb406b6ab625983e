package exercise

import (
	"context"
	"fmt"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// truth is what the consumers themselves know, for comparison with a sight.
type truth struct {
	members    int
	generation int32
	owners     map[int32]string
	committed  map[int32]int64
	ends       map[int32]int64
	// rounds is what there was since the first step, nil in that step itself.
	rounds *rounds
}

// rounds is what changed since the first step.
type rounds struct {
	// rebalances and moved are what lagwatch had counted in the first step, and
	// generation the one of then.
	rebalances, moved uint64
	generation        int32
	// least and most bound how many partitions moved: by the owners at the end of the
	// steps, and by each time that a consumer was assigned one.
	least, most int
}

// differs lists where a sight is not what the consumers know; nothing if it is that.
func (t truth) differs(s Sight) []string {
	var out []string
	compare := func(what string, saw, want any) {
		if saw != want {
			out = append(out, fmt.Sprintf("%s: lagwatch %v, consumers %v", what, saw, want))
		}
	}
	compare("state", s.State, snapshot.StateStable.String())
	compare("members", value(s.Members), value(&t.members))
	compare("generation", value(s.Generation), value(&t.generation))
	if r := t.rounds; r != nil {
		compare("rebalances", int64(s.Rebalances-r.rebalances), int64(t.generation-r.generation))
		if moved := int(s.Moved - r.moved); moved < r.least || moved > r.most {
			compare("moved", moved, fmt.Sprintf("%d to %d", r.least, r.most))
		}
	}
	compare("partitions", len(s.Partitions), len(t.ends))
	for _, p := range s.Partitions {
		of := fmt.Sprintf(" of partition %d", p.Partition)
		end := t.ends[p.Partition]
		compare("owner"+of, s.owner(p), t.owners[p.Partition])
		compare("end"+of, value(p.End), value(&end))
		var committed, lag *int64
		if c, ok := t.committed[p.Partition]; ok {
			committed, lag = &c, known(end-c, true)
		} else if end == 0 {
			lag = known(int64(0), true) // there is nothing to read
		}
		compare("committed"+of, value(p.Committed), value(committed))
		compare("lag"+of, value(p.Lag), value(lag))
	}
	return out
}

// see waits until lagwatch sees what the consumers know. Where it does not in time,
// the difference is in the step, and fails the exercise in the end.
func (x *run) see(ctx context.Context, s *Step) error {
	ends, err := x.cluster.ends(ctx)
	if err != nil {
		return err
	}
	err = x.bounded(ctx, func(ctx context.Context) error {
		return until(ctx, func() bool {
			s.Saw = x.watch.look()
			s.Differs = x.truth(ends).differs(s.Saw)
			return len(s.Differs) == 0
		})
	})
	x.remember(s)
	if err != nil {
		return ctx.Err() // not if only the patience is over
	}
	return nil
}

// remember keeps what the next step is compared with.
func (x *run) remember(s *Step) {
	s.Saw.Handovers, x.handovers = x.watch.since(x.handovers)
	owners := x.ledger.owners()
	if x.first == nil {
		x.first = &rounds{rebalances: s.Saw.Rebalances, moved: s.Saw.Moved, generation: x.generation(), most: -x.ledger.moves()}
	} else {
		x.first.least += changes(x.owners, owners)
	}
	x.owners = owners
}

// changes is how many partitions have another owner than before.
func changes(before, now map[int32]string) int {
	n := 0
	for p, owner := range now {
		if before[p] != owner {
			n++
		}
	}
	return n
}

func (x *run) truth(ends map[int32]int64) truth {
	t := truth{
		members: len(x.members), generation: x.generation(),
		owners: x.ledger.owners(), committed: x.ledger.committed(), ends: ends,
	}
	if x.first != nil {
		since := *x.first
		since.least += changes(x.owners, t.owners)
		since.most += x.ledger.moves()
		t.rounds = &since
	}
	return t
}

// generation is the one that the consumers are in.
func (x *run) generation() int32 {
	greatest := int32(-1)
	for _, m := range x.members {
		greatest = max(greatest, m.generation())
	}
	return greatest
}
