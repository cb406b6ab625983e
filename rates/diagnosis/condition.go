package diagnosis

// Condition is one reason why a group lags, or one thing to know of it. The order is
// that of importance: of those that hold the first is the headline.
type Condition uint8

// The conditions.
const (
	Unreadable        Condition = iota // the group or its coordinator could not be read
	DataLost                           // retention removes records that the group has not read
	DataAtRisk                         // retention is about to
	CommitsVanished                    // the commits of an expected group are gone
	NeverCommitted                     // members are assigned, the log is not empty, and nothing was ever committed
	NoConsumers                        // lag, nobody is a member, and commits have stopped
	Rebalancing                        // unstable for long, or too often
	UnownedPartitions                  // partitions with lag that no member of a stable group owns
	OpenTransaction                    // the last stable offset stands still below the high watermark
	StalledGroup                       // nothing commits anywhere though there is lag
	StalledMember                      // nothing commits on the partitions of some members only
	StalledPartition                   // nothing commits on some partitions whose owners advance others
	HotPartition                       // arrivals are uneven, and the lag is where they are
	SlowMember                         // arrivals are even, and the lag is on some member's partitions
	SlowDependency                     // arrivals are as they were, and the drain fell everywhere
	UnderCapacity                      // arrivals outgrew what the members do
	CatchingUp                         // the lag shrinks
	IdleMembers                        // members beyond the number of partitions
	AbandonedTopic                     // commits remain on a topic to which nobody subscribes
	Rewound                            // a committed position moved back
	Standalone                         // nobody is a member, yet commits go on
	Conditions                         // how many there are
)

var conditions = [...]string{
	"unreadable", "data_lost", "data_at_risk", "commits_vanished", "never_committed", "no_consumers", "rebalancing",
	"unowned_partitions", "open_transaction", "stalled_group", "stalled_member", "stalled_partition", "hot_partition",
	"slow_member", "slow_dependency", "under_capacity", "catching_up", "idle_members", "abandoned_topic", "rewound",
	"standalone",
}

func (c Condition) String() string {
	if int(c) < len(conditions) {
		return conditions[c]
	}
	return "unknown"
}

// Verdict is what is known of a condition.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota // it cannot be evaluated
	Clear                  // it does not hold
	Holds
)
