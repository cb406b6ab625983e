package lab

import (
	"fmt"
	"time"
)

// Protocol is how a consumer comes by its partitions.
type Protocol int

const (
	ProtocolUnknown           Protocol = iota
	ProtocolRange                      // classic group, range assignor, all partitions revoked in a rebalance
	ProtocolCooperativeSticky          // classic group, cooperative-sticky assignor
	ProtocolConsumer                   // consumer group of KIP-848: the broker assigns
	ProtocolStandalone                 // no group membership: all partitions of its topics, commits like Flink's
)

// String is the protocol's name in lower case.
func (p Protocol) String() string {
	switch p {
	case ProtocolRange:
		return "range"
	case ProtocolCooperativeSticky:
		return "cooperative-sticky"
	case ProtocolConsumer:
		return "consumer"
	case ProtocolStandalone:
		return "standalone"
	case ProtocolUnknown:
		return "unknown"
	}
	return fmt.Sprintf("Protocol(%d)", int(p))
}

// ConsumerSpec describes a consumer: one process that takes one record at a
// time and spends Delay on each.
type ConsumerSpec struct {
	Group      string
	Topics     []string
	ClientID   string // "" means "<group>-consumer"
	InstanceID string // for static membership; "" means dynamic
	Protocol   Protocol

	// Delay is the processing time per record: the consumer handles at most
	// 1/Delay records per second, over all its partitions.
	Delay time.Duration

	// CommitEvery commits after so many records, CommitInterval after so
	// much time with records not committed yet. When both are 0 the interval
	// is a second. NeverCommit overrides both.
	CommitEvery    int
	CommitInterval time.Duration
	NeverCommit    bool

	// Stuck are partitions that the consumer owns and doesn't read, as if it
	// failed on the same record again and again. It commits nothing there.
	Stuck map[string][]int32

	// ReadCommitted reads no further than the last stable offset.
	ReadCommitted bool

	// Short is by how many partitions the assignor takes each topic for
	// smaller than it is, as if its metadata were old: the last ones have no
	// owner. It needs ProtocolRange; the first member's counts.
	Short int
}
