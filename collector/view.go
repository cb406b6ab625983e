package collector

import (
	"cmp"
	"time"

	"github.com/lagwatch/lagwatch/collector/page"
	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// View is everything that is known of one cluster at one moment: the last poll,
// and what earlier polls knew where the last one could not renew it. It is
// never changed once it is published; any number of goroutines may read it.
type View struct {
	Cluster string
	// Interval is the configured time between the starts of two polls.
	Interval time.Duration
	// Built is when the view was made, after the poll that it shows.
	Built time.Time
	// Up says that the last poll could read what the cluster consists of.
	// Before the first poll it is false and Polls is zero.
	Up bool
	// Err is why the last poll failed, "" if it did not. One line.
	Err       string
	ClusterID string
	// Problems are those of the last poll.
	Problems []snapshot.Problem
	// LastSuccess is when the last poll that was up ended; zero before it.
	LastSuccess time.Time
	// PollDuration is how long the last poll took.
	PollDuration time.Duration
	Counters     Counters
	// Brokers are sorted by id, Topics by name, Groups by id.
	Brokers []Broker
	Topics  []Topic
	Groups  []Group
	// Missing are the expected groups that do not exist, by id.
	Missing  []MissingGroup
	name     *page.Labels // of the cluster; nil if it was not made yet
	families families     // published of what is not of a group
	lowered  int          // groups in less detail than configured
	series   int          // of the view, where they were counted because of that
	// deleted are topics that do not exist any more, by name.
	deleted map[string]deletedTopic
	absent  []absentee // expected groups that the last good poll did not list, by id
}

// Counters only grow, from 0 at the start of the process.
type Counters struct {
	Polls    map[PollResult]uint64
	Problems map[ProblemKind]uint64
	Requests map[string]uint64 // by API name
}

// labels are those that everything of the cluster has.
func (v *View) labels() *page.Labels {
	if v.name == nil {
		return page.NewLabels("kafka_cluster", v.Cluster)
	}
	return v.name
}

// ProblemKind is what problems are counted by.
type ProblemKind struct {
	Stage  snapshot.Stage
	Reason snapshot.Reason
}

func (k ProblemKind) compare(o ProblemKind) int {
	return cmp.Or(cmp.Compare(k.Stage, o.Stage), cmp.Compare(k.Reason, o.Reason))
}

// PollResult is how a poll ended.
type PollResult uint8

// The results of a poll.
const (
	PollFailed   PollResult = iota + 1 // nothing could be read
	PollPartial                        // some of it is unknown
	PollComplete                       // everything was read
)

var pollResults = [...]string{"unknown", "failed", "partial", "complete"}

func (r PollResult) String() string { return pollResults[r] }

// Broker is a broker that the last good metadata named.
type Broker struct {
	ID   int32
	Addr string
	// Up says that it answered in the last poll.
	Up bool
}

// Topic is the log side of a topic.
type Topic struct {
	Name string
	ID   snapshot.TopicID // the last one known
	// Partitions are sorted by id; nil while unknown. A reading that is too
	// old is unknown.
	Partitions []snapshot.Partition
	// Arrivals are how fast their end offsets advance, in offsets per second;
	// nil where nothing was estimated.
	Arrivals []rates.Value
	// StableArrivals are how fast their last stable offsets do; nil where no group
	// asks for those.
	StableArrivals []rates.Value
	// At is when the partitions were last listed; they are forgotten when
	// that is too long ago.
	At time.Time
	// Recreated counts how often the topic was seen to be another
	// incarnation, Added how many partitions it gained.
	Recreated, Added uint64

	labels  *page.Labels
	history *logHistory
}

// deletedTopic is what is remembered of a topic that was deleted, in case that it
// comes back: its counters go on then.
type deletedTopic struct {
	ID               snapshot.TopicID
	Recreated, Added uint64
	At               time.Time // when a poll found it gone
}

// Group is one consumer group.
type Group struct {
	ID           string
	Type         snapshot.GroupType
	ProtocolType string
	Assignor     string
	State        snapshot.GroupState // StateUnknown when it is too old
	StateAt      time.Time           // when a poll last told it
	// Coordinator is what the last poll said.
	Coordinator snapshot.Maybe[int32]
	// Generation is the last one known: while a classic group rebalances it
	// shows none, and the last value stands as long as the state is known and the
	// type is the same.
	Generation snapshot.Maybe[int32]
	// Members is unknown when it could not be read for too long.
	Members snapshot.Maybe[snapshot.Members]
	// OwnersAt is when the owners of the pairs were known; before it while
	// the group rebalances, when the last known ones stand.
	OwnersAt time.Time
	// OwnersCurrent says that they are of the last poll. They are last known ones
	// otherwise: the group rebalances, or its members could not be read.
	OwnersCurrent bool
	// Topics are sorted by name.
	Topics []GroupTopic
	// Complete says that the last poll renewed every part of it.
	Complete bool
	// ReadAt is when it was last complete; zero if never.
	ReadAt time.Time
	// Lag is the sum over all pairs whose lag is known, in offsets; unknown
	// when there is none. It is a part of the truth unless Complete.
	Lag snapshot.Maybe[int64]
	// ReadCommitted says that its members read committed records only.
	ReadCommitted bool
	// Objective is what it owes.
	Objective Objective
	// Detail is how far down its series go: as configured, or less where there
	// are too many.
	Detail Detail
	// Estimates are of the group as a whole.
	Estimates Estimates
	// MembersNeeded is how many members would keep up and drain the lag within
	// Objective.Age.
	MembersNeeded snapshot.Maybe[int64]
	// Rewinds counts how often a position was seen to go back, Skips how often
	// somebody moved one on while nobody was a member. Shifts are the latest of both,
	// the newest last, ten at most.
	Rewinds, Skips uint64
	Shifts         []Shift
	// Ownership counts its rebalances since it is watched. Rounds are the latest, the
	// newest last, twenty at most; LastRound is when a round, or members or owners that
	// are not as they were, was last seen, counted yet or not; zero before.
	Ownership ownership.Totals
	Rounds    []ownership.Round
	LastRound time.Time
	// Diagnosis says why it lags. What could not be read for too long makes it
	// unknown; all of it is where no poll has renewed the view for so long.
	Diagnosis diagnosis.Diagnosis

	labels *page.Labels
	kind   *page.Labels // type and protocol type
	owes   *page.Labels // of its objective
	shown  shown        // as configured
	rank   int64        // the greatest lag, each less by a tenth for every poll since; stands while it is unknown
	owned  *owners      // by the members last known

	capacity  capacity // of its members
	following *following
	read      got // by the last poll
	reasons   *reasons
}

// GroupTopic is a group's place in one topic.
type GroupTopic struct {
	Topic string
	ID    snapshot.TopicID // of the incarnation that the pairs belong to
	// Pairs are sorted by partition.
	Pairs []Pair
	// Lag is as in Group.
	Lag snapshot.Maybe[int64]
	// States are how many pairs are in each state.
	States [len(pairStates)]int
	// Available is the sum over the pairs where it is known.
	Available snapshot.Maybe[int64]
	// Estimates are of the group on the topic.
	Estimates Estimates
	// PairEstimates has one for each pair, or is nil where nothing was estimated.
	PairEstimates []PairEstimate

	at      int32 // where the topic was when it was last looked for in View.Topics
	labels  *page.Labels
	history *pairHistory
}

// Pair is a group's place in one partition. There are more of them than of
// anything else, so they are small and have no pointers.
type Pair struct {
	Partition int32
	State     PairState
	// Fresh says that the last poll renewed it. One that is not keeps its
	// lag until that is too old.
	Fresh bool
	// Begun says that a share group has been seen to have a position there.
	Begun  bool
	owners int32 // an index into the group's lists of owners
	// At is when the end offset was read that Lag was computed from.
	At snapshot.Instant
	// Committed is the next offset that the group would read.
	Committed Quantity
	// Lag is max(0, end − max(committed, start)), in offsets; the end is the
	// last stable offset for a group that reads committed records only. For a
	// share group it is what the broker says.
	Lag Quantity
	// ShareStart is the share-partition start offset of a share group.
	ShareStart Quantity
	// Lost is max(0, start − committed): positions that retention removed
	// before the group read them.
	Lost Quantity
	// Available is end − start where nothing is committed: what there is to
	// read for a group that starts at the beginning.
	Available Quantity
	// LagAge is how long the oldest unread record has been waiting, in seconds.
	LagAge rates.Value
}

// Owners returns who owns a pair of the group: nobody when no member does, or
// that is not known. Only in share groups there may be several; they are sorted
// by member id.
func (g *Group) Owners(p *Pair) []*Owner {
	if g.owned == nil { // of a view that was made by hand
		return nil
	}
	return g.owned.lists[p.owners]
}

// Owner is the member to which a partition is assigned.
type Owner struct {
	MemberID, InstanceID, ClientID, Host string

	labels *page.Labels // client_id and host
}

// Equal is for comparisons in tests.
func (o *Owner) Equal(p *Owner) bool { return o.is(p.MemberID, p.InstanceID, p.ClientID, p.Host) }

func (o *Owner) is(member, instance, client, host string) bool {
	return o.MemberID == member && o.InstanceID == instance && o.ClientID == client && o.Host == host
}

// PairState says what a pair's position is. Every pair is in exactly one.
type PairState uint8

// The states of a pair.
const (
	PairUnread      PairState = iota // could not be read, or not for too long
	PairCommitted                    // the group has a position, and the log covers it
	PairUncommitted                  // the group has no position there; a state, no lag
	PairBeyondEnd                    // committed beyond the end: the log was cut or made anew
	PairNoPartition                  // committed where there is no such partition (any more)
)

var pairStates = [...]string{"unread", "committed", "uncommitted", "beyond_end", "no_partition"}

func (s PairState) String() string { return pairStates[s] }
