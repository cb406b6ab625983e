package child

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// Crowd watches this process while many scrape it.
type Crowd struct {
	page, rate int
	resident   uint64
	copies     int64
}

// Crowded is what came of a crowd.
type Crowded struct {
	Growth uint64 // of the most that was resident, over what was before, in bytes
	Copies int    // of the page that were made; 0 if none was seen
}

// BeginCrowd begins to watch. The page is about so many bytes. What is free goes
// back to the system first, so that memory which happens to lie about hides no
// growth. No page is being made meanwhile.
func BeginCrowd(page int) (*Crowd, error) {
	debug.FreeOSMemory()
	c := &Crowd{page: page, rate: runtime.MemProfileRate, copies: pageCopies(page)}
	// An allocation as large as an eighth of a page is missed once in e^32 times.
	runtime.MemProfileRate = max(1, page/256)
	var err error
	c.resident, err = resetPeak()
	return c, err
}

// End ends it. All that was scraped has been answered.
func (c *Crowd) End() (Crowded, error) {
	runtime.MemProfileRate = c.rate
	most, err := peak()
	if err != nil {
		return Crowded{}, err
	}
	return Crowded{max(most, c.resident) - c.resident, int(pageCopies(c.page) - c.copies)}, nil
}

// pageCopies is how many copies of a page were made until now, as far as the
// profile of allocations has seen them.
func pageCopies(page int) (n int64) {
	runtime.GC()
	runtime.GC() // the profile is that of the collection before the last
	for _, r := range allocations() {
		if r.AllocObjects > 0 && r.AllocBytes/r.AllocObjects >= int64(page/8) && isPage(r.Stack()) {
			n += r.AllocObjects
		}
	}
	return n
}

// allocations are those of the profile, by place and size.
func allocations() []runtime.MemProfileRecord {
	var records []runtime.MemProfileRecord
	for {
		n, ok := runtime.MemProfile(records, true)
		if ok {
			return records[:n]
		}
		records = make([]runtime.MemProfileRecord, n+n/8+64)
	}
}

// isPage reports whether an allocation was made by the page itself, and not by a
// compressor or a buffer that grows, of which one copy takes several: so a text that
// is much longer than was expected is not seen. Go's own functions act for who
// calls them.
func isPage(stack []uintptr) bool {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if first, _, ok := strings.Cut(f.Function, "/"); ok && strings.Contains(first, ".") || !more {
			return strings.Contains(f.Function, "/collector/page.(*Page).")
		}
	}
}
