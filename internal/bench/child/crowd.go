package child

import "runtime/debug"

// Crowd watches this process while many scrape it.
type Crowd struct{ resident uint64 }

// BeginCrowd begins to watch. What is free goes back to the system first, so that
// memory which happens to lie about hides no growth.
func BeginCrowd() (*Crowd, error) {
	debug.FreeOSMemory()
	resident, err := resetPeak()
	return &Crowd{resident}, err
}

// End returns by how many bytes the most that was resident since is more than
// what was before. All that was scraped has been answered.
func (c *Crowd) End() (growth uint64, err error) {
	most, err := peak()
	return max(most, c.resident) - c.resident, err
}
