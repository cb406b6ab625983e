package document

// Group is all that is known of a group. Its partitions are in [GroupPartitions], which
// is written piece by piece: a group may have many.
type Group struct {
	Cluster string `json:"cluster"`
	Group   string `json:"group"`
	Moment
	IntervalSeconds float64 `json:"interval_seconds"`
	// Missing says that the config expects the group, and that it is not there: all else
	// but conditions is left out.
	Missing      bool   `json:"missing,omitempty"`
	Type         string `json:"type,omitempty"`
	ProtocolType string `json:"protocol_type,omitempty"`
	Assignor     string `json:"assignor,omitempty"`
	State        string `json:"state,omitempty"`
	Coordinator  *int32 `json:"coordinator,omitempty"`
	Generation   *int32 `json:"generation,omitempty"`
	// Complete says that the last poll renewed all of it, ReadAt when one last did, and
	// ReadAgeSeconds how long ago that is.
	Complete       *bool    `json:"complete,omitempty"`
	ReadAt         *Time    `json:"read_at,omitempty"`
	ReadAgeSeconds *float64 `json:"read_age_seconds,omitempty"`
	ReadCommitted  *bool    `json:"read_committed,omitempty"`
	Objective      *float64 `json:"objective_seconds,omitempty"`
	// Target is in which share of the time the group has to be within Objective, Mode
	// continuous or batch, and Team who is told; left out where nobody in particular is.
	Target        *float64  `json:"objective_target,omitempty"`
	Mode          string    `json:"objective_mode,omitempty"`
	Team          string    `json:"team,omitempty"`
	Lag           *int64    `json:"lag_offsets,omitempty"`
	Estimates     Estimates `json:"estimates,omitzero"`
	MembersNeeded *int64    `json:"members_needed,omitempty"`
	// Conditions are those that hold, the headline first. Verdicts say of each that there
	// is whether it holds, is clear, or cannot be evaluated.
	Conditions []Condition       `json:"conditions"`
	Verdicts   map[string]string `json:"verdicts"`
	Ownership  Ownership         `json:"ownership,omitzero"`
	// Rounds are the latest, the newest last.
	Rounds []Round `json:"rounds,omitzero"`
	// Rewinds counts positions that went back, Skips those that somebody moved on while
	// nobody was a member.
	Rewinds *uint64 `json:"rewinds,omitempty"`
	Skips   *uint64 `json:"skips,omitempty"`
	// Shifts are the latest of both, the newest last.
	Shifts []Shift `json:"shifts,omitzero"`
	// Members and Topics are left out where they are not known, and empty where there is
	// none.
	Members []Member `json:"members,omitzero"`
	Topics  []Topic  `json:"topics,omitzero"`
}

// GroupPartitions is a group with its partitions, by topic and number.
type GroupPartitions struct {
	Group
	// Partitions are left out where Topics is.
	Partitions []Partition `json:"partitions,omitzero"`
}

// Condition is one that holds.
type Condition struct {
	Condition string `json:"condition"`
	Since     Time   `json:"since"`
	// Seconds is for how long it has held.
	Seconds  float64    `json:"held_seconds"`
	Sentence string     `json:"sentence"`
	Evidence []Evidence `json:"evidence"`
	// Members are ids of those concerned, and Partitions the worst first; ten at most.
	Members    []string         `json:"members,omitempty"`
	Partitions []TopicPartition `json:"partitions,omitempty"`
	Next       []Step           `json:"next_steps"`
}

// Evidence is a number and what it is of. Value is null where it has no end.
type Evidence struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
	Unit  string   `json:"unit,omitempty"`
}

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
}

// Step is one thing to do; Command is a line to paste into a shell.
type Step struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
}

// Ownership counts how often it changed, since the group is watched.
type Ownership struct {
	// Current says that it is known who owns what now; else owners are those last known,
	// at KnownAt.
	Current bool  `json:"current"`
	KnownAt *Time `json:"known_at,omitempty"`
	// Rebalances are counted by what tells of them; only what may tell of a group of the
	// type, and what has told.
	Rebalances      map[string]uint64 `json:"rebalances"`
	Moved           uint64            `json:"partitions_moved"`
	UnstableSeconds float64           `json:"unstable_seconds"`
	LastRoundAt     *Time             `json:"last_round_at,omitempty"`
	// Unowned is how many partitions nobody owns.
	Unowned *int `json:"partitions_without_owner,omitempty"`
	// Idle is how many members own nothing, and Surplus how many there are beyond those
	// that can be assigned anything.
	Idle    *int `json:"idle_members,omitempty"`
	Surplus *int `json:"surplus_members,omitempty"`
}

