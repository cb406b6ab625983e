package rates

import "github.com/lagwatch/lagwatch/internal/snapshot"

// HeldBack is for how long a log that is read up to its last stable offset has stood
// still below the end that whole has, as far as polls have seen that and are remembered.
// 0 where it does not stand below it; unknown before both were read.
func (l *Log) HeldBack(c *Clock, whole *Log) Value {
	last, ok := l.latest(c)
	if !ok || !whole.ends.known(c) {
		return Value{}
	}
	if whole.ends.offset <= last.Offset {
		return Of(0)
	}
	// It stood there before the end passed it, or came there after that: another
	// transaction held it back further below.
	_, passed, _ := whole.between(c, last.Offset)
	return Of(max(0, seconds(last.At.Sub(max(passed.At, l.stands(c))))))
}

// stands is since when the log has ended where it does.
func (l *Log) stands(c *Clock) (since snapshot.Instant) {
	w := l.ends.walk(c)
	for ok := true; ok && w.offset == l.ends.offset; ok = w.next() {
		since = w.begin().At
	}
	return since
}
