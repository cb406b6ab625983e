// Package snapshot is the vocabulary that all of lagwatch shares: what one
// poll of a Kafka cluster saw, as plain values.
//
// Rules that hold for every type here:
//
//   - A value that may be unknown is a [Maybe]; an enum's zero value is unknown.
//     Nothing is ever −1, and zero always means zero.
//   - Offsets are positions in a partition's log, in offsets, never records:
//     compaction and transaction markers leave gaps.
//   - Times and instants are the local clock at which an answer had been read.
//   - A snapshot is complete when it is handed over and is never changed
//     afterwards; any number of goroutines may read it.
package snapshot

import "time"

// Snapshot is what one poll saw of one cluster.
//
// Presence has a fixed meaning. A topic or group that is listed here may still
// have parts that could not be read: those are unknown. A topic or group that
// is not listed does not exist (any more), or the filters leave it out: the
// poll has made sure of that, so a reader may forget it.
type Snapshot struct {
	// ClusterID is Kafka's own id of the cluster, "" if unknown.
	ClusterID string
	// Started and Finished enclose every answer.
	Started, Finished time.Time
	// Brokers are the brokers that metadata named, by id.
	Brokers []Broker
	// Topics are sorted by name.
	Topics []Topic
	// Groups are sorted by id; each id occurs once.
	Groups []Group
	// Problems say why parts are unknown, in a stable order.
	Problems []Problem
	// Requests counts the requests sent for this poll by API name, and those
	// by which records' times were looked up since the poll before; retries
	// included. What the connections themselves need is not counted.
	Requests map[string]int
}

// Broker is a member of the cluster.
type Broker struct {
	ID   int32
	Addr string // host:port as advertised
	Rack string // "" if none
	// Answered says whether it answered every request of this poll that was
	// sent to it and needed an answer; unknown if none was sent.
	Answered Maybe[bool]
}

// TopicID identifies one incarnation of a topic: a topic that is deleted and
// created again has another id. The zero id is unknown (KIP-516; Kafka before
// 2.8 has none).
type TopicID [16]byte

// Known tells whether the id is one.
func (id TopicID) Known() bool { return id != TopicID{} }

// Topic is the log side of one topic.
type Topic struct {
	Name     string
	ID       TopicID
	Internal bool
	// Partitions are sorted by id, 0 … n−1. Nil if the topic could not be
	// read (refused, say): the number of partitions is then unknown.
	Partitions []Partition
	// Config is what its settings said when they were last read, at most an
	// hour ago. Unknown for a topic that no group uses, and where it may not
	// be read or has not been yet.
	Config Maybe[TopicConfig]
}

// Partition is the log of one partition.
type Partition struct {
	ID int32
	// Leader is the broker that leads it; unknown while it has none.
	Leader Maybe[int32]
	// Start is the first offset still in the log. It may be older than End:
	// it is read less often.
	Start Maybe[Reading]
	// End is the high watermark. It was read after every commit of the same
	// snapshot, so lag computed from the two is never negative by race.
	End Maybe[Reading]
	// LastStable is where reading committed records ends now (isolation level
	// read_committed), read like End. Unknown where no group asks for it.
	LastStable Maybe[Reading]
}

// Reading is an offset and when it was read.
type Reading struct {
	Offset int64
	At     Instant
}

// Group is the consuming side: one consumer group.
type Group struct {
	ID   string
	Type GroupType
	// ProtocolType is what its members speak: "consumer" for subscriptions;
	// "connect" and others are not decoded. "" if unknown or never set.
	ProtocolType string
	// Assignor is the partition assignor in use, "" if none or unknown.
	Assignor string
	State    GroupState
	// Coordinator is the broker that lists the group and serves its commits.
	Coordinator Maybe[int32]
	// Generation is the group epoch of consumer, share and streams groups
	// (KIP-848, KIP-932, KIP-1071), or the generation of classic ones where
	// members tell it (largest member generation + 1); unknown otherwise.
	Generation Maybe[int32]
	// Members is known when the group could be described; an empty list then
	// means that nobody is in it.
	Members Maybe[Members]
	// Commits is known when the committed offsets could be read; an empty
	// list then means that nothing is committed. Share groups commit nothing:
	// they have Shares.
	Commits Maybe[Commits]
	// ReadCommitted says that its members read committed records only: what
	// there is for them to read ends at LastStable.
	ReadCommitted bool
	// Shares is known when the offsets of a share group could be read; an
	// empty list then means that it has not begun to read anything.
	Shares Maybe[Shares]
}

// Members are the members of a group at one moment.
type Members struct {
	At time.Time
	// List is sorted by member id.
	List []Member
	// Assigned says that the members' assignments are known. They are not
	// while a classic group rebalances, nor where a member could not be
	// decoded.
	Assigned bool
}

// Equal is for comparisons in tests; members are never compared elsewhere.
func (m Members) Equal(o Members) bool { return equal(m, o) }

// Member is one member of a group.
type Member struct {
	ID         string
	InstanceID string // group.instance.id of a static member, "" otherwise
	ClientID   string
	Host       string // as the coordinator saw it, without a leading slash
	Rack       string // "" if none or unknown
	// Subscribed are the topics that it names, sorted; a subscription by
	// pattern shows none. Members of a streams group subscribe to what their
	// topology reads, repartition topics included.
	Subscribed []string
	// Assignment is sorted by topic; it means nothing unless
	// Members.Assigned. In a streams group it is what the member's active
	// tasks read; in a share group several members may have one partition.
	Assignment []TopicPartitions
}

// TopicPartitions names partitions of one topic, sorted.
type TopicPartitions struct {
	Topic      string
	Partitions []int32
}

// Commits are a group's committed offsets at one moment.
type Commits struct {
	At time.Time
	// Topics are sorted by name.
	Topics []TopicCommits
}

// Equal is for comparisons in tests; commits are never compared elsewhere.
func (c Commits) Equal(o Commits) bool { return equal(c, o) }

// TopicCommits are the commits on one topic.
type TopicCommits struct {
	Topic string
	// Partitions are sorted by partition. One without a committed position
	// is not listed.
	Partitions []Commit
}

// Commit is the committed position on one partition.
type Commit struct {
	Partition int32
	// Offset is the next offset that the group would read after a restart;
	// unknown when the coordinator answered with an error for it.
	Offset Maybe[int64]
}

// Shares are a share group's positions at one moment (KIP-932).
type Shares struct {
	At time.Time
	// Topics are sorted by name.
	Topics []TopicShares
}

// Equal is for comparisons in tests; shares are never compared elsewhere.
func (s Shares) Equal(o Shares) bool { return equal(s, o) }

// TopicShares are the positions on one topic.
type TopicShares struct {
	Topic string
	ID    TopicID
	// Partitions are sorted by partition. One on which the group has no state
	// is not listed.
	Partitions []Share
}

// Share is the position on one partition.
type Share struct {
	Partition int32
	// Start is the share-partition start offset: every record before it is
	// done. Unknown when the coordinator answered with an error for it, or
	// told no position.
	Start Maybe[int64]
	// NoPosition says that the coordinator answered −1 without an error: the
	// group has not begun to read, or, which Kafka does not tell apart, its
	// state could not be read.
	NoPosition bool
	// Lag is how many offsets are not done, as the broker counts them: from
	// Start to the end, without those done beyond Start (KIP-1226). Unknown
	// where the broker does not know it.
	Lag Maybe[int64]
}
