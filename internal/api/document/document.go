// Package document has what the JSON API answers, as plain values that are written and
// read with encoding/json. docs/openapi.yaml describes it, and a test holds that.
//
// A member that is not known is left out: it is never null, 0 or −1. Only times until a
// lag is gone may be null, which is without end. Times are in UTC. Names are
// those that metrics have as label values: see [Name] there.
package document

import "time"

// Error is the answer where there is no other.
type Error struct {
	// Error says what is wrong, and Remedy what to do, in a line each.
	Error  string `json:"error"`
	Remedy string `json:"remedy"`
	// Clusters are those that have it, where a cluster must be chosen. Similar are names
	// like the one that was asked for, where that is not there.
	Clusters []string `json:"clusters,omitempty"`
	Similar  []string `json:"similar,omitempty"`
}

// Index is what there is to ask for: paths, with names in braces.
type Index struct {
	Paths []string `json:"paths"`
}

// Clusters are all that are watched, in the order of the config.
type Clusters struct {
	Clusters []Cluster `json:"clusters"`
}

// Cluster is what is known of a cluster as a whole.
type Cluster struct {
	Cluster string `json:"cluster"`
	Moment
	ClusterID       string   `json:"cluster_id,omitempty"`
	IntervalSeconds float64  `json:"interval_seconds"`
	LastSuccessAt   *Time    `json:"last_success_at,omitempty"`
	PollSeconds     *float64 `json:"poll_duration_seconds,omitempty"`
	// Polls are counted by how they ended.
	Polls map[string]uint64 `json:"polls"`
	// Topics and Groups are how many there are, Missing how many are expected and not
	// there, and WithCondition of how many of all those a condition holds. They and
	// Brokers are left out before the cluster was read once.
	Topics        *int     `json:"topics,omitempty"`
	Groups        *int     `json:"groups,omitempty"`
	Missing       *int     `json:"groups_missing,omitempty"`
	WithCondition *int     `json:"groups_with_condition,omitempty"`
	Brokers       []Broker `json:"brokers,omitzero"`
	// Problems are those of the last poll.
	Problems []Problem `json:"problems,omitzero"`
}

// Moment is when and whether a cluster was read.
type Moment struct {
	// Up says that the last poll could read the cluster; PollError why not.
	Up        bool   `json:"up"`
	PollError string `json:"poll_error,omitempty"`
	// At is the end of the poll that everything is as of, and AgeSeconds how long ago
	// that is; absent before the first poll.
	At         *Time    `json:"at,omitempty"`
	AgeSeconds *float64 `json:"age_seconds,omitempty"`
}

// Broker is a broker that metadata named.
type Broker struct {
	ID      int32  `json:"id"`
	Address string `json:"address"`
	Up      bool   `json:"up"`
}

// Problem is why the last poll could not read a part.
type Problem struct {
	Stage    string `json:"stage"`
	Reason   string `json:"reason"`
	Broker   *int32 `json:"broker,omitempty"`
	Group    string `json:"group,omitempty"`
	Topic    string `json:"topic,omitempty"`
	Count    int    `json:"count"`
	Optional bool   `json:"optional"`
	Detail   string `json:"detail,omitempty"`
}

// Groups is a part of the list of groups.
type Groups struct {
	// Clusters are those that the list is of: where one is not up, its groups are those
	// that were known.
	Clusters []ClusterMoment `json:"clusters"`
	// Total is how many groups fit, of which Groups are those from Offset on, Limit at
	// most.
	Total  int       `json:"total"`
	Offset int       `json:"offset"`
	Limit  int       `json:"limit"`
	Groups []Summary `json:"groups"`
}

// ClusterMoment is when and whether a cluster was read.
type ClusterMoment struct {
	Cluster string `json:"cluster"`
	Moment
}

// Summary is one group of a list.
type Summary struct {
	Cluster string `json:"cluster"`
	Group   string `json:"group"`
	// Path is where more is told of it.
	Path       string    `json:"path"`
	Missing    bool      `json:"missing,omitempty"`
	Type       string    `json:"type,omitempty"`
	State      string    `json:"state,omitempty"`
	Members    *int      `json:"members,omitempty"`
	Topics     *int      `json:"topics,omitempty"`
	Partitions *int      `json:"partitions,omitempty"`
	Complete   *bool     `json:"complete,omitempty"`
	Lag        *int64    `json:"lag_offsets,omitempty"`
	Estimates  Estimates `json:"estimates,omitzero"`
	// Conditions are the names of those that hold, the headline first, of which Since
	// and Sentence are.
	Conditions []string `json:"conditions"`
	Since      *Time    `json:"since,omitempty"`
	Sentence   string   `json:"sentence,omitempty"`
}

// Estimates are of a group, or of it on a topic.
type Estimates struct {
	// Complete says that they are of everything that the group reads.
	Complete bool `json:"complete"`
	// LagAgeSeconds is how long the oldest unread record has been waiting; at least
	// that long where LagAgeAtLeast.
	LagAgeSeconds *float64 `json:"lag_age_seconds,omitempty"`
	LagAgeAtLeast bool     `json:"lag_age_at_least,omitempty"`
	// UnreadAgeSeconds is the same without what may be markers of transactions.
	UnreadAgeSeconds *float64 `json:"unread_age_seconds,omitempty"`
	Arrival          *float64 `json:"arrival_offsets_per_second,omitempty"`
	DrainRate        *float64 `json:"drain_offsets_per_second,omitempty"`
	Drain
	Headroom *float64 `json:"retention_headroom_seconds,omitempty"`
}

// Time is a moment, in UTC.
type Time time.Time
