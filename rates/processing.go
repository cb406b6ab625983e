package rates

import "math"

// work is what a pair remembers of while it had a backlog.
type work struct {
	// committed is where the group was when that last changed.
	committed int64
	// lag is what was unread then, as far as it can be held.
	lag uint32
	// backlogged counts the commits so far before each of which there was a backlog
	// all the time; seen says that there was a position.
	backlogged uint8
	seen       bool
}

// enoughCommits is how many commits in a backlog show how fast the owner works.
const enoughCommits = 3

// observe takes in one poll and returns the processing time, in seconds for an
// offset: 1 / the drain rate, once three commits in succession each left more
// unread of what was in the log at the one before than they took away. So there was
// something to do all the time, and the lag is not merely what arrives between two
// commits. Unknown elsewhere: who has caught up shows nothing of its speed.
func (w *work) observe(at Position, drain Rate) Value {
	if !w.seen || at.Committed != w.committed {
		w.commit(at)
	}
	if w.backlogged < enoughCommits || at.Lag <= 0 || !drain.Known || drain.Low <= 0 {
		return Value{}
	}
	return Of(1 / drain.PerSecond)
}

// commit takes in a position that is another than the one before.
func (w *work) commit(at Position) {
	step := float64(at.Committed) - float64(w.committed)
	if w.seen && step > 0 && float64(w.lag) > 2*step {
		w.backlogged = min(w.backlogged, math.MaxUint8-1) + 1
	} else {
		w.backlogged = 0
	}
	w.committed, w.seen = at.Committed, true
	w.lag = uint32(min(max(at.Lag, 0), math.MaxUint32))
}

// moved forgets what was another owner's.
func (w *work) moved() { *w = work{} }
