package rates

import (
	"math"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/lagwatch/lagwatch/internal/snapshot"
)

// fleet is a cluster's partitions, each read by two groups: three quarters of them get
// records between any two polls, the rest now and then.
type fleet struct {
	clock      *Clock
	logs       []Log
	pairs      []Pair
	ends       []int64
	positions  []int64
	rng        *rand.Rand
	now        snapshot.Instant
	between    time.Duration
	known, out int
}

func newFleet(partitions int, between time.Duration) *fleet {
	return &fleet{
		clock: NewClock(Options{Interval: between}), now: 1e18, between: between,
		logs: make([]Log, partitions), pairs: make([]Pair, 2*partitions),
		ends: make([]int64, partitions), positions: make([]int64, 2*partitions),
		rng: rand.New(rand.NewPCG(1, 2)),
	}
}

// produce is what happens between two polls: some 20 to 1,300 offsets in each partition.
func (f *fleet) produce() {
	f.now += snapshot.Instant(f.between) + snapshot.Instant(f.rng.IntN(20))*1e6
	for i := range f.logs {
		if i%4 == 0 && f.rng.IntN(10) > 0 {
			continue
		}
		rate := 20 << (i % 7)
		f.ends[i] += int64(max(1, float64(rate)+math.Sqrt(float64(rate))*f.rng.NormFloat64()))
		for j := 2 * i; j < 2*i+2; j++ {
			f.positions[j] = max(f.positions[j], f.ends[i]-int64((j%2)*f.rng.IntN(rate)/2))
		}
	}
}

// poll estimates everything.
func (f *fleet) poll() {
	f.clock.Begin(f.now)
	for i := range f.logs {
		end := snapshot.Reading{Offset: f.ends[i], At: f.now + 5e6}
		f.logs[i].Observe(f.clock, end)
		for j := 2 * i; j < 2*i+2; j++ {
			p := f.positions[j]
			e, _ := f.pairs[j].Observe(f.clock, &f.logs[i], Position{At: end.At, Committed: p, Oldest: p, Lag: end.Offset - p, End: end.Offset})
			if e.DrainSeconds.Known() {
				f.known++
			}
			f.out++
		}
	}
}

// What the estimates of a poll take for a pair and its half of a partition, with half
// an hour of history.
func BenchmarkPoll(b *testing.B) {
	f := newFleet(2_000, 10*time.Second)
	for range 200 {
		f.produce()
		f.poll()
	}
	f.known, f.out = 0, 0
	b.ReportAllocs()
	var used time.Duration
	for b.Loop() {
		b.StopTimer()
		f.produce()
		b.StartTimer()
		used -= cpu()
		f.poll()
		used += cpu()
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N*len(f.pairs)), "cpu-ns/pair")
	b.ReportMetric(float64(f.known)/float64(f.out), "known")
}

// What half an hour of history takes in memory, structs and all. As plain readings of
// 16 bytes in a ring it would be 2,880 bytes each.
func BenchmarkMemory(b *testing.B) {
	const partitions = 5_000
	for b.Loop() {
		f := newFleet(partitions, 10*time.Second)
		for range 200 {
			f.produce()
			f.poll()
		}
		all := inUse()
		f.pairs = nil
		logs := inUse()
		f.logs = nil
		rest := inUse()
		b.ReportMetric(float64(all-logs)/(2*partitions), "B/pair")
		b.ReportMetric(float64(logs-rest)/partitions, "B/partition")
		runtime.KeepAlive(f)
	}
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// cpu is the time that this process has been computing: the machine may be busy with
// others.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
