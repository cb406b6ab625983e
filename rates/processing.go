package rates

// work is what a pair remembers of while it had a backlog.
type work struct{}

// observe takes in one poll and returns the processing time, in seconds for an
// offset.
func (w *work) observe(c *Clock, at Position, drain Rate) Value { return Value{} }

// moved forgets what was another owner's.
func (w *work) moved() {}
