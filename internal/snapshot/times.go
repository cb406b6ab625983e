package snapshot

import "time"

// TimeQuestion asks which record of a partition is the first with a timestamp
// at or after a moment.
type TimeQuestion struct {
	Topic     string
	Partition int32
	// Asked is on the clock of the records' timestamps, to the millisecond:
	// what is finer is rounded up, so that no record before Asked answers.
	Asked time.Time
}

// TimeAnswer is what the partition's leader answered to a TimeQuestion. The
// zero TimeAnswer is unknown.
//
// Whose clock Stamp is of is not known: by default that of whoever produced the
// record, which may lie, so that stamps need not ascend with offsets. The
// answer is the first in the order of offsets.
type TimeAnswer struct {
	// Known says that the leader answered. All else means nothing unless it did.
	Known bool
	// Found says that there is such a record. Without one, every record that
	// is in the log has a timestamp before the moment asked for.
	Found bool
	// Offset and Stamp are the record's, where one is found. Stamp is at or
	// after the moment asked for.
	Offset int64
	Stamp  time.Time
}
