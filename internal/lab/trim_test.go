package lab

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTrim(t *testing.T) {
	tests := []struct {
		name   string
		commit int64 // below 0: none
		limit  int64
		start  int64 // of a log of 2000 records
	}{
		{"what isn't committed stays", 100, 5000, 0},
		{"some of what is committed stays", 1500, 5000, 1500 - keepBehind},
		{"the limit holds for a group far behind", 100, 800, 1200},
		{"and for one that never committed", -1, 800, 1200},
		{"nothing goes below the limit", -1, 5000, 0},
		{"a commit beyond the end deletes no more than there is", 2600, 5000, 2000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := testContext(t)
			c := startLab(t, Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
			if _, err := c.Produce(ctx, "orders", 0, 2000); err != nil {
				t.Fatal(err)
			}
			if tt.commit >= 0 {
				if err := c.Commit(ctx, "g", "orders", 0, tt.commit); err != nil {
					t.Fatal(err)
				}
			}
			c.trim("orders", "g", tt.limit)
			if got := c.Fake().PartitionInfo("orders", 0).LogStartOffset; got != tt.start {
				t.Errorf("log starts at %d, want %d", got, tt.start)
			}
		})
	}
}

// heap is what is reachable now, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A log that is trimmed keeps its size however much goes through it.
func TestTrimmedLogStaysSmall(t *testing.T) {
	const keep, warm, more = 2000, 10_000, 40_000
	c := startLab(t, Options{Brokers: 1, Topics: map[string]int32{"orders": 1}})
	fill := func(n int) {
		t.Helper()
		for range n / keep {
			if _, err := c.Produce(testContext(t), "orders", 0, keep); err != nil {
				t.Fatal(err)
			}
			c.trim("orders", "g", keep)
		}
	}
	fill(warm)
	before, size := heap(), c.Fake().PartitionInfo("orders", 0).NumBytes
	fill(more)
	info := c.Fake().PartitionInfo("orders", 0)
	type log struct{ Kept, End int64 }
	if d := cmp.Diff(log{keep, warm + more}, log{info.HighWatermark - info.LogStartOffset, info.HighWatermark}); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if info.NumBytes > size*11/10 {
		t.Errorf("the log grew from %d to %d bytes", size, info.NumBytes)
	}
	// All of it together is above 1 MiB, its index and its growing buffers as much.
	if grew := heap() - before; grew > 512<<10 {
		t.Errorf("memory grew by %d KiB", grew>>10)
	}
}
