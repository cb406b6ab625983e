package snapshot

import "time"

// TopicConfig is what a topic's settings say of how long its records stay.
type TopicConfig struct {
	// Delete and Compact are what cleanup.policy contains: one, both, or
	// neither, which keeps everything.
	Delete, Compact bool
	// RetentionTime is retention.ms, ≥ 0; unknown where time is no limit.
	RetentionTime Maybe[time.Duration]
	// RetentionBytes says that retention.bytes is a limit.
	RetentionBytes bool
	// Remote is remote.storage.enable: older records are in remote storage,
	// which a look-up by time would read. Kafka before 3.0 has none: false.
	Remote Maybe[bool]
	// AppendTime says that records carry the time of the broker that appended
	// them (message.timestamp.type), not their producer's.
	AppendTime bool
}

// Equal is for comparisons in tests; settings are never compared elsewhere.
func (c TopicConfig) Equal(o TopicConfig) bool { return equal(c, o) }
