package ownership

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// number is the generation or epoch that was shown last.
type number struct {
	known bool
	is    int32
	of    snapshot.GroupType
	// torn says that since then nobody stayed from one sight to the next: a group of
	// another type is not the same one then.
	torn bool
}

// tells is what members and state have told since a round was last settled, for
// groups that show no number.
type tells struct {
	settled bool // once at least
	changed bool // members or assignment
	passed  bool // the group was seen between two assignments
	// waits is how many rounds were seen while a number that was known was not
	// shown. It counts them too, if it is shown again.
	waits int
}

// counted is how many of them were: not a first one.
func (t *tells) counted() int {
	if t.waits > 1 {
		return t.waits
	}
	return 0
}

// round tells whether there was one, at the end of it.
func (t *tells) round() bool {
	was := t.settled && (t.changed || t.passed)
	t.settled, t.changed, t.passed = true, false, false
	return was
}

// count returns how many rounds a sight has seen.
func (r *Rounds) count(s *Sight) (int, Source) {
	if n, ok := s.Generation.Get(); ok {
		return r.shown(s, n)
	}
	r.tell.passed = r.tell.passed || s.State.Unstable()
	if classic(s.Type) && s.settled() {
		return r.hidden(s)
	}
	return 0, Observed
}

// shown counts by the number. The first one is where that begins: what was seen
// before it counts. So does what was seen while a number was not shown that turns out
// not to go on. No round counts twice.
func (r *Rounds) shown(s *Sight, is int32) (int, Source) {
	before, waits, counted := r.number, r.tell.waits, r.tell.counted()
	saw := r.tell.round()
	r.number, r.tell = number{known: true, is: is, of: s.Type}, tells{settled: true}
	switch {
	case before.goesOn(s, is):
		return max(0, int(int64(is)-int64(before.is))-counted), numbered(s.Type)
	case !before.known && saw && classic(s.Type):
		return 1, Observed
	}
	return waits - counted, Observed
}

// goesOn tells whether a number belongs to the same series. Kafka's consumer group
// takes over the generation of the classic group that it is made of while members
// stay, and the other way round.
func (n *number) goesOn(s *Sight, is int32) bool {
	switch {
	case !n.known || is < n.is:
		return false
	case n.of == s.Type || classic(n.of) && classic(s.Type):
		return true
	}
	joined := func(t snapshot.GroupType) bool { return classic(t) || t == snapshot.TypeConsumer }
	return joined(n.of) && joined(s.Type) && s.Members.Known() && !n.torn
}

// hidden counts what was seen of a settled classic group without a number. One that
// was shown before is waited for, since it counts all: members that just came tell
// none, nor do those that a group of the consumer protocol left behind. When a second
// round has passed without it, it may never come: what is seen counts from then on.
func (r *Rounds) hidden(s *Sight) (int, Source) {
	empty := s.State == snapshot.StateEmpty
	if r.number.known && empty {
		return 0, Observed // nobody is there to tell
	}
	if !r.tell.round() {
		return 0, Observed
	}
	if !r.number.known {
		return 1, Observed
	}
	before := r.tell.counted()
	r.tell.waits++
	return r.tell.counted() - before, Observed
}

// stretch is the state that polls saw, and since when it is stable or is not.
type stretch struct {
	is    snapshot.GroupState
	at    snapshot.Instant
	since snapshot.Instant
}

// observe takes in the state, and returns how long the group was unstable since the
// sight before. A sight without one is none.
func (t *stretch) observe(s *Sight) (waited time.Duration) {
	if s.State == snapshot.StateUnknown {
		return 0
	}
	goesOn := t.known(s.Now, s.StaleAfter)
	if goesOn && t.is.Unstable() {
		waited = max(0, s.Now.Sub(t.at))
	}
	if !goesOn || t.is.Unstable() != s.State.Unstable() {
		t.since = s.Now
	}
	t.is, t.at = s.State, s.Now
	return waited
}

// known tells whether the last state that was seen is taken to last.
func (t *stretch) known(now snapshot.Instant, staleAfter time.Duration) bool {
	return t.is != snapshot.StateUnknown && now.Sub(t.at) <= staleAfter
}
