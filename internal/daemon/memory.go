package daemon

import (
	"os"
	"runtime/debug"
)

// gcPercent is how much garbage there may be beside what is alive, in percent,
// before it is collected. A poll and a page come in bursts of a few times what
// stays of them, so Go's 100 is collecting all the time; what more than that
// saves and costs can be seen with `GOGC=100 make bench`.
const gcPercent = 150

// PaceGC sets the pace of the garbage collector for a process that is a daemon,
// unless GOGC says otherwise.
func PaceGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
