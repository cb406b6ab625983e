package page

import (
	"slices"
	"sync"
)

// pastRoom is what superseded pages may always take, in bytes: where pages are
// small nobody is cut off.
const pastRoom = 32 << 20

// past knows the pages of one publisher that somebody still uses, and cuts off
// the readers of old ones when those take too much memory. Safe for concurrent
// use.
type past struct {
	mu    sync.Mutex
	pages []*Page // from the oldest to the newest
}

// add makes p the newest.
func (o *past) add(p *Page) {
	o.mu.Lock()
	o.pages = append(o.pages, p)
	o.mu.Unlock()
	o.trim()
}

// remove is for a page that nobody uses any more.
func (o *past) remove(p *Page) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pages = slices.DeleteFunc(o.pages, func(q *Page) bool { return q == p })
}

// trim cuts off whoever reads a page that is superseded and has no room left
// beside those that are younger: twice what the newest one is expected to take,
// and pastRoom.
func (o *past) trim() {
	for _, r := range o.beyond() {
		r.stop()
	}
}

// beyond are the readers to cut off; each is told once.
func (o *past) beyond() (readers []*reader) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := len(o.pages) - 1
	if last < 0 {
		return nil
	}
	room := 2*o.pages[last].expected() + pastRoom
	for _, p := range slices.Backward(o.pages[:last]) {
		if room -= p.held(); room >= 0 || p.over {
			continue
		}
		p.over = true
		for r := range p.readers {
			readers = append(readers, r)
		}
	}
	return readers
}

// reader is one who is being sent a page.
type reader struct {
	mu  sync.Mutex
	cut func() // nil once it has left
}

// read adds a reader, until it leaves. cut ends what it does, soon and without
// waiting; it is called from another goroutine, at most once and never after
// leave.
func (p *Page) read(cut func()) (leave func()) {
	r := &reader{cut: cut}
	p.past.mu.Lock()
	p.readers[r] = struct{}{}
	late := p.over
	p.past.mu.Unlock()
	if late {
		r.stop()
	}
	return func() {
		r.leave()
		p.past.mu.Lock()
		delete(p.readers, r)
		p.past.mu.Unlock()
	}
}

func (r *reader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut != nil {
		r.cut()
		r.cut = nil
	}
}

func (r *reader) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = nil
}
