package kafka

import (
	"errors"
	"fmt"
	"slices"

	"github.com/lagwatch/lagwatch/collector/kafka/wire"
	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// noPartition is for a number that no partition has.
func noPartition(id int32) error { return fmt.Errorf("%w: partition %d", wire.ErrMalformed, id) }

var errIncomplete = wire.Refuse(snapshot.ReasonIncomplete, "", errors.New("the answer leaves out what was asked for"))

// staleRoute tells whether a code says that the partition is served elsewhere,
// or will be served again in a moment: worth one retry after new metadata.
func staleRoute(code int16) bool {
	switch wire.ReasonOf(wire.CodeError(code)) {
	case snapshot.ReasonNotLeader, snapshot.ReasonNoLeader, snapshot.ReasonUnknownPartition, snapshot.ReasonUnavailable:
		return true
	}
	return false
}

// lineErrors makes of errors one that is a single line, where errors.Join would make one
// line of each: the first of them, and how many others say something else. Of a cluster
// that is down all brokers say the same but for their addresses.
type lineErrors []error

func (l lineErrors) Error() string {
	var parts []string
	for _, err := range l {
		if text := wire.Explain(err); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return fmt.Sprintf("%s, and %d more", parts[0], len(parts)-1)
}

func (l lineErrors) Unwrap() []error { return l }
