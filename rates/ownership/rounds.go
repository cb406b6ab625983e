package ownership

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// latest is how many rounds are remembered one by one.
const latest = 20

// Rounds follows one group. The zero Rounds has seen nothing. It belongs to one
// goroutine; what it returns may be kept, and is never changed afterwards.
type Rounds struct {
	totals Totals
	list   []Round                          // the latest, the newest last; never changed in place
	last   snapshot.Maybe[snapshot.Instant] // see Last
	lastAt time.Time
	recent log

	begun bool
	first snapshot.Instant // of all sights
	stale time.Duration    // as the last sight says
	state stretch
	met   snapshot.Instant // when members were last seen; see roster.known

	number number
	roster roster
	held   holdings
	tell   tells
}

// Observe takes in what a poll saw, in the order of the polls, and returns the round
// that it saw, if it saw one. It costs next to nothing where nothing has changed.
func (r *Rounds) Observe(s Sight) (Round, bool) {
	if !r.begun {
		r.begun, r.first = true, s.Now
	}
	r.stale = s.StaleAfter
	if d := r.state.observe(&s); d > 0 {
		r.totals.Unstable += d
		r.recent.add(event{at: s.Now, unstable: d})
	}
	r.recent.forget(s.Now)
	moved, changed := r.members(&s)
	r.totals.Moved += uint64(moved)
	waits := r.tell.waits
	count, source := r.count(&s)
	if changed || count > 0 || r.tell.waits > waits {
		r.last, r.lastAt = snapshot.Known(s.Now), s.At
	}
	if moved > 0 || count > 0 {
		r.recent.add(event{at: s.Now, rounds: count, moved: moved})
	}
	if count == 0 {
		r.moreMoved(moved)
		return Round{}, false
	}
	round := Round{At: s.At, Source: source, Count: count, Moved: moved}
	if source != Observed {
		round.Generation = s.Generation
	}
	round.Joined, round.Left = r.roster.turnover()
	r.totals.Rebalances[source] += uint64(count)
	r.append(round)
	return round, true
}

// append makes a new list, since somebody may have the one before.
func (r *Rounds) append(round Round) {
	from := max(0, len(r.list)+1-latest)
	list := make([]Round, 0, len(r.list)+1-from)
	r.list = append(append(list, r.list[from:]...), round)
}

// moreMoved adds to the last round what was handed over since.
func (r *Rounds) moreMoved(moved int) {
	if moved == 0 || len(r.list) == 0 {
		return
	}
	r.list = slices.Clone(r.list)
	r.list[len(r.list)-1].Moved += moved
}

// members takes in who is there and who owns what, and returns how many partitions
// have moved, and whether anything is not as it was.
func (r *Rounds) members(s *Sight) (moved int, changed bool) {
	m, ok := s.Members.Get()
	if !ok {
		return 0, false
	}
	r.met = s.Now
	if s.Unchanged && r.roster.known {
		return 0, false
	}
	changed, stayed := r.roster.observe(m.List)
	if m.Assigned {
		var other bool
		moved, other = r.held.observe(m.List, s.Now)
		changed = changed || other
	}
	r.tell.changed = r.tell.changed || changed
	r.number.torn = r.number.torn || !stayed
	return moved, changed
}

// Last is when the poll was that last saw a round, or members or owners that are not as
// they were; zero before. A round may count later than that, or in what is seen of it.
func (r *Rounds) Last() time.Time { return r.lastAt }

// Totals are what was counted since the first sight.
func (r *Rounds) Totals() Totals { return r.totals }

// Latest are the latest rounds, the newest last, twenty at most; it is never changed.
func (r *Rounds) Latest() []Round { return r.list }

// Recent tells what happened in the time before now, up to half an hour of it.
func (r *Rounds) Recent(now snapshot.Instant, window time.Duration) Recent {
	out := Recent{Known: r.roster.known && now.Sub(r.met) <= r.stale && r.state.known(now, r.stale)}
	if !r.begun {
		return out
	}
	window = min(window, longest)
	out.Window = max(0, min(window, now.Sub(r.first)))
	out.Rounds, out.Moved, out.Unstable = r.recent.sum(now, window)
	if out.Known && r.state.is.Unstable() {
		out.Since = max(0, now.Sub(r.state.since))
	}
	if last, ok := r.last.Get(); ok {
		out.Quiet = snapshot.Known(max(0, now.Sub(last)))
	}
	return out
}
