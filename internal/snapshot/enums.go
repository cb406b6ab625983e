package snapshot

// GroupType is the kind of a group (KIP-848, KIP-932, KIP-1071).
type GroupType uint8

// The group types. Before Kafka 3.8 a listing shows no type; every group that
// such a cluster has is classic.
const (
	TypeUnknown GroupType = iota
	TypeClassic
	TypeConsumer
	TypeShare
	TypeStreams
)

var groupTypes = [...]string{"unknown", "classic", "consumer", "share", "streams"}

// GroupTypes returns every known type's name, in order.
func GroupTypes() []string { return append([]string(nil), groupTypes[1:]...) }

func (t GroupType) String() string {
	if int(t) < len(groupTypes) {
		return groupTypes[t]
	}
	return groupTypes[TypeUnknown]
}

// GroupState is the state of a group. All types share one list: each type uses
// some of it.
type GroupState uint8

// The group states.
const (
	StateUnknown GroupState = iota
	StateEmpty
	StateStable
	StatePreparingRebalance  // classic
	StateCompletingRebalance // classic
	StateAssigning           // consumer, streams
	StateReconciling         // consumer, streams
	StateNotReady            // streams
	StateDead
)

var groupStates = [...]string{
	"unknown", "empty", "stable", "preparing_rebalance", "completing_rebalance",
	"assigning", "reconciling", "not_ready", "dead",
}

// GroupStates returns the name of every known state, in order.
func GroupStates() []string { return append([]string(nil), groupStates[1:]...) }

func (s GroupState) String() string {
	if int(s) < len(groupStates) {
		return groupStates[s]
	}
	return groupStates[StateUnknown]
}

// Unstable tells whether a group is between two assignments. One whose state is not
// known is not known to be.
func (s GroupState) Unstable() bool {
	switch s {
	case StatePreparingRebalance, StateCompletingRebalance, StateAssigning, StateReconciling, StateNotReady:
		return true
	case StateUnknown, StateEmpty, StateStable, StateDead:
	}
	return false
}

// ParseGroupState reads Kafka's own spelling of a state, of any version; what
// it does not know is StateUnknown.
func ParseGroupState(s string) GroupState {
	switch s {
	case "Empty":
		return StateEmpty
	case "Stable":
		return StateStable
	case "PreparingRebalance":
		return StatePreparingRebalance
	case "CompletingRebalance", "AwaitingSync": // AwaitingSync until Kafka 1.1
		return StateCompletingRebalance
	case "Assigning":
		return StateAssigning
	case "Reconciling":
		return StateReconciling
	case "NotReady":
		return StateNotReady
	case "Dead":
		return StateDead
	default:
		return StateUnknown
	}
}

// ParseGroupType reads Kafka's spelling of a group type; what it does not know
// is TypeUnknown.
func ParseGroupType(s string) GroupType {
	switch s {
	case "classic", "Classic":
		return TypeClassic
	case "consumer", "Consumer":
		return TypeConsumer
	case "share", "Share":
		return TypeShare
	case "streams", "Streams":
		return TypeStreams
	default:
		return TypeUnknown
	}
}
