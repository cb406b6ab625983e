package rates

// grows estimates how fast a log grows: over the polls for which it has been
// growing like this, what came in them by how long they took.
func (l *Log) grows(c *Clock) slope {
	var k knots
	return l.since.slope(c, &l.ends, &k)
}

// polls makes a knot of each reading of a history; of older ones of fewer and fewer,
// since it is not to the poll when a rate began that lasted that long.
func (k *knots) polls(c *Clock, h *history, most int) {
	const dense = 16
	w := h.walk(c)
	now := w.end()
	next, room := w.last, uint32(1)
	for more := true; more; more = w.next() {
		for poll := min(next, w.last); poll >= w.first; poll = next {
			at := w.reading(poll)
			k.add(seconds(now.At.Sub(at.At)), float64(now.Offset-at.Offset), 0)
			if k.n == most {
				return
			}
			if k.n >= dense {
				room = 2 << ((k.n - dense) / (dense / 2))
			}
			if poll <= room {
				return
			}
			next = poll - room
		}
	}
}
