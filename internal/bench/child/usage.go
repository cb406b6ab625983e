package child

import "runtime"

// Usage is what this process has used since it began.
type Usage struct {
	CPUSeconds  float64 // of all threads, in user and system mode
	Allocations uint64
	Allocated   uint64 // bytes
}

// ReadUsage reads it.
func ReadUsage() (Usage, error) {
	cpu, err := cpuTime()
	if err != nil {
		return Usage{}, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Usage{CPUSeconds: cpu.Seconds(), Allocations: m.Mallocs, Allocated: m.TotalAlloc}, nil
}

// Since is what was used after an earlier moment.
func (u Usage) Since(before Usage) Usage {
	return Usage{u.CPUSeconds - before.CPUSeconds, u.Allocations - before.Allocations, u.Allocated - before.Allocated}
}

// Memory is what this process holds, in bytes.
type Memory struct {
	Live uint64 // heap that is reachable
	Peak uint64 // the most that was ever resident
}

// ReadMemory reads it. It collects garbage, which the peak is read before.
func ReadMemory() (m Memory, err error) {
	if m.Peak, err = peak(); err != nil {
		return m, err
	}
	runtime.GC()
	runtime.GC() // what finalizers held is free only now
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m.Live = stats.HeapAlloc
	return m, nil
}
