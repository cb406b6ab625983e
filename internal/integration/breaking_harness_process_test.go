//go:build breaking || soak

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/await"
)

// footprint is what this process holds, lagwatch in it.
type footprint struct {
	goroutines int
	polling    int // of those, the ones that lagwatch and kafka-go poll with
	files      int // open file descriptors; 0 where /proc does not tell
	sockets    int // of those, TCP connections to the brokers
}

func (f footprint) String() string {
	return fmt.Sprintf("%d goroutines, %d of them for polling, %d open files, %d connections to brokers",
		f.goroutines, f.polling, f.files, f.sockets)
}

func footprintNow(brokers []string) footprint {
	f := footprint{goroutines: runtime.NumGoroutine(), polling: pollingGoroutines()}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return f
	}
	f.files = len(files)
	inodes := inodesTo(brokers)
	for _, file := range files {
		target, _ := os.Readlink(filepath.Join("/proc/self/fd", file.Name()))
		if slices.Contains(inodes, target) {
			f.sockets++
		}
	}
	return f
}

// pollingGoroutines counts the goroutines in whose stacks, or in those of their
// makers, there is a poll.
func pollingGoroutines() int {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	n := 0
	for g := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(g, "segmentio/kafka-go.") || strings.Contains(g, "lagwatch/collector.") {
			n++
		}
	}
	return n
}

// inodesTo lists the TCP sockets on this machine with a broker at the far end,
// as links in /proc name them.
func inodesTo(brokers []string) []string {
	text, _ := os.ReadFile("/proc/self/net/tcp")
	var out []string
	for line := range strings.Lines(string(text)) {
		field := strings.Fields(line) // sl local remote state tx:rx tr:tm retransmits uid timeout inode
		if len(field) > 9 && slices.ContainsFunc(brokers, func(b string) bool { return strings.HasSuffix(field[2], hexPort(b)) }) {
			out = append(out, "socket:["+field[9]+"]")
		}
	}
	return out
}

func hexPort(addr string) string {
	port, _ := strconv.Atoi(addr[strings.LastIndexByte(addr, ':')+1:])
	return fmt.Sprintf(":%04X", port)
}

// steadyFootprint is the largest of two seconds: between polls a connection
// may be closed, or a timer's goroutine come and go.
func steadyFootprint(t *testing.T, brokers []string) footprint {
	t.Helper()
	var most footprint
	began := time.Now()
	await.Until(t, 10*time.Second, "two seconds to pass", func() bool {
		f := footprintNow(brokers)
		most = footprint{max(most.goroutines, f.goroutines), max(most.polling, f.polling), max(most.files, f.files), max(most.sockets, f.sockets)}
		return time.Since(began) > 2*time.Second
	})
	return most
}

// awaitFootprint waits until the process holds no more than before, but for a
// few goroutines and files of connections that come and go.
func awaitFootprint(t *testing.T, brokers []string, before footprint, limit time.Duration) {
	t.Helper()
	const margin = 6
	var now footprint
	began := time.Now()
	defer func() { t.Logf("before: %v; %v later: %v", before, time.Since(began).Round(100*time.Millisecond), now) }()
	await.Until(t, limit, "goroutines and open files to be as few as before", func() bool {
		now = footprintNow(brokers)
		return now.goroutines <= before.goroutines+margin && now.polling <= before.polling+margin &&
			now.files <= before.files+margin && now.sockets <= before.sockets+2
	})
}

// liveHeap is how many bytes are reachable.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC() // what finalizers of the first let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// starvedSoFar is how long the threads of this process have been ready to run
// and had no processor, in all; 0 where /proc does not tell.
func starvedSoFar() time.Duration {
	files, _ := filepath.Glob("/proc/self/task/*/schedstat")
	var total time.Duration
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if field := strings.Fields(string(text)); len(field) == 3 { // running, waiting, slices
			waited, _ := strconv.ParseInt(field[1], 10, 64)
			total += time.Duration(waited)
		}
	}
	return total
}
