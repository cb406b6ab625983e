package simulate

import (
	"slices"

	"github.com/lagwatch/lagwatch/internal/simulate/trace"
)

// nobody owns what no member does.
const nobody = -1

// Look is what a poll sees of a group as a whole.
type Look struct {
	At trace.Moment
	// Poll is the index of the trace's poll at that moment, −1 if it failed: then
	// nothing of it was seen.
	Poll int
	// Generation goes up with each assignment. Between says that the group is between
	// two of them: nobody owns anything then.
	Generation int32
	Between    bool
	// Standalone says that nobody is a member, whoever commits.
	Standalone bool
	Members    []Joined
}

// Joined is a member that is in the group.
type Joined struct {
	// Member is its index, Joins how often it has joined: each time it has a new id.
	Member, Joins int
	Owns          []int // ascending
}

func (w *world) look() Look {
	l := Look{At: moment(w.now()), Generation: w.generation, Between: w.between > 0, Standalone: w.setup.Standalone}
	for i, m := range w.members {
		if !m.Away && !l.Standalone {
			l.Members = append(l.Members, Joined{i, m.joined, slices.Sorted(slices.Values(m.Owns))})
		}
	}
	return l
}

// Rebalance makes the group assign anew: everybody commits and stands still, and after
// some seconds those named are its members, no others. Partitions stay with their owner
// where that leaves nobody more than a fair part. Without any member the group is empty.
func Rebalance(at, seconds float64, members ...int) []Event {
	return []Event{
		{at, func(w *world) { w.revoke() }},
		{at + seconds, func(w *world) { w.spread(members, true) }},
	}
}

// Shuffle is a Rebalance in which nobody's former partitions count.
func Shuffle(at, seconds float64, members ...int) []Event {
	return []Event{
		{at, func(w *world) { w.revoke() }},
		{at + seconds, func(w *world) { w.spread(members, false) }},
	}
}

func (w *world) revoke() {
	if w.between == 0 {
		for i, m := range w.members {
			if m.stopped == 0 {
				w.commitAll(i)
			}
		}
	}
	w.between++
}

// spread gives the partitions to some members. What a member that stood still has not
// committed is done again.
func (w *world) spread(members []int, keep bool) {
	if w.between--; w.between > 0 {
		return
	}
	w.generation++
	for i, m := range w.members {
		away := !slices.Contains(members, i)
		if m.Away && !away {
			m.joined++
		}
		m.Away, m.Owns = away, nil
	}
	if keep {
		w.keepFair(members)
	}
	for i, p := range w.parts {
		p.done = float64(p.committed)
		if !keep || p.owner == nobody || !slices.Contains(w.members[p.owner].Owns, i) {
			w.give(i, members, keep)
		}
	}
}

// keepFair leaves members what they had, up to a fair part.
func (w *world) keepFair(members []int) {
	for i, p := range w.parts {
		if !slices.Contains(members, p.owner) {
			continue
		}
		m := w.members[p.owner]
		if fair := (len(w.parts) + len(members) - 1) / len(members); len(m.Owns) < fair {
			m.Owns = append(m.Owns, i)
		}
	}
}

// give gives a partition to the member that has least; among equals, where nothing is
// kept, to one by chance.
func (w *world) give(partition int, members []int, keep bool) {
	p := w.parts[partition]
	p.owner = nobody
	least := slices.Clone(members)
	if !keep {
		w.random.Shuffle(len(least), func(i, k int) { least[i], least[k] = least[k], least[i] })
	}
	slices.SortStableFunc(least, func(a, b int) int { return len(w.members[a].Owns) - len(w.members[b].Owns) })
	if len(least) > 0 {
		p.owner = least[0]
		w.members[p.owner].Owns = append(w.members[p.owner].Owns, partition)
	}
}

// Spread is what so many members own at the beginning of so many partitions.
func Spread(partitions, members int) [][]int {
	list := make([][]int, members)
	for i := range partitions {
		list[i*members/partitions] = append(list[i*members/partitions], i)
	}
	return list
}