// Shift is that a poll found positions on a topic elsewhere than commits take them.
type Shift struct {
	At    Time   `json:"at"`
	Topic string `json:"topic"`
	// Back says that they went back; else they were moved on while nobody was a member.
	Back       bool  `json:"back"`
	Partitions int   `json:"partitions"`
	Offsets    int64 `json:"offsets"`
	// Empty says that nobody was a member then, NearRound that a rebalance was seen
	// within two polls of it.
	Empty     bool `json:"group_empty"`
	NearRound bool `json:"near_rebalance"`
}

// Round is one or several rebalances that one poll saw.
type Round struct {
	At         Time   `json:"at"`
	Source     string `json:"source"`
	Count      int    `json:"count"`
	Generation *int32 `json:"generation,omitempty"`
	Moved      int    `json:"partitions_moved"`
	Joined     int    `json:"members_joined"`
	Left       int    `json:"members_left"`
}

// Member is a member of a group, and what it owns. In a share group several may own the
// same partition.
type Member struct {
	Owner
	// Owned is how many partitions it owns, and Lag the sum of their lags, of those that
	// are known; absent where none is. All three are left out where it is not known what
	// it owns. LastKnown says that they are from before a rebalance that goes on.
	Owned      *int              `json:"owned_partitions,omitempty"`
	Lag        *int64            `json:"lag_offsets,omitempty"`
	Partitions []TopicPartitions `json:"partitions,omitzero"`
	LastKnown  bool              `json:"partitions_last_known,omitempty"`
}

// Owner is who owns a partition.
type Owner struct {
	MemberID   string `json:"member_id"`
	InstanceID string `json:"instance_id,omitempty"`
	ClientID   string `json:"client_id"`
	Host       string `json:"host"`
}

// TopicPartitions are partitions of a topic, sorted.
type TopicPartitions struct {
	Topic      string  `json:"topic"`
	Partitions []int32 `json:"partitions"`
}

// Topic is a group's place on a topic. States counts partitions by their state.
type Topic struct {
	Topic string `json:"topic"`
	// Path is where more is told of the topic.
	Path      string         `json:"path"`
	Lag       *int64         `json:"lag_offsets,omitempty"`
	Available *int64         `json:"available_offsets,omitempty"`
	Estimates Estimates      `json:"estimates"`
	States    map[string]int `json:"partition_states"`
}

// Partition is a group's place on a partition. Offsets are positions.
type Partition struct {
	TopicPartition
	State string `json:"state"`
	// Fresh says that the last poll renewed it.
	Fresh      bool     `json:"fresh"`
	Committed  *int64   `json:"committed_offset,omitempty"`
	ShareStart *int64   `json:"share_start_offset,omitempty"`
	Start      *int64   `json:"start_offset,omitempty"`
	End        *int64   `json:"end_offset,omitempty"`
	LastStable *int64   `json:"last_stable_offset,omitempty"`
	Lag        *int64   `json:"lag_offsets,omitempty"`
	Available  *int64   `json:"available_offsets,omitempty"`
	Lost       *int64   `json:"lost_offsets,omitempty"`
	LostTotal  *int64   `json:"lost_offsets_total,omitempty"`
	LagAge     *float64 `json:"lag_age_seconds,omitempty"`
	CommitAge  *float64 `json:"commit_age_seconds,omitempty"`
	Arrival    *float64 `json:"arrival_offsets_per_second,omitempty"`
	DrainRate  *float64 `json:"drain_offsets_per_second,omitempty"`
	Drain
	Processing *float64 `json:"processing_seconds_per_offset,omitempty"`
	Headroom   *float64 `json:"retention_headroom_seconds,omitempty"`
	// Owners is empty where no member owns it, and left out where that is not known;
	// several only in share groups. OwnersLastKnown says that they are those from before
	// a rebalance that goes on.
	Owners          []Owner `json:"owners,omitzero"`
	OwnersLastKnown bool    `json:"owners_last_known,omitempty"`
}
