package snapshot

// Problem is one reason why a part of a snapshot is unknown.
type Problem struct {
	Stage  Stage
	Reason Reason
	// Broker, Group and Topic name what it concerns, as far as it concerns
	// one: unknown and "" otherwise.
	Broker Maybe[int32]
	Group  string
	Topic  string
	// Count is how many partitions, groups or requests it stands for, ≥ 1.
	Count int
	// Optional says that it concerns what a poll does without: topics'
	// settings, records' times. The poll is as whole as it would be without it.
	Optional bool
	// Detail is one line for a person: the error, and what to try.
	Detail string
}

// Stage is the part of a poll in which a problem arose.
type Stage uint8

// The stages of a poll, in order.
const (
	StageUnknown Stage = iota
	StageMetadata
	StageVersions
	StageListGroups
	StageDescribeGroups
	StageFetchOffsets
	StageListOffsets
	StageDescribeConfigs
	StageListOffsetsByTime // after the poll before, on behalf of it
)

var stages = [...]string{
	"unknown", "metadata", "versions", "list_groups", "describe_groups", "fetch_offsets", "list_offsets",
	"describe_configs", "list_offsets_by_time",
}

func (s Stage) String() string {
	if int(s) < len(stages) {
		return stages[s]
	}
	return stages[StageUnknown]
}

// Reason is why something could not be read; a small closed set, so that it
// can be a label.
type Reason uint8

// The reasons.
const (
	ReasonUnknown          Reason = iota // anything else; Detail says what
	ReasonUnresolvable                   // the name does not resolve
	ReasonRefused                        // nothing listens there
	ReasonUnreachable                    // no route, or the connection broke
	ReasonTimeout                        // no answer in time
	ReasonTLS                            // TLS spoken on one side only, or the handshake failed
	ReasonAuthentication                 // credentials refused
	ReasonUnauthorized                   // an ACL is missing
	ReasonUnsupported                    // the broker lacks the API or the version
	ReasonMalformed                      // the answer cannot be decoded
	ReasonNoLeader                       // the partition has no leader now
	ReasonNotLeader                      // asked a broker that no longer leads it
	ReasonNotCoordinator                 // asked a broker that no longer coordinates it
	ReasonLoading                        // the coordinator is starting
	ReasonUnknownPartition               // the broker does not know it (yet)
	ReasonIncomplete                     // the answer left out something that was asked for
	ReasonUnavailable                    // the broker says that it cannot answer now
)

var reasons = [...]string{
	"other", "unresolvable", "connection_refused", "unreachable", "timeout", "tls",
	"authentication", "unauthorized", "unsupported", "malformed", "no_leader",
	"not_leader", "not_coordinator", "loading", "unknown_partition", "incomplete", "unavailable",
}

func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return reasons[ReasonUnknown]
}
