package diagnosis

import (
	"slices"
	"sync"
)

// room is what looks and tellings take place in, one after the other, so that a poll of
// many groups in trouble leaves little behind but what it tells. It belongs to one
// goroutine at a time.
type room struct {
	look      look
	draft     Finding
	telling   telling
	standings []standing
	pacing    paces
	middles   []float64 // of medians, as the next three
	numbers   []float64
	lists     [][]float64
	counts    []int
	turns     []turn
	stops     []stops
	ranked    []ranked
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// enter begins a look at a group.
func (r *room) enter(g *Group, t *Thresholds, m *Memory) *look {
	r.look = look{g: g, t: t, m: m, room: r}
	return &r.look
}

// leave forgets the group.
func (r *room) leave() {
	r.look = look{}
	rooms.Put(r)
}

// zeros is a list of so many, all zero, in place of the one that was there.
func zeros[T any](list *[]T, n int) []T {
	*list = append((*list)[:0], make([]T, n)...)
	return *list
}

// tell is what a proof says. What it says as the finding before did is shared with that:
// steps and names seldom change from poll to poll, and a finding is never changed.
func (l *look) tell(c Condition, p proof, r *trouble) Finding {
	f := &l.room.draft
	*f = Finding{Condition: c, Since: r.since[c], Evidence: f.Evidence[:0], Members: f.Members[:0], Partitions: f.Partitions[:0], Next: f.Next[:0]}
	l.room.telling = telling{f, l}
	p.tell(&l.room.telling)
	var before Finding
	if r.findings[c] != nil {
		before = *r.findings[c]
	}
	told := *f
	told.Evidence, told.Members = kept(f.Evidence, before.Evidence), kept(f.Members, before.Members)
	told.Partitions, told.Next = kept(f.Partitions, before.Partitions), kept(f.Next, before.Next)
	return told
}

// kept is a list that stays: the one before where it is the same, nil where it is empty.
func kept[T comparable](now, before []T) []T {
	if slices.Equal(now, before) {
		return before
	}
	return append([]T(nil), now...)
}
