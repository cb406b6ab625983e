package document

// Log is what is known of a topic and of those who read it. Its partitions are in
// [LogPartitions].
type Log struct {
	Cluster string `json:"cluster"`
	Topic   string `json:"topic"`
	Moment
	ID string `json:"topic_id,omitempty"`
	// PartitionCount is how many partitions it has; left out where its partitions are.
	PartitionCount *int `json:"partition_count,omitempty"`
	// Recreated counts how often it was seen to be another topic of the same name, Added
	// the partitions that it gained, since it is watched.
	Recreated uint64 `json:"recreated"`
	Added     uint64 `json:"partitions_added"`
	// GroupsTotal is how many groups have a place on it; Groups are those with the most
	// lag, 1,000 at most.
	GroupsTotal int      `json:"groups_total"`
	Groups      []Reader `json:"groups"`
}

// LogPartitions is a topic with its partitions, by number.
type LogPartitions struct {
	Log
	Partitions []LogPartition `json:"partitions,omitzero"`
}

// Reader is a group's place on a topic.
type Reader struct {
	Group      string         `json:"group"`
	Path       string         `json:"path"`
	Lag        *int64         `json:"lag_offsets,omitempty"`
	Estimates  Estimates      `json:"estimates"`
	States     map[string]int `json:"partition_states"`
	Conditions []string       `json:"conditions"`
}

// LogPartition is the log of one partition.
type LogPartition struct {
	Partition  int32    `json:"partition"`
	Leader     *int32   `json:"leader,omitempty"`
	Start      *int64   `json:"start_offset,omitempty"`
	End        *int64   `json:"end_offset,omitempty"`
	LastStable *int64   `json:"last_stable_offset,omitempty"`
	Arrival    *float64 `json:"arrival_offsets_per_second,omitempty"`
}
