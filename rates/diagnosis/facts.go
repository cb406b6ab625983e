package diagnosis

import (
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
	"github.com/lagwatch/lagwatch/rates"
	"github.com/lagwatch/lagwatch/rates/ownership"
)

// Group is what is known of a group at one poll. What is not known is the zero of a
// Maybe, of a Value, or of an enum.
type Group struct {
	ID string
	// Bootstrap is the address of a broker, for commands to paste; "" if unknown.
	Bootstrap string
	// Secured says that clients need TLS or credentials, Cluster what lagwatch calls the
	// cluster where it watches others beside, "" where not; likewise for commands.
	Secured bool
	Cluster string
	// Now is when the poll was made, Interval the time between two.
	Now      snapshot.Instant
	Interval time.Duration
	// Objective is how old its oldest unread record may become.
	Objective time.Duration
	// Expected says that its absence is a fault, Missing that it is absent: of the
	// facts below Type alone means anything then, and is what it was.
	Expected, Missing bool

	Type snapshot.GroupType
	// ProtocolType is "" for a group that never had members.
	ProtocolType string
	State        snapshot.GroupState
	// Failed says that the last poll could read nothing of the cluster at all.
	Failed bool
	// MembersRead and CommitsRead say that the last poll could read them; Problem
	// is one line on why not, "" if nothing is known of that.
	MembersRead, CommitsRead bool
	Problem                  string

	// Members is unknown when they could not be read for too long. Their order is
	// that of Partition.Owner. Assigned says that it is known who owns what.
	Members  snapshot.Maybe[[]Member]
	Assigned bool
	// Room is how many members can be assigned anything; unknown unless Assigned.
	Room snapshot.Maybe[ownership.Room]
	// Ownership is how it changed of late.
	Ownership ownership.Recent

	Topics     []Topic
	Partitions []Partition // by topic and id
}

// Member is one member of the group.
type Member struct {
	ID, InstanceID, ClientID, Host string
	Partitions                     int // assigned, where Group.Assigned
}

// Topic is one on which the group has a place.
type Topic struct {
	Name string
	// Subscribed tells whether a member subscribes to it or is assigned a partition
	// of it; unknown where a member does not name its topics.
	Subscribed snapshot.Maybe[bool]
	// Unlimited says that its records are known to be deleted neither by age nor by size.
	Unlimited bool
}

// Partition is the group's place in one partition.
type Partition struct {
	Topic int32 // index into Group.Topics
	ID    int32
	// Owner is an index into Group.Members, of the first owner; −1 where no member
	// owns it, or that is not known.
	Owner    int32
	Position Position
	// Fresh says that the last poll renewed it.
	Fresh bool
	// Lag and Available (what there is to read where nothing is committed) are in
	// offsets.
	Lag, Available snapshot.Maybe[int64]
	// Lost is how many offsets were found lost in this poll.
	Lost int64
	// From is where the group was in the poll before, if that is elsewhere, and To
	// where it is.
	From, To snapshot.Maybe[int64]
	// HeldBack is for how long the last stable offset has stood still below the high
	// watermark; unknown where no group asks for it.
	HeldBack rates.Value
	// Before is what was usual while it kept up; see [rates.Usual].
	Before rates.Usual
	// Estimate is what is estimated of it, Arrival how fast its log grows, Headroom how
	// long until its oldest unread record may be deleted.
	Estimate          rates.Estimate
	Arrival, Headroom rates.Value
}

// Position says what is known of where the group is on a partition.
type Position uint8

// The positions.
const (
	Unread      Position = iota // could not be read
	Committed                   // it has one
	Uncommitted                 // it has none
	Elsewhere                   // it has one beyond the end, or where there is no such partition
)
