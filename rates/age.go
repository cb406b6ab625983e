package rates

// waiting is what a pair remembers of when its oldest unread record arrived, for when
// the log's history does not go back that far any more.
type waiting struct{}

// age is how long the record at the oldest unread offset has been waiting at a moment,
// in seconds; 0 when there is none.
func (w *waiting) age(c *Clock, l *Log, at Position) Value { return Value{} }
