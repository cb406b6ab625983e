package simulate

import "slices"

// commit is what a member does at the end of a step: with a timer for all of its
// partitions together, with batches for each.
func (w *world) commit(i int, m *member, now float64) {
	switch c := w.setup.Commit; {
	case m.stopped > 0 || w.between > 0:
	case c.Batch > 0:
		w.commitAll(i)
	case now >= m.next:
		w.commitAll(i)
		m.next = now + c.Every.Seconds()*(1+c.Late*w.random.Float64())
	}
}

func (w *world) commitAll(member int) {
	for _, p := range w.members[member].Owns {
		w.parts[p].commit(w.now(), w.setup.Commit.Batch)
	}
}

// handOver gives a crashed member's partitions to another, which may be itself
// after it came back. What was not committed is done again.
func (w *world) handOver(from, to int) {
	owned := w.members[from].Owns
	w.members[from].Owns = nil
	for _, i := range owned {
		w.parts[i].done = float64(w.parts[i].committed)
		w.parts[i].owner = to
	}
	w.members[to].Owns = append(w.members[to].Owns, owned...)
	if from == to {
		w.members[to].stopped--
	}
}

// assign moves a partition from its owner to another member.
func (w *world) assign(partition, to int) {
	p := w.parts[partition]
	p.commit(w.now(), 0)
	from := w.members[p.owner]
	from.Owns = slices.DeleteFunc(from.Owns, func(i int) bool { return i == partition })
	w.members[to].Owns = append(w.members[to].Owns, partition)
	p.owner = to
}
