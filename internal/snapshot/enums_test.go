package snapshot

import (
	"fmt"
	"regexp"
	"testing"
)

// names checks an enum whose values run from 0 to last: every one has a name of
// its own that can be a label value, and what lies beyond is called unknown.
func names[E interface {
	~uint8
	fmt.Stringer
}](t *testing.T, last E, unknown string) {
	t.Helper()
	seen := map[string]bool{}
	for e := E(0); e <= last; e++ {
		if s := e.String(); seen[s] || !regexp.MustCompile(`^[a-z_]+$`).MatchString(s) {
			t.Errorf("%T %d is named %q", e, e, s)
		}
		seen[e.String()] = true
	}
	if E(0).String() != unknown {
		t.Errorf("the zero %T is %q, want %q", last, E(0), unknown)
	}
	for e := int(last) + 1; e <= 255; e++ {
		if s := E(e).String(); s != unknown {
			t.Errorf("%T %d is named %q, though there is none", last, e, s)
		}
	}
}

// A value that is added without a name fails here, and not on a page.
func TestEveryValueHasAName(t *testing.T) {
	names(t, TypeStreams, "unknown")
	names(t, StateDead, "unknown")
	names(t, StageListOffsetsByTime, "unknown")
	names(t, ReasonUnavailable, "other")
}

// Names are label values: to change one is to break somebody's alert.
func TestNamesStay(t *testing.T) {
	for got, want := range map[fmt.Stringer]string{
		TypeClassic: "classic", TypeConsumer: "consumer", TypeShare: "share", TypeStreams: "streams",
		StateEmpty: "empty", StateStable: "stable", StatePreparingRebalance: "preparing_rebalance",
		StateCompletingRebalance: "completing_rebalance", StateAssigning: "assigning", StateReconciling: "reconciling",
		StateNotReady: "not_ready", StateDead: "dead",
		StageMetadata: "metadata", StageVersions: "versions", StageListGroups: "list_groups",
		StageDescribeGroups: "describe_groups", StageFetchOffsets: "fetch_offsets", StageListOffsets: "list_offsets",
		StageDescribeConfigs: "describe_configs", StageListOffsetsByTime: "list_offsets_by_time",
		ReasonUnresolvable: "unresolvable", ReasonRefused: "connection_refused", ReasonUnreachable: "unreachable",
		ReasonTimeout: "timeout", ReasonTLS: "tls", ReasonAuthentication: "authentication", ReasonUnauthorized: "unauthorized",
		ReasonUnsupported: "unsupported", ReasonMalformed: "malformed", ReasonNoLeader: "no_leader", ReasonNotLeader: "not_leader",
		ReasonNotCoordinator: "not_coordinator", ReasonLoading: "loading", ReasonUnknownPartition: "unknown_partition",
		ReasonIncomplete: "incomplete", ReasonUnavailable: "unavailable",
	} {
		if got.String() != want {
			t.Errorf("%T %d is named %q, want %q", got, got, got, want)
		}
	}
}

// The lists hold every known value's name once, in order, and are the caller's
// to change.
func TestLists(t *testing.T) {
	types, states := GroupTypes(), GroupStates()
	if len(types) != int(TypeStreams) || len(states) != int(StateDead) {
		t.Fatalf("%q, %q", types, states)
	}
	for i, name := range types {
		if GroupType(i+1).String() != name {
			t.Errorf("type %d is %q in the list", i+1, name)
		}
	}
	for i, name := range states {
		if GroupState(i+1).String() != name {
			t.Errorf("state %d is %q in the list", i+1, name)
		}
	}
	types[0], states[0] = "x", "x"
	if TypeClassic.String() != "classic" || StateEmpty.String() != "empty" {
		t.Error("a caller changed the names")
	}
}

// Kafka's own spellings, as its versions write them.
func TestParse(t *testing.T) {
	for s, want := range map[string]GroupState{
		"Empty": StateEmpty, "Stable": StateStable, "PreparingRebalance": StatePreparingRebalance,
		"CompletingRebalance": StateCompletingRebalance, "AwaitingSync": StateCompletingRebalance,
		"Assigning": StateAssigning, "Reconciling": StateReconciling, "NotReady": StateNotReady, "Dead": StateDead,
		"": StateUnknown, "Unknown": StateUnknown, "stable": StateUnknown, "Stable ": StateUnknown, "Balancing": StateUnknown,
	} {
		if got := ParseGroupState(s); got != want {
			t.Errorf("ParseGroupState(%q) = %s, want %s", s, got, want)
		}
	}
	for s, want := range map[string]GroupType{
		"classic": TypeClassic, "Classic": TypeClassic, "consumer": TypeConsumer, "Consumer": TypeConsumer,
		"share": TypeShare, "Share": TypeShare, "streams": TypeStreams, "Streams": TypeStreams,
		"": TypeUnknown, "unknown": TypeUnknown, "Unknown": TypeUnknown, "CLASSIC": TypeUnknown, "queue": TypeUnknown,
	} {
		if got := ParseGroupType(s); got != want {
			t.Errorf("ParseGroupType(%q) = %s, want %s", s, got, want)
		}
	}
}

// Every known value can be read from some spelling, and every type from its own
// name.
func TestParseReachesEveryValue(t *testing.T) {
	spelt := []string{"Empty", "Stable", "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling", "NotReady", "Dead"}
	for i, s := range spelt {
		if got := ParseGroupState(s); got != GroupState(i+1) {
			t.Errorf("%q is %s", s, got)
		}
	}
	if len(spelt) != len(GroupStates()) {
		t.Errorf("%d spellings of %d states", len(spelt), len(GroupStates()))
	}
	for i, name := range GroupTypes() {
		if got := ParseGroupType(name); got != GroupType(i+1) {
			t.Errorf("%q is %s", name, got)
		}
	}
}

// A group is between two assignments in some states, and in no other.
func TestUnstable(t *testing.T) {
	unstable := map[GroupState]bool{
		StatePreparingRebalance: true, StateCompletingRebalance: true, StateAssigning: true, StateReconciling: true, StateNotReady: true,
	}
	for s := range StateDead + 2 {
		if s.Unstable() != unstable[s] {
			t.Errorf("%s: %v", s, s.Unstable())
		}
	}
}
