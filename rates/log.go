package rates

import "github.com/lagwatch/lagwatch/internal/snapshot"

// Log is what is remembered of the log of one partition: where it ended at the
// polls of the last while, and what the broker told of its records' times before
// that. The zero Log remembers nothing. A topic that was deleted and created again
// begins with a new one.
type Log struct {
	end   snapshot.Reading
	times times
}

// between tells between which two polls the end first passed an offset: at the last
// of those before, it had not. False where the history does not go back that far,
// and where the end has not passed it yet.
func (l *Log) between(c *Clock, offset int64) (before, after snapshot.Reading, ok bool) {
	return snapshot.Reading{}, snapshot.Reading{}, false
}

// oldest is the first reading that is remembered.
func (l *Log) oldest(c *Clock) (snapshot.Reading, bool) { return snapshot.Reading{}, false }

// Observe takes in where the log ended in this poll. An end offset below the one
// before (the log was cut, or made anew) begins the history anew; one that was seen
// in this poll already changes nothing.
func (l *Log) Observe(c *Clock, end snapshot.Reading) { l.end = end }

// Start takes in where the log begins. One that was read at the same moment as the
// one before changes nothing.
func (l *Log) Start(c *Clock, start snapshot.Reading) {}

// Arrival is how fast the end offset advances now.
func (l *Log) Arrival(c *Clock) Rate { return Rate{} }
