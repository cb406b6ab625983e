package ownership

import (
	"slices"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

const (
	// longest is how far back is remembered what happened.
	longest = 30 * time.Minute
	// grain is how exactly it is remembered when: what happens in one grain becomes
	// one event, so that a log has 181 of them at most.
	grain = 10 * time.Second
)

// Near is how far apart polls may be of which one saw a round and the other what came of
// it: up to two polls, before it or after, which may be late.
func Near(interval time.Duration) time.Duration { return interval * 5 / 2 }

// log is what happened of late, the oldest first. It takes no room where nothing did.
type log []event

// event is what happened in the time up to a moment.
type event struct {
	at            snapshot.Instant
	unstable      time.Duration // of the time before
	rounds, moved int
}

func (l *log) add(e event) {
	if n := len(*l); n > 0 {
		last := &(*l)[n-1]
		if e.at <= last.at || e.at/snapshot.Instant(grain) == last.at/snapshot.Instant(grain) {
			last.at = max(last.at, e.at)
			last.unstable += e.unstable
			last.rounds, last.moved = last.rounds+e.rounds, last.moved+e.moved
			return
		}
	}
	*l = append(*l, e)
}

// forget drops what is too old.
func (l *log) forget(now snapshot.Instant) {
	old := 0
	for old < len(*l) && now.Sub((*l)[old].at) >= longest {
		old++
	}
	switch {
	case old == 0:
	case old == len(*l):
		*l = nil
	default:
		*l = slices.Delete(*l, 0, old)
	}
}

// sum adds up what happened in the window before now.
func (l log) sum(now snapshot.Instant, window time.Duration) (rounds, moved int, unstable time.Duration) {
	for _, e := range l {
		if age := max(0, now.Sub(e.at)); age < window {
			rounds, moved = rounds+e.rounds, moved+e.moved
			unstable += min(e.unstable, window-age)
		}
	}
	return rounds, moved, unstable
}
