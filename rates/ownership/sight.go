package ownership

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// Sight is what one poll saw of a group. A poll that saw nothing of it is no sight.
type Sight struct {
	// At and Now are when the poll saw it: by the wall clock, for whoever reads, and by
	// the clock that all is counted on.
	At  time.Time
	Now snapshot.Instant
	// StaleAfter is for how long what a poll saw is taken to last.
	StaleAfter time.Duration
	// Type is the last one known. The rest is unknown where this poll could not read
	// it: what was known before is no sight.
	Type       snapshot.GroupType
	State      snapshot.GroupState
	Generation snapshot.Maybe[int32]
	Members    snapshot.Maybe[snapshot.Members]
	// Unchanged says that Members tell what they told in the last sight that had some,
	// and in both who owns what. They are not looked at then.
	Unchanged bool
}

// settled tells whether the members are those of a finished round.
func (s *Sight) settled() bool {
	return s.Members.Known() && (s.State == snapshot.StateStable || s.State == snapshot.StateEmpty)
}

// classic tells whether the group is of the classic protocol. Listings of brokers
// that tell no type have no other.
func classic(t snapshot.GroupType) bool {
	return t == snapshot.TypeClassic || t == snapshot.TypeUnknown
}

// numbered is the source of what a group's own number tells.
func numbered(t snapshot.GroupType) Source {
	if classic(t) {
		return Generation
	}
	return Epoch
}

// Applies tells whether rounds of groups of a type are counted from a source.
func (s Source) Applies(t snapshot.GroupType) bool {
	switch t {
	case snapshot.TypeClassic:
		return s == Generation || s == Observed
	case snapshot.TypeConsumer, snapshot.TypeShare, snapshot.TypeStreams:
		return s == Epoch
	case snapshot.TypeUnknown:
	}
	return false
}
