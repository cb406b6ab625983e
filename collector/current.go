package collector

import "time"

// Current returns what is known at this moment: the latest view, without what has
// become too old in it where no poll has renewed it, as after the process itself was
// stopped for a while. It is never nil and never changes, and waits for no poll. Its
// pairs' estimates are unknown then.
func (w *Watcher) Current() *View {
	v, now := w.View(), time.Now()
	return shownView{v, v.old(now, w.rules)}.at(now, w.rules)
}
